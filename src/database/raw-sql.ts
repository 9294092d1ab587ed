import { Prisma } from '../generated/prisma/client.ts'
import { type SqlText, sql } from '../sql.ts'

/** Returns an SQL text as a part of a `Prisma.sql` template. */
export const rawSql = (text: SqlText): Prisma.Sql => Prisma.raw(text)

const COMMENT = sql`/* planned each time */`

/**
 * A part of a statement whose best plan depends on its values, for example on how many items have a code. Such a statement is not prepared:
 * PostgreSQL keeps the plan of a prepared one for all values, estimates that few items have each, and takes 20 times as long for a value
 * of every second item.
 */
export const NEVER_PREPARE = rawSql(COMMENT)

/** Whether a statement must not be prepared. */
export function isNeverPrepared(statement: string): boolean {
  return statement.includes(COMMENT)
}
