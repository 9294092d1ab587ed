import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { PrismaClient } from '../generated/prisma/client.ts'
import type { CatalogPool } from './pool.ts'

/*
 * Copies of the database that PostgreSQL's streaming replication keeps. A copy is behind, by a little or by much. It is read from
 * only once it has replayed all that this process has heard of (changes.ts), so that it is never older than the promise allows.
 */

/** A position in PostgreSQL's write-ahead log, in bytes. */
export type WalPosition = bigint

/** Asks the primary where its log ends: behind everything that it has told of. */
export const CURRENT_POSITION = `SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS position`
/** A server that was promoted goes its own way, and gives no row. */
const REPLAYED_POSITION = `SELECT (pg_last_wal_replay_lsn() - '0/0')::text AS position WHERE pg_is_in_recovery()`

const POLL_MS = 50
const RECONNECT_MS = 500
/** A copy that has not answered for so long is left alone. */
const SILENCE_MS = 1_000

interface ReplicaOptions {
  prisma: PrismaClient
  pool: CatalogPool
  /** Makes a connection, not yet connected. */
  createClient: () => pg.Client
}

/** A copy of the database to read from. */
export class Replica {
  readonly prisma: PrismaClient
  readonly #pool: CatalogPool
  readonly #closing = new AbortController()
  readonly #following: Promise<void>
  #replayed: WalPosition = 0n
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor({ prisma, pool, createClient }: ReplicaOptions) {
    this.prisma = prisma
    this.#pool = pool
    this.#following = this.#follow(createClient)
  }

  /** Whether it lives, and has all that happened before a position; undefined for one that nobody knows. */
  isUpTo(position: WalPosition | undefined): boolean {
    return position !== undefined && this.#replayed >= position && performance.now() - this.#answeredAt < SILENCE_MS
  }

  /** How many statements have failed since the start. */
  get failures(): number {
    return this.#pool.failures
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
    await this.prisma.$disconnect()
    await this.#pool.end()
  }

  async #follow(createClient: () => pg.Client): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const client = createClient()
      // Without a listener its loss would end the process; the question under way fails of it.
      client.on('error', () => {})
      // Away: it is not read from meanwhile.
      await this.#poll(client).catch(() => {})
      this.#answeredAt = Number.NEGATIVE_INFINITY
      await client.end().catch(() => {})
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #poll(client: pg.Client): Promise<void> {
    await client.connect()
    while (!this.#closing.signal.aborted) {
      const askedAt = performance.now()
      const position = await readPosition(client, REPLAYED_POSITION)
      if (position === undefined) return
      this.#replayed = position
      this.#answeredAt = askedAt
      await sleep(POLL_MS)
    }
  }
}

/** The position that a server tells, undefined where it has none. */
export async function readPosition(client: pg.Client, sql: string): Promise<WalPosition | undefined> {
  const { rows } = await client.query<{ position: string | null }>(sql)
  const position = rows[0]?.position
  return position ? BigInt(position) : undefined
}
