import { Prisma } from '../generated/prisma/client.ts'

const COMMENT = '/* planned each time */'

/**
 * A part of a statement whose best plan depends on its values, for example on how many items have a code. Such a statement is not prepared:
 * PostgreSQL keeps the plan of a prepared one for all values, estimates that few items have each, and takes 20 times as long for a value
 * of every second item.
 */
export const NEVER_PREPARE = Prisma.raw(COMMENT)

/** Whether a statement must not be prepared. */
export function isNeverPrepared(sql: string): boolean {
  return sql.includes(COMMENT)
}
