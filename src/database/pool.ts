import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import type { SqlText } from '../sql.ts'
import { inSpan, isTracing } from '../tracing.ts'
import { currentCancellation, StatementCancelled } from './cancellation.ts'
import type { Canceller } from './canceller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { classifyError, DatabaseClient, isConnectionLost } from './client.ts'
import { type EndTurn, FairQueue } from './fair-queue.ts'
import type { SessionConfig } from './session.ts'

/** How an SQL statement ended. */
export interface StatementEnd {
  durationMs: number
  hasFailed: boolean
}

/** The numbers of idle and busy connections, and of statements that wait for a connection. */
export interface PoolUse {
  idle: number
  busy: number
  waiting: number
}

interface CatalogPoolOptions extends pg.PoolConfig, Pick<SessionConfig, 'settings'> {
  /** The number of statements of requests that may run at the same time. */
  places: number
  /** A statement of a request that waits longer for its turn fails. */
  turnTimeoutMs: number
  /** Cancels statements. The pool closes it. */
  canceller?: Canceller | undefined
  /** Called at the end of each statement. */
  observe?: ((end: StatementEnd) => void) | undefined
}

/**
 * A pool that shares its connections fairly between the keys of requests (fair-queue.ts). Statements of no request do not wait for a
 * turn. It cancels the statements of a cancelled request, except those of a transaction.
 */
export class CatalogPool extends pg.Pool {
  readonly #canceller: Canceller | undefined
  readonly #queue: FairQueue
  #feed: ChangeFeed | undefined
  /** How many times the change feed had connected when a connection was opened. */
  readonly #openedAt = new WeakMap<pg.ClientBase, number>()

  constructor({ places, turnTimeoutMs, canceller, observe, ...options }: CatalogPoolOptions) {
    const isObserved = observe !== undefined || isTracing()
    super({ ...options, Client: isObserved ? observedClient(observe) : DatabaseClient })
    this.#queue = new FairQueue({ places, timeoutMs: turnTimeoutMs })
    this.on('error', onIdleConnectionLost)
    this.#canceller = canceller
  }

  /** From now on, replaces the connections from before the last one of the change feed. */
  follow(feed: ChangeFeed): void {
    this.#feed = feed
  }

  get use(): PoolUse {
    return {
      idle: this.idleCount,
      busy: this.totalCount - this.idleCount,
      waiting: this.waitingCount + this.#queue.waiting,
    }
  }

  /**
   * Returns a connection that is newer than that of the change feed: older ones may lead to a server that the feed has left. A request gets
   * it when it is the turn of its key, which ends with the release.
   * @throws a `ConnectionError`, or PostgreSQL's error if PostgreSQL refuses the connection; a `TurnTimeout`
   */
  override async connect(): Promise<pg.PoolClient> {
    const { keys, isStreaming } = currentCancellation() ?? {}
    if (!keys?.length) return this.#connect()
    const endTurn = this.#queue.beginAtOnce(keys) ?? (await this.#queue.begin(keys, isStreaming))
    try {
      return endAtRelease(await this.#connect(), endTurn)
    } catch (error) {
      endTurn()
      throw error
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      for (;;) {
        const before = this.#feed?.connections() ?? 0
        const client = await super.connect()
        const openedAt = this.#openedAt.get(client) ?? before
        this.#openedAt.set(client, openedAt)
        if (openedAt === (this.#feed?.connections() ?? 0)) return client
        client.release(true)
      }
    } catch (error) {
      throw classifyError(error)
    }
  }

  /**
   * Sends a statement that no other statement delays, and that delays none.
   * @throws a `ConnectionError`
   */
  async ping(statement: SqlText): Promise<void> {
    const client = await this.#connect()
    try {
      await client.query(statement)
    } finally {
      client.release()
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures; Prisma and this project use the two with a promise
  override query(statement: any, values?: any): any {
    return this.#send(typeof statement === 'string' ? { text: statement, values } : statement)
  }

  override async end(): Promise<void> {
    await super.end()
    await this.#canceller?.close()
  }

  async #send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const canceller = this.#canceller
    const cancellation = canceller && currentCancellation()
    /** Whether the cancellation has ended: one that fails may still arrive. */
    let cancelling: Promise<boolean> | undefined
    const client = await this.connect()
    const cancel = () => {
      cancelling ??= canceller?.cancel(client).then(
        () => true,
        () => false,
      )
    }
    let failure: unknown
    try {
      if (!cancellation) return await client.query(statement)
      if (cancellation.isCancelled) throw new StatementCancelled()
      return await cancellation.track(client.query(statement), cancel)
    } catch (error) {
      failure = error
      if (error instanceof pg.DatabaseError && cancellation?.isCancelled) throw new StatementCancelled({ cause: error })
      throw error
    } finally {
      // The cancellation must end before the next statement starts on this connection.
      const hasEnded = (await cancelling) ?? true
      client.release(!hasEnded || isConnectionLost(failure))
    }
  }
}

/** Ends a turn when the client is released. The pool gives the client a new `release` each time that it lends it. */
function endAtRelease(client: pg.PoolClient, endTurn: EndTurn): pg.PoolClient {
  const { release } = client
  client.release = (reason) => {
    release(reason)
    endTurn()
  }
  return client
}

/** An `error` event without a listener would end the process. The pool itself replaces the connection. */
function onIdleConnectionLost(): void {}

/** A client that traces its statements and reports their ends. */
function observedClient(observe: CatalogPoolOptions['observe']): new () => pg.ClientBase {
  return class extends DatabaseClient {
    // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
    override query(...args: any[]): any {
      return observed(args[0], () => Reflect.apply(super.query, this, args), observe)
    }
  }
}

async function observed<Result>(
  statement: string | pg.QueryConfig,
  send: () => Promise<Result>,
  observe: CatalogPoolOptions['observe'],
): Promise<Result> {
  const text = typeof statement === 'string' ? statement : statement.text
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text }
  const startMs = performance.now()
  let hasFailed = true
  try {
    const result = await inSpan('sql', { kind: SpanKind.CLIENT, attributes }, send)
    hasFailed = false
    return result
  } finally {
    observe?.({ durationMs: performance.now() - startMs, hasFailed })
  }
}
