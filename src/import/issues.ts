import type { z } from 'zod'

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
  if (issue.code === 'unrecognized_keys') return `has the unknown member ${issue.keys.join(', ')}`
  return undefined
}

/** Options of `safeParse` that `describeIssues` needs. */
export const ISSUE_OPTIONS = { error: defaultReason, reportInput: true } as const

/** Returns a line for each issue: the path of the value, and what is wrong with it. */
export function describeIssues({ issues }: z.ZodError): string[] {
  return issues.map((issue) => {
    const reason = issue.input === undefined && issue.code !== 'custom' ? 'is required' : issue.message
    return issue.path.length === 0 ? reason : `${issue.path.join('.')} ${reason}`
  })
}
