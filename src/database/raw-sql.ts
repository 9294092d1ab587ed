import { Prisma } from '../generated/prisma/client.ts'
import type { SqlText } from '../sql.ts'

/** Returns an SQL text as a part of a `Prisma.sql` template. */
export const rawSql = (text: SqlText): Prisma.Sql => Prisma.raw(text)
