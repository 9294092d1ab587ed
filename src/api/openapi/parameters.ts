import { GraphQLFloat, GraphQLInt, getNamedType } from 'graphql'
import { z } from 'zod'
import type { Parameter } from '../../graphql/operation/parameters.ts'
import components from './components.json' with { type: 'json' }
import type { Json } from './components.ts'
import examples from './examples.json' with { type: 'json' }
import { scalarSchema } from './json-schema.ts'

const MEMBERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = examples.members
const PARAMETERS: Readonly<Record<string, unknown>> = examples.parameters

/** The example of a member of a GraphQL type, from the sample data; undefined for objects and lists. */
export function memberExample(type: string, member: string): unknown {
  return MEMBERS[type]?.[member]
}

/** The example of a parameter, which finds something in the sample data. That of a filter is the value of the example item. */
export function parameterExample(name: string): unknown {
  return PARAMETERS[name] ?? memberExample('Item', name)
}

/** The parameters that are not as their GraphQL arguments, or have none. In a URL, null is the text `null`. */
const EXCEPTIONS: Readonly<Record<string, { description: string; schema?: Json }>> = components.parameters

/** What GraphQL says of a parameter. */
type Variable = Pick<Parameter, 'name' | 'type' | 'argumentDescription' | 'defaultValue'>

/** The parameters of a route: those of its path, each with its description and its schema if it is no text, and of its query string. */
interface Described {
  pathParameters: Readonly<Record<string, string | { description: string; schema: Json }>>
  query: z.ZodObject
}

/**
 * The parameters of a route. The schema that parses the query string gives their bounds, the variables of the operation their
 * descriptions and defaults.
 */
export function parametersOf({ pathParameters, query }: Described, variables: readonly Variable[]): Json[] {
  const { properties: parsed = {}, required = [] } = z.toJSONSchema(query, { unrepresentable: 'any' })
  const { properties: unparsed = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const queryParameter = (name: string): Json => {
    const variable = variables.find((candidate) => candidate.name === name)
    const {
      description = variable?.argumentDescription ?? '',
      schema = schemaOf(variable, parsed[name], unparsed[name]),
    } = EXCEPTIONS[name] ?? {}
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description,
      example: parameterExample(name),
      schema,
    }
  }
  return [...Object.entries(pathParameters).map(pathParameter), ...Object.keys(query.shape).map(queryParameter)]
}

/** The schema of a parameter. A number has the bounds of the parsed value, and the type that GraphQL has for it. */
function schemaOf(variable: Variable | undefined, parsed: unknown, unparsed: unknown): Json {
  const type = variable && getNamedType(variable.type)
  const isNumber = type === GraphQLInt || type === GraphQLFloat
  const domain = isNumber ? Object.assign({}, parsed, scalarSchema(type)) : Object(unparsed)
  return { ...domain, ...(variable?.defaultValue !== undefined && { default: variable.defaultValue }) }
}

function pathParameter([name, about]: [string, string | { description: string; schema: Json }]): Json {
  const { description, schema } = typeof about === 'string' ? { description: about, schema: { type: 'string' } } : about
  return { name, in: 'path', required: true, description, example: parameterExample(name), schema }
}
