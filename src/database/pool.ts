import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { inSpan, isTracing } from '../tracing.ts'
import { currentCancellation, StatementCancelled } from './cancellation.ts'
import type { ChangeFeed } from './change-feed.ts'
import { ConnectionError, classifyError, DatabaseClient } from './connection.ts'
import { readServerName } from './server-name.ts'
import { isConnectionLost } from './unavailable.ts'

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

export interface CatalogPoolOptions extends pg.PoolConfig {
  /** Whether the pool can cancel statements through another connection. */
  canCancel: boolean
  /** Whether to count `failures`. */
  countsFailures?: boolean | undefined
  /** Returns the change feed whose server the pool must use, if there is one. */
  followed?: (() => ChangeFeed | undefined) | undefined
  /** Called at the end of each statement. */
  observe?: ((end: StatementEnd) => void) | undefined
}

/** A pool that cancels the statements of a cancelled request. Statements of a transaction are not cancelled. */
export class CatalogPool extends pg.Pool {
  /** One connection for all cancellations, because many clients may disconnect at once. */
  readonly #canceller: pg.Pool | undefined
  readonly #count: { failures: number }
  readonly #followed: () => ChangeFeed | undefined
  readonly #servers: WeakMap<pg.ClientBase, string>

  constructor({
    canCancel,
    countsFailures = false,
    followed = () => undefined,
    observe,
    ...options
  }: CatalogPoolOptions) {
    const servers = new WeakMap<pg.ClientBase, string>()
    const count = { failures: 0 }
    const onEnd = (end: StatementEnd) => {
      // A statement that was cancelled for its client is no failure of the server.
      if (end.hasFailed && !currentCancellation()?.isCancelled) count.failures += 1
      observe?.(end)
    }
    const isObserved = countsFailures || observe !== undefined || isTracing()
    const onConnect = async (client: pg.ClientBase) => {
      const feed = followed()
      const server = feed && (await checkServer(client, feed))
      if (server !== undefined) servers.set(client, server)
    }
    super({ ...options, onConnect, Client: isObserved ? observedClient(onEnd) : DatabaseClient })
    this.#followed = followed
    this.#servers = servers
    this.on('error', onIdleConnectionLost)
    this.#count = count
    this.#canceller = canCancel ? new pg.Pool({ ...options, max: 1 }) : undefined
    this.#canceller?.on('error', onIdleConnectionLost)
  }

  /** The number of statements and connection attempts that have failed since the start, without cancelled statements. */
  get failures(): number {
    return this.#count.failures
  }

  get use(): PoolUse {
    return { idle: this.idleCount, busy: this.totalCount - this.idleCount, waiting: this.waitingCount }
  }

  /**
   * Returns a connection to the server that the change feed listens to, if it listens. So its notifications announce every change of
   * the data that a statement reads.
   * @throws a `ConnectionError`, or PostgreSQL's error if PostgreSQL refuses the connection
   */
  override async connect(): Promise<pg.PoolClient> {
    try {
      for (;;) {
        const client = await super.connect()
        const server = this.#followed()?.server()
        if (server === undefined || this.#servers.get(client) === server) return client
        client.release(true)
      }
    } catch (error) {
      this.#count.failures += 1
      throw classifyError(error)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures; Prisma and this project use the two with a promise
  override query(statement: any, values?: any): any {
    return this.#send(typeof statement === 'string' ? { text: statement, values } : statement)
  }

  override async end(): Promise<void> {
    await super.end()
    await this.#canceller?.end()
  }

  async #send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const cancellation = this.#canceller && currentCancellation()
    const client = await this.connect()
    let cancelling: Promise<unknown> | undefined
    let failure: unknown
    try {
      if (!cancellation) return await client.query(statement)
      if (cancellation.isCancelled) throw new StatementCancelled()
      return await cancellation.track(client.query(statement), () => {
        cancelling = this.#cancel(client)
      })
    } catch (error) {
      failure = error
      throw cancellation?.isCancelled && error instanceof pg.DatabaseError
        ? new StatementCancelled({ cause: error })
        : error
    } finally {
      // The cancellation must end before the next statement starts on this connection.
      await cancelling
      client.release(isConnectionLost(failure))
    }
  }

  async #cancel(client: object): Promise<void> {
    const pid = 'processID' in client ? client.processID : undefined
    try {
      await this.#canceller?.query('SELECT pg_cancel_backend($1)', [pid])
    } catch {
      // The statement ends without a cancellation, at the latest at its timeout.
    }
  }
}

/**
 * Returns the name of the server to which a client is connected.
 * @throws a `ConnectionError` if it is not the server of the change feed, and lets the feed connect again
 */
async function checkServer(client: pg.ClientBase, changeFeed: ChangeFeed): Promise<string | undefined> {
  const server = await readServerName(client)
  const followed = changeFeed.server()
  if (followed === undefined || server === undefined || server === followed) return server
  changeFeed.leaveFor(server)
  throw new ConnectionError('The address of the database leads to another server now')
}

/** An `error` event without a listener would end the process. The pool itself replaces the connection. */
function onIdleConnectionLost(): void {}

/** A client that traces its statements and reports their ends. */
function observedClient(onEnd: (end: StatementEnd) => void): new () => pg.ClientBase {
  return class extends DatabaseClient {
    // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
    override query(...args: any[]): any {
      return observed(args[0], () => Reflect.apply(super.query, this, args), onEnd)
    }
  }
}

async function observed<Result>(
  statement: string | pg.QueryConfig,
  send: () => Promise<Result>,
  onEnd: (end: StatementEnd) => void,
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
    onEnd({ durationMs: performance.now() - startMs, hasFailed })
  }
}
