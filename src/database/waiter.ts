import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * A statement that nobody waits for is cancelled: nobody would read its answer, and others could use its connection.
 */

/** Who waits for statements, until it goes. (An AbortSignal is the standard for this, at five times the price.) */
export class Waiter {
  #hasGone = false
  readonly #cancels = new Set<() => void>()

  get hasGone(): boolean {
    return this.#hasGone
  }

  /** Cancels what is under way, and all that is yet to come. */
  leave(): void {
    this.#hasGone = true
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

const waiters = new AsyncLocalStorage<Waiter>()

/** Who waits for what is run now, undefined where it is nobody in particular. */
export function currentWaiter(): Waiter | undefined {
  return waiters.getStore()
}

/** Runs what one waits for; its statements are cancelled once it has gone. */
export function whileWanted<Result>(waiter: Waiter, run: () => Result): Result {
  return waiters.run(waiter, run)
}

/** Runs what is for several, whoever of them came first. */
export function forMany<Result>(run: () => Result): Result {
  return waiters.exit(run)
}

/** What a statement that is not sent fails with. */
export const GIVEN_UP = 'Nobody waits for the statement'
