import { z } from 'zod'
import { nearestName } from '../errors/nearest-name.ts'

/** What names the item of a row. A bad row may name it too. */
export interface RowIdentity {
  id: string | null
  externalId: string | null
}

/** What is wrong with a row or a file, or may be. */
export interface Problem {
  /** The line that the row starts on. */
  line: number
  reason: string
  /** The wrong value, and where it stands. Problems that differ only in it are counted together. */
  value?: string | undefined
  /** The earlier row that has the same: `line 506`. */
  as?: string | undefined
  /**
   * The kind of a problem that is no bad row. With a warning or a doubt the row is loaded; a doubt is about data that may be right, so the same
   * files need not be read again for it. A part is a collection that lacks items. A lack is a column that each row needs.
   */
  warns?: 'warning' | 'doubt' | 'part' | 'lack'
  /** What names the item of a bad row, if that can be read. */
  identity?: RowIdentity | undefined
}

type Said = Pick<Problem, 'reason' | 'value' | 'as'>

/** A problem, with the name of its file in the manifest. There is no line if the manifest as a whole is meant. */
export interface FileProblem extends Said {
  file: string
  line?: number | undefined
}

export function explainProblem({ reason, value, as }: Said): string {
  return `${reason}${as === undefined ? '' : ` as ${as}`}${value === undefined ? '' : `: ${value}`}`
}

/** At most this number of problems of one reason is listed. More are one line with their number. */
const LISTED = 5
/** Rows with more different reasons are only counted. */
const MAX_REASONS = 1_000
const SHOWN_REASONS = 100

/** Problems of rows, by their reason. Memory is bounded. */
export class ProblemList {
  readonly #byReason = new Map<string, { count: number; first: FileProblem[] }>()
  count = 0

  add(problem: FileProblem): void {
    this.count += 1
    const same = this.#byReason.get(problem.reason) ?? { count: 0, first: [] }
    if (same.count === 0 && this.#byReason.size >= MAX_REASONS) return
    same.count += 1
    if (same.first.length < LISTED) same.first.push(problem)
    this.#byReason.set(problem.reason, same)
  }

  describe(label = ''): string[] {
    const shown = [...this.#byReason.values()].slice(0, SHOWN_REASONS)
    const lines = shown.flatMap(({ count, first }) => {
      const placeOf = ({ file, line }: FileProblem) => (line === undefined ? file : `${file}:${line}`)
      const each = first.map((problem) => `${placeOf(problem)}: ${label}${explainProblem(problem)}`)
      return count <= LISTED ? each : each.slice(0, 1).map((line) => `${line} (${count} rows)`)
    })
    const rest = this.count - shown.reduce((sum, { count }) => sum + count, 0)
    return rest > 0 ? [...lines, `and ${rest} more`] : lines
  }

  get lines(): string[] {
    const headline = `${this.count === 1 ? '1 bad row' : `${this.count} bad rows`}; nothing was changed`
    return [headline, ...this.describe()]
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  ...{ array: 'a list', boolean: 'true or false', number: 'a number', string: 'text' },
  ...{ object: 'an object', record: 'an object' },
}

/** Returns the message of an issue for which the schema has none. */
function defaultReason(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  return issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys, allowedMembers(issue.inst)) : undefined
}

/** A name with more wrong letters is probably another one. */
const MAX_DISTANCE = 2

function describeUnknown(keys: readonly string[], allowed: readonly string[]): string {
  const nearest = keys.map((key) => nearestName(key, allowed, MAX_DISTANCE))
  const named = keys.map((key, n) => (nearest[n] === undefined ? key : `${key} (did you mean ${nearest[n]}?)`))
  const possible = nearest.includes(undefined) ? `; possible are ${allowed.join(', ')}` : ''
  return `has the unknown member ${named.join(', ')}${possible}`
}

function allowedMembers(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  return schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum ? schema.keyType.options.map(String) : []
}

/** Options of `safeParse` that `describeIssues` needs. */
export const ISSUE_OPTIONS = { error: defaultReason, reportInput: true } as const

/** Returns a line for each issue: the path of the value, and what is wrong with it. */
export function describeIssues({ issues }: z.ZodError): string[] {
  return issues.map((issue) => {
    const lack = issue.code === 'invalid_value' ? `is required; it ${issue.message}` : 'is required'
    const reason = issue.input === undefined && issue.code !== 'custom' ? lack : issue.message
    return [...(issue.path.length > 0 ? [issue.path.join('.')] : []), reason].join(' ')
  })
}
