import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { inSpan, isTracing } from '../tracing.ts'
import { currentCancellation, STATEMENT_CANCELLED } from './cancellation.ts'

const ignore = () => {}

/** How an SQL statement ended. */
export interface StatementEnd {
  durationMs: number
  hasFailed: boolean
}

/** How many connections there are, and statements that wait for one. */
export interface PoolUse {
  idle: number
  busy: number
  waiting: number
}

interface CatalogPoolOptions extends pg.PoolConfig {
  /** Whether statements can be cancelled, by a connection beside theirs. */
  cancels: boolean
  /** Whether `failures` are counted. */
  countsFailures?: boolean
  /** Is told of each statement. */
  observe?: ((end: StatementEnd) => void) | undefined
}

/** A pool that cancels what nobody waits for any more. A transaction's statements have a connection of their own, and go on. */
export class CatalogPool extends pg.Pool {
  /** One connection for all, as clients may go in crowds. */
  readonly #canceller: pg.Pool | undefined
  readonly #count: { failures: number }

  constructor({ cancels, countsFailures = false, observe, ...options }: CatalogPoolOptions) {
    const count = { failures: 0 }
    const note = (end: StatementEnd) => {
      if (end.hasFailed) count.failures += 1
      observe?.(end)
    }
    const isObserved = countsFailures || observe !== undefined || isTracing()
    super({ ...options, ...(isObserved && { Client: observedClient(note) }) })
    this.#count = count
    this.#canceller = cancels ? new pg.Pool({ ...options, max: 1 }) : undefined
    this.#canceller?.on('error', ignore)
  }

  /** How many statements have failed since the start, and connections that were wanted for one. */
  get failures(): number {
    return this.#count.failures
  }

  get use(): PoolUse {
    return { idle: this.idleCount, busy: this.totalCount - this.idleCount, waiting: this.waitingCount }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
  override query(...args: any[]): any {
    return args.length === 1 ? this.#send(args[0]) : Reflect.apply(super.query, this, args)
  }

  override async end(): Promise<void> {
    await super.end()
    await this.#canceller?.end()
  }

  async #send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const cancellation = this.#canceller && currentCancellation()
    const client = await this.connect().catch((error: unknown) => {
      this.#count.failures += 1
      throw error
    })
    let cancelled: Promise<unknown> | undefined
    let failed: unknown
    // Without a listener the loss of the connection would end the process; the statement fails of it anyway.
    client.on('error', ignore)
    try {
      if (!cancellation) return await client.query(statement)
      if (cancellation.isCancelled) throw new Error(STATEMENT_CANCELLED)
      return await cancellation.wait(client.query(statement), () => {
        cancelled = this.#cancel(client)
      })
    } catch (error) {
      failed = error
      throw error
    } finally {
      client.off('error', ignore)
      // Nobody else is to get the connection while a cancellation is on its way to it.
      await cancelled
      // PostgreSQL's own errors have a severity, and leave the connection good.
      client.release(failed instanceof Error && failed.message !== STATEMENT_CANCELLED && !('severity' in failed))
    }
  }

  async #cancel(client: object): Promise<void> {
    const pid = 'processID' in client ? client.processID : undefined
    // The statement ends by itself, at the latest with its timeout.
    await this.#canceller?.query('SELECT pg_cancel_backend($1)', [pid]).catch(ignore)
  }
}

/** A client whose statements are spans of the trace, and told of at their ends. */
function observedClient(observe: (end: StatementEnd) => void): new () => pg.ClientBase {
  return class extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
    override query(...args: any[]): any {
      return observed(args[0], () => Reflect.apply(super.query, this, args), observe)
    }
  }
}

async function observed<Result>(
  statement: string | pg.QueryConfig,
  send: () => Promise<Result>,
  observe: (end: StatementEnd) => void,
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
    observe({ durationMs: performance.now() - startMs, hasFailed })
  }
}
