import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * A statement that nobody waits for is cancelled: nobody would read its answer, and others could use its connection.
 */

/** Who waits for statements, until it goes. (An AbortSignal is the standard for this, at five times the price.) */
export class Cancellation {
  #isCancelled = false
  readonly #cancels = new Set<() => void>()

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Cancels what is under way, and all that is yet to come. */
  leave(): void {
    this.#isCancelled = true
    for (const cancel of this.#cancels) cancel()
  }

  /** Runs a statement; `cancel` is called if the waiter goes meanwhile. */
  async wait<Result>(statement: Promise<Result>, cancel: () => void): Promise<Result> {
    this.#cancels.add(cancel)
    try {
      return await statement
    } finally {
      this.#cancels.delete(cancel)
    }
  }
}

const cancellations = new AsyncLocalStorage<Cancellation>()

/** Who waits for what is run now, undefined where it is nobody in particular. */
export function currentCancellation(): Cancellation | undefined {
  return cancellations.getStore()
}

/** Runs what one waits for; its statements are cancelled once it has gone. */
export function withCancellation<Result>(cancellation: Cancellation, run: () => Result): Result {
  return cancellations.run(cancellation, run)
}

/** Runs what is for several, whoever of them came first. */
export function withoutCancellation<Result>(run: () => Result): Result {
  return cancellations.exit(run)
}

/** What a statement that is not sent fails with. */
export const STATEMENT_CANCELLED = 'Nobody waits for the statement'
