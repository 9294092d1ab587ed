import { FairQueue } from '../../database/fair-queue.ts'

/** The number of keys of which a request may begin in one turn of the event loop. The last place is for a key that begins nothing else. */
const PLACES = 2
const TURN_TIMEOUT_MS = 15_000

/** A request that keeps the processor busy for this long at its beginning is large. Lists take 0.1 ms, a GraphQL document up to 15. */
const LARGE_MS = 1

/** Waits until a request of a key may begin work that keeps the processor busy. */
export type BeginWork = (keyId: string) => Promise<void>

/**
 * Shares the event loop fairly between keys. Of many requests that a key sends together, one begins in each turn of the event loop. While
 * other keys are active, a key pauses after the beginning of a large request for as long as it took. A small request needs five turns of
 * the event loop, so otherwise it would wait for five large ones.
 * @returns a function that throws a `TurnTimeout` after 15 seconds
 */
export function shareProcessor(): BeginWork {
  const queue = new FairQueue({ places: PLACES, timeoutMs: TURN_TIMEOUT_MS })
  return async (keyId) => {
    const end = await queue.begin([keyId])
    const startMs = performance.now()
    let busyMs = 0
    // Node runs it when the request waits for the first time.
    process.nextTick(() => {
      busyMs = performance.now() - startMs
    })
    setImmediate(() => {
      if (busyMs > LARGE_MS && queue.isShared([keyId])) setTimeout(end, busyMs)
      else end()
    })
  }
}
