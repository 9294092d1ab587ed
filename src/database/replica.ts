import { setTimeout as sleep } from 'node:timers/promises'
import type { PrismaClient } from '../generated/prisma/client.ts'
import type { SqlSession } from '../sql.ts'
import { includes, type LogPosition, readReplicaPosition } from './log-position.ts'
import type { CatalogPool } from './pool.ts'
import type { SqlReader } from './sql-reader.ts'

/*
 * Read replicas follow the primary through PostgreSQL's streaming replication, with some delay. The gateway reads from a replica
 * only after it has replayed all changes of which this process has received notifications (change-feed.ts).
 */

const POLL_INTERVAL_MS = 50
const RECONNECT_MS = 500
/** A replica is not used if its last answer is older than this. */
const ANSWER_VALID_MS = 1_000

interface ReplicaOptions {
  prisma: PrismaClient
  sql: SqlReader
  pool: CatalogPool
  /** Creates a client that is not yet connected. */
  createClient: () => SqlSession
}

/** A read replica of the database. */
export class Replica {
  readonly prisma: PrismaClient
  readonly sql: SqlReader
  readonly #pool: CatalogPool
  readonly #following: Promise<void>
  #isClosing = false
  #replayed: LogPosition | undefined
  #answeredAtMs = Number.NEGATIVE_INFINITY

  constructor({ prisma, sql, pool, createClient }: ReplicaOptions) {
    this.prisma = prisma
    this.sql = sql
    this.#pool = pool
    this.#following = this.#follow(createClient)
  }

  /** Whether the replica answers and has replayed the primary's log up to a position; false for an unknown position. */
  hasReplayed(position: LogPosition | undefined): boolean {
    return (
      position !== undefined &&
      this.#replayed !== undefined &&
      includes(this.#replayed, position) &&
      performance.now() - this.#answeredAtMs < ANSWER_VALID_MS
    )
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#following
    await this.prisma.$disconnect()
    await this.#pool.end()
  }

  async #follow(createClient: () => SqlSession): Promise<void> {
    while (!this.#isClosing) {
      const client = createClient()
      // Not logged, because the metrics show that the replica is not used.
      await this.#poll(client).catch(() => {})
      this.#answeredAtMs = Number.NEGATIVE_INFINITY
      await client.end()
      if (!this.#isClosing) await sleep(RECONNECT_MS)
    }
  }

  async #poll(client: SqlSession): Promise<void> {
    await client.connect()
    while (!this.#isClosing) {
      const sentAtMs = performance.now()
      this.#replayed = await readReplicaPosition(client)
      if (!this.#replayed) return
      this.#answeredAtMs = sentAtMs
      await sleep(POLL_INTERVAL_MS)
    }
  }
}
