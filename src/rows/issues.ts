import { z } from 'zod'
import { nearestName } from '../errors/nearest-name.ts'

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
}

/** Returns the message of an issue for which the schema has none. */
function defaultReason(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'unrecognized_keys') {
    return describeUnknown(issue.keys, allowedMembers(issue.inst))
  }
  return undefined
}

/** A name with more wrong letters is probably another one. */
const MAX_DISTANCE = 2

function describeUnknown(keys: readonly string[], allowed: readonly string[]): string {
  const nearest = keys.map((key) => nearestName(key, allowed, MAX_DISTANCE))
  const named = keys.map((key, n) => (nearest[n] === undefined ? key : `${key} (did you mean ${nearest[n]}?)`))
  const possible = nearest.includes(undefined) ? `; possible are ${allowed.join(', ')}` : ''
  return `has the unknown member ${named.join(', ')}${possible}`
}

/** The members that an object or a record may have. */
function allowedMembers(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  return schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum ? schema.keyType.options.map(String) : []
}

/** Options of `safeParse` that `describeIssues` needs. */
export const ISSUE_OPTIONS = { error: defaultReason, reportInput: true } as const

/** Returns a line for each issue: the path of the value, and what is wrong with it. */
export function describeIssues({ issues }: z.ZodError): string[] {
  return issues.map((issue) => {
    const reason = issue.input === undefined && issue.code !== 'custom' ? missingReason(issue) : issue.message
    return issue.path.length === 0 ? reason : `${issue.path.join('.')} ${reason}`
  })
}

function missingReason(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_value' ? `is required; it ${issue.message}` : 'is required'
}
