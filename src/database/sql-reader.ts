import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { Prisma, PrismaClient } from '../generated/prisma/client.ts'
import type { CatalogPool } from './pool.ts'
import { isNeverPrepared } from './raw-sql.ts'

/** Sends SQL statements that only read. A Prisma client is one too. */
export interface SqlReader {
  /** Returns the rows of a statement, which is a template or the result of `Prisma.sql`. */
  $queryRaw<Rows>(statement: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>
}

interface SqlReaderOptions {
  /** Returns the name under which to prepare a statement, or '' not to prepare it. */
  nameOf: (sql: string) => string
  /** Called for each statement, with its parameters as JSON. */
  onStatement?: ((sql: string, parameters: string) => void) | undefined
}

const { INT8, TEXT, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins

/** The form of a time depends on settings of the session, except in JSON. pg reads a form that it does not know as null, without an error. */
function refuseTime(): never {
  throw new TypeError('The statement must select the time as JSON')
}

const textOrBytes = (cell: string | Buffer) => cell

/** Parses 64-bit integers as Prisma does, no times, and the other types as pg does. Text may be bytes (json-cells.ts). */
const ROW_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8) return BigInt
    if (oid === TEXT) return textOrBytes
    return oid === TIMESTAMPTZ || oid === TIMESTAMP ? refuseTime : pg.types.getTypeParser(oid, format)
  },
}

/**
 * Creates a reader that sends its statements on the pool itself. For the same statement, Prisma's `$queryRaw` takes twice as
 * long in this process (docs/decisions/0011-at-the-floor.md). Times must be selected as JSON, and decimals as text or JSON, because
 * pg parses them in its own way.
 */
export function createSqlReader(pool: CatalogPool, { nameOf, onStatement }: SqlReaderOptions): SqlReader {
  return {
    $queryRaw: async (statement, ...values) => {
      const sql = statement instanceof Prisma.Sql ? statement : Prisma.sql(statement, ...values)
      const { text } = sql
      onStatement?.(
        text,
        JSON.stringify(sql.values, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
      )
      const { rows } = await pool.query({
        text,
        values: sql.values,
        name: nameOf(text),
        types: ROW_TYPES,
      })
      return rows
    },
  }
}

/** Creates a Prisma client that sends its statements on the pool. */
export function createPrisma(pool: CatalogPool, { nameOf, onStatement }: SqlReaderOptions): PrismaClient {
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) })
  if (!onStatement) return new PrismaClient({ adapter, log: [] })
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] })
  client.$on('query', (event) => onStatement(event.query, event.params))
  return client
}

const statementNames = new Map<string, string>()
/**
 * The maximum number of prepared statements. Each takes memory on every connection. Clients choose the selected fields, so the
 * number of different statements is unbounded.
 */
const STATEMENT_NAMES_LIMIT = 500
/** Number of uses of each unprepared statement. A rare statement is not worth preparing. */
const useCounts = new LRUCache<string, number>({ max: 1_000 })
const USES_BEFORE_PREPARED = 3

/**
 * Returns the name under which to prepare a statement, or '' not to prepare it: if it is rare, above the limit, or its best plan depends
 * on its values.
 */
export function statementName(sql: string): string {
  const known = statementNames.get(sql)
  if (known !== undefined) return known
  if (isNeverPrepared(sql)) return ''
  const useCount = (useCounts.get(sql) ?? 0) + 1
  useCounts.set(sql, useCount)
  if (useCount < USES_BEFORE_PREPARED || statementNames.size >= STATEMENT_NAMES_LIMIT) return ''
  const name = createHash('sha256').update(sql).digest('base64url')
  statementNames.set(sql, name)
  return name
}
