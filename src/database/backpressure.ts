import { CatalogError } from '../errors.ts'

/** Does work that takes the database, or refuses it. */
export type Backpressure = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Refuses at once what is beyond the number of requests that wait for the database: a queue would only make all of them late, and
 * grow. Answers that are kept take no room, and are given all the same.
 * @throws `SERVICE_UNAVAILABLE`; the refused may try again in a second
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
