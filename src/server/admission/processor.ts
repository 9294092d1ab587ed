import { FairQueue } from '../../database/fair-queue.ts'

/** Parts of work that may begin in one turn of the event loop. Most take less than a millisecond, and the worst ten. */
const PLACES = 8
const TURN_TIMEOUT_MS = 15_000

/** Waits until a key may begin work that keeps the processor busy. */
export type BeginWork = (keyId: string) => Promise<void>

/**
 * Shares out the event loop fairly between keys: of many requests that arrive together, only a few begin in one turn of the event loop.
 * So a request of another key that arrives meanwhile need not wait for all of them.
 * @returns a function that throws a `TurnTimeout`
 */
export function shareProcessor(): BeginWork {
  const queue = new FairQueue({ places: PLACES, timeoutMs: TURN_TIMEOUT_MS })
  return async (keyId) => {
    setImmediate(await queue.begin([keyId]))
  }
}
