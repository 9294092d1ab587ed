import { CatalogError } from '../errors.ts'

/** Runs work that uses the database, or refuses it with an error. */
export type Backpressure = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Limits how many requests use the database at the same time. It refuses the others, because a queue would grow and delay every
 * request. Cached responses do not count.
 * @returns a function that throws `SERVICE_UNAVAILABLE`, with a retry after one second, above the limit
 */
export function limitInFlight(maxInFlight: number): Backpressure {
  let inFlight = 0
  return async (work) => {
    if (inFlight >= maxInFlight) {
      throw new CatalogError('SERVICE_UNAVAILABLE', 'Too many requests at once; try again', { retryAfterSeconds: 1 })
    }
    inFlight += 1
    try {
      return await work()
    } finally {
      inFlight -= 1
    }
  }
}
