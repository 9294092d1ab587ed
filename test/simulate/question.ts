import type { View } from './view.ts'

/** A response, as it came. */
export interface Answer {
  status: number
  body: Buffer
}

/** A request that can be sent with any key, and what the model says about its answer. */
export interface Question {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** What the judge compares: the parts of an answer that the model knows, in one form for all doors. */
  observe: (answer: Answer) => Observed
  /** The same parts, from the model. */
  expect: (view: View) => Observed
}

/** A status or an error code, and parts by name, each as JSON. An answer with one part has the name `body`. */
export interface Observed {
  outcome: string
  parts: Readonly<Record<string, string>>
}

export const SUCCESS = '200'

/** An answer without content, with an error code or a status. */
export function failed(outcome: string): Observed {
  return { outcome, parts: {} }
}

/** An answer with one part. */
export function found(value: unknown): Observed {
  return { outcome: SUCCESS, parts: { body: JSON.stringify(value) } }
}

/** The answer with a value of the model, or with the error code in its place. */
export function answered(value: unknown): Observed {
  return typeof value === 'string' ? failed(value) : found(value)
}

/** The text by which two answers are compared. */
export function textOf({ outcome, parts }: Observed): string {
  const content = Object.entries(parts).map(([name, json]) => `${name}: ${json}`)
  return [outcome, ...content].join('\n')
}

/** The members of an object; none for any other value. */
export function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** The elements of a list; none for any other value. */
export function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value at a path of members. */
export function at(value: unknown, ...path: string[]): unknown {
  return path.reduce((current, name) => members(current)[name], value)
}

/** A GET request that accepts a media type. */
export function get(path: string, accept: string): Pick<Question, 'method' | 'path' | 'headers'> {
  return { method: 'GET', path, headers: { accept } }
}

/** Observes a JSON body. */
export function observeJson(read: (body: unknown) => unknown): (answer: Answer) => Observed {
  return ({ status, body }) => {
    const json: unknown = JSON.parse(body.toString())
    return status === 200 ? found(read(json)) : failed(codeOf(status, json))
  }
}

/** The error code of a body: of REST, problem details, or GraphQL. */
export function codeOf(status: number, body: unknown): string {
  if (status === 401) return 'UNAUTHORIZED'
  const code = at(body, 'error', 'code') ?? at(body, 'code')
  return code === undefined ? `${SUCCESS === String(status) ? 'unknown' : status}` : String(code)
}
