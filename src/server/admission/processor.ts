import { FairQueue } from '../../database/fair-queue.ts'

/** The number of requests that may begin in one turn of the event loop. Most keep it busy for less than a millisecond, the worst for 15. */
const PLACES = 1
const TURN_TIMEOUT_MS = 15_000

/** Waits until a request of a key may begin work that keeps the processor busy. */
export type BeginWork = (keyId: string) => Promise<void>

/**
 * Shares the event loop fairly between keys. Of many requests that arrive together, one begins in each turn of the event loop. So a request
 * of another key that arrives meanwhile does not wait for all of them.
 * @returns a function that throws a `TurnTimeout` after 15 seconds
 */
export function shareProcessor(): BeginWork {
  const queue = new FairQueue({ places: PLACES, timeoutMs: TURN_TIMEOUT_MS })
  return async (keyId) => {
    setImmediate(await queue.begin([keyId]))
  }
}
