import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import type { SqlSession } from '../sql.ts'
import type { ChangeFeed } from './change-feed.ts'
import { faultOf, includes, type LogPosition, readReplicaPosition } from './log-position.ts'
import type { CatalogPool } from './pool.ts'
import type { ServerWatch } from './server-watch.ts'
import type { SqlReader } from './sql-reader.ts'

/*
 * Read replicas follow the primary through PostgreSQL's streaming replication, with some delay. The gateway reads from a replica
 * only after it has replayed all changes of which this process has received notifications (change-feed.ts).
 */

const POLL_INTERVAL_MS = 50
const RECONNECT_MS = 500
const UNKNOWN_POSITION =
  'the end of the log of the primary is not known; the role needs the right to write primary_mark'
/** A replica is not used if its last answer is older than this. */
const ANSWER_VALID_MS = 1_000

interface ReplicaOptions {
  prisma: PrismaClient
  sql: SqlReader
  pool: CatalogPool
  /** Creates a client that is not yet connected. */
  createClient: () => SqlSession
  watch: ServerWatch
}

/** A read replica of the database. */
export class Replica {
  readonly prisma: PrismaClient
  readonly sql: SqlReader
  /** Whether it was up to date within the last seconds. */
  readonly watch: ServerWatch
  readonly #pool: CatalogPool
  readonly #following: Promise<void>
  #feed: ChangeFeed | undefined
  #isClosing = false
  #replayed: LogPosition | undefined
  #answeredAtMs = Number.NEGATIVE_INFINITY

  constructor({ prisma, sql, pool, createClient, watch }: ReplicaOptions) {
    this.watch = watch
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

  /** From now on, compares the replica with the primary of this feed. */
  follow(feed: ChangeFeed): void {
    this.#feed = feed
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
      await this.#poll(client).catch((error: unknown) => this.#isClosing || this.watch.missed(messageOf(error)))
      this.#answeredAtMs = Number.NEGATIVE_INFINITY
      await client.end()
      if (!this.#isClosing) await sleep(RECONNECT_MS)
    }
  }

  async #poll(client: SqlSession): Promise<void> {
    await client.connect()
    while (!this.#isClosing) {
      const sentAtMs = performance.now()
      const isPrimaryThere = this.#feed?.latest() !== undefined
      const position = this.#feed?.position()
      const replayed = await readReplicaPosition(client)
      if (isPrimaryThere) this.#judge(position ? faultOf(replayed, position) : UNKNOWN_POSITION)
      if ('fault' in replayed) return
      this.#replayed = replayed
      this.#answeredAtMs = sentAtMs
      await sleep(POLL_INTERVAL_MS)
    }
  }

  #judge(fault: string | undefined): void {
    if (fault === undefined) this.watch.found()
    else this.watch.missed(fault)
  }
}
