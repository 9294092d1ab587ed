import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/*
 * A statement whose asker has gone is cancelled: nobody would read its answer, and others could use its connection.
 */

const askers = new AsyncLocalStorage<AbortSignal>()

/** Runs what one asker wants; its statements are cancelled once the signal is aborted. */
export function whileWanted<Result>(signal: AbortSignal, run: () => Result): Result {
  return askers.run(signal, run)
}

/** Runs what is for several askers, whoever of them came first. */
export function forMany<Result>(run: () => Result): Result {
  return askers.exit(run)
}

const ignore = () => {}

/** A pool that cancels what nobody waits for any more. A transaction's statements have a connection of their own, and go on. */
export class CancellingPool extends pg.Pool {
  /** One connection for all, as clients may go in crowds. */
  readonly #canceller: pg.Pool

  constructor(options: pg.PoolConfig) {
    super(options)
    this.#canceller = new pg.Pool({ ...options, max: 1 })
    this.#canceller.on('error', ignore)
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's `query` has six signatures, and all of them pass through here
  override query(...args: any[]): any {
    const [statement] = args
    const signal = askers.getStore()
    return signal && args.length === 1 ? this.#queryFor(signal, statement) : Reflect.apply(super.query, this, args)
  }

  override async end(): Promise<void> {
    await super.end()
    await this.#canceller.end()
  }

  async #queryFor(signal: AbortSignal, statement: pg.QueryConfig): Promise<pg.QueryResult> {
    signal.throwIfAborted()
    const client = await this.connect()
    let cancelled: Promise<unknown> | undefined
    const cancel = () => {
      cancelled = this.#cancel(client)
    }
    signal.addEventListener('abort', cancel, { once: true })
    // Without a listener the loss of the connection would end the process; the statement fails of it anyway.
    client.on('error', ignore)
    let failed: unknown
    try {
      return await client.query(statement)
    } catch (error) {
      failed = error
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
      client.off('error', ignore)
      // Nobody else is to get the connection while a cancellation is on its way to it.
      await cancelled
      // PostgreSQL's own errors have a severity, and leave the connection good.
      client.release(failed instanceof Error && !('severity' in failed))
    }
  }

  async #cancel(client: object): Promise<void> {
    const pid = 'processID' in client ? client.processID : undefined
    // The statement ends by itself, at the latest with its timeout.
    await this.#canceller.query('SELECT pg_cancel_backend($1)', [pid]).catch(ignore)
  }
}
