import { runGraphQL } from '../shared/api.ts'

/*
 * A request for the data of a view: as GraphQL, which the page sends, and as REST. What a person copies is this same request.
 */

type Value = string | number | boolean
export type Values = Readonly<Record<string, Value | Readonly<Record<string, number>>>>

export interface ApiRequest<Data = unknown> {
  /** Path and query string of the REST request. */
  path: string
  /** The GraphQL operation. Its variables have the values as defaults, so it also runs without them. */
  query: string
  variables: Values
  /** Stands for the type of the answer, and never has a value. */
  data?: Data
}

/** Sends a request. `now` are other values of its variables. */
export function ask<Data>(
  { query, variables }: ApiRequest<Data>,
  signal: AbortSignal,
  now: Values = {},
  parse?: (text: string) => unknown,
): Promise<Data> {
  return runGraphQL<Data>(query, { ...variables, ...now }, signal, parse)
}

/** Writes an operation whose variables are declared with their values. */
export function operation(name: string, variables: Values, selection: string): string {
  const declared = Object.entries(variables).map(
    ([variable, value]) => `$${variable}: ${TYPES[variable] ?? 'String'} = ${literal(value)}`,
  )
  return `query ${name}${declared.length > 0 ? `(${declared.join(', ')})` : ''} {\n${selection}\n}\n`
}

/** Writes the arguments of a field, each with the variable of its name. */
export function passed(names: readonly string[]): string {
  return names.map((name) => `${name}: $${name}`).join(', ')
}

/** The types of the variables; those of the others are `String`. */
const TYPES: Readonly<Record<string, string>> = {
  id: 'ID',
  dataset: 'ID',
  datasetId: 'ID',
  within: 'BoundingBox',
  latitude: 'Float',
  longitude: 'Float',
  radius: 'Float',
  page: 'Int',
  limit: 'Int',
  withTotal: 'Boolean',
}

/** Writes a value as GraphQL does: like JSON, with plain names of fields. */
export function literal(value: Values[string] | undefined): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, number]) => `${name}: ${number}`)
    .join(', ')} }`
}

/** Returns a REST path with a query string. */
export function restPath(path: string, values: Readonly<Record<string, Value>> = {}): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))
  return query.size > 0 ? `${path}?${query}` : path
}
