import type { QueryResultRow } from 'pg'
import type { SqlSession, SqlText } from '../sql.ts'

/** The result of a check. `advice` says what to do after a failure, and `sql` is the statement that mends it. */
export interface Finding {
  check: string
  isOk: boolean
  found: string
  advice?: string
  sql?: string
}

export type Result = Omit<Finding, 'check'>

/** What a database must have for the gateway of this configuration. */
export interface Needs {
  /** The connections that one gateway opens at most. */
  connections: number
}

/** Checks one thing, and changes nothing. It may throw PostgreSQL's errors. */
export type Check = (session: SqlSession, needs: Needs) => Promise<Result | Result[]>

export const ok = (found: string): Result => ({ isOk: true, found })

/** What is no fault, and worth knowing. */
export const note = (found: string, advice: string): Result => ({ isOk: true, found, advice })

/**
 * A fault.
 * @param found what is wrong, and why it matters
 * @param sql the statement that mends it
 */
export const fail = (found: string, advice?: string, sql?: string): Result => ({
  isOk: false,
  found,
  ...(advice && { advice }),
  ...(sql && { sql }),
})

/** Returns the rows of a statement. */
export async function rows<Row extends QueryResultRow>(
  session: SqlSession,
  text: SqlText,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await session.query<Row>(text, values)).rows
}

/** What to do about an error of PostgreSQL, by its SQLSTATE. */
export type AdviceTable = readonly (readonly [code: RegExp, advice: string])[]

/** Returns the first advice that fits the code of an error. */
export function adviceOn(error: unknown, table: AdviceTable): string | undefined {
  const code = error instanceof Error ? String(Reflect.get(error, 'code')) : ''
  return table.find(([codes]) => codes.test(code))?.[1]
}
