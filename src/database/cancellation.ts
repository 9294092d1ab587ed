import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * When a client disconnects, the statements of its request are cancelled: nobody would read the result, and the connections are
 * free for other requests.
 */

/** Tracks the statements of one request and cancels them. (An AbortSignal would do the same at five times the cost.) */
export class Cancellation {
  #isCancelled = false
  readonly #cancels = new Set<() => void>()

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Cancels all statements that are running; the pool sends no further ones. */
  cancel(): void {
    this.#isCancelled = true
    for (const cancel of this.#cancels) cancel()
  }

  /**
   * Waits for a running statement.
   * @param cancelStatement is called if the request is cancelled before the statement ends
   */
  async track<Result>(statement: Promise<Result>, cancelStatement: () => void): Promise<Result> {
    this.#cancels.add(cancelStatement)
    try {
      return await statement
    } finally {
      this.#cancels.delete(cancelStatement)
    }
  }
}

const cancellations = new AsyncLocalStorage<Cancellation>()

/** The cancellation of the request for which the current code runs; undefined outside of requests. */
export function currentCancellation(): Cancellation | undefined {
  return cancellations.getStore()
}

/** Runs the work of one request; its statements can be cancelled through `cancellation`. */
export function withCancellation<Result>(cancellation: Cancellation, run: () => Result): Result {
  return cancellations.run(cancellation, run)
}

/** Runs work that several requests share; the end of one request does not cancel it. */
export function withoutCancellation<Result>(run: () => Result): Result {
  return cancellations.exit(run)
}

/** The code of `StatementCancelled`. SQLSTATE 57014 does not do: PostgreSQL uses it for statement timeouts too. */
export const CANCELLED = 'CANCELLED'

/** A statement was cancelled, or not sent, because its request was cancelled. */
export class StatementCancelled extends Error {
  readonly code = CANCELLED
  /** Prisma's adapter passes the code of an error on only if the error has a severity, as those of PostgreSQL have. */
  readonly severity = 'ERROR'

  constructor(options?: ErrorOptions) {
    super('The statement was cancelled because the client disconnected', options)
  }
}
