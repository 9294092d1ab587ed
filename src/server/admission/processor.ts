import { FairQueue } from '../../database/fair-queue.ts'

/** A key begins one request at a time, because the last place is for another key. */
const PLACES = 2
/**
 * The turns of the event loop that a request has for its beginning. Most keep it busy for less than a millisecond, the worst for 15. A small
 * request needs five turns, so it waits for two beginnings of another key at most. A turn without work takes microseconds.
 */
const TURNS = 4
const TURN_TIMEOUT_MS = 15_000

/** Waits until a request of a key may begin work that keeps the processor busy. */
export type BeginWork = (keyId: string) => Promise<void>

/**
 * Shares the event loop fairly between keys. Of many requests of a key that arrive together, one begins in each fourth turn of the event
 * loop. So a request of another key that arrives meanwhile does not wait for all of them.
 * @returns a function that throws a `TurnTimeout` after 15 seconds
 */
export function shareProcessor(): BeginWork {
  const queue = new FairQueue({ places: PLACES, timeoutMs: TURN_TIMEOUT_MS })
  return async (keyId) => {
    afterTurns(TURNS, await queue.begin([keyId]))
  }
}

function afterTurns(count: number, run: () => void): void {
  setImmediate(count > 1 ? () => afterTurns(count - 1, run) : run)
}
