import { CatalogError } from '../errors.ts'
import { FairShare } from './fair-share.ts'

/** Runs work of an API key that uses the database, or refuses it with an error. */
export type Backpressure = <Result>(keyId: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Limits how many requests use the database at the same time. It refuses the others, because a queue would grow and delay every
 * request. A key may have as many as places are free, so it never takes the places of others. Cached responses do not count.
 * @returns a function that throws `SERVICE_UNAVAILABLE`, with a retry after one second, above the limit
 */
export function limitInFlight(maxInFlight: number): Backpressure {
  const places = new FairShare(maxInFlight)
  return async (keyId, work) => {
    if (!places.hasRoom(keyId, 1)) {
      throw new CatalogError('SERVICE_UNAVAILABLE', 'Too many requests at once; try again', { retryAfterSeconds: 1 })
    }
    places.add(keyId, 1)
    try {
      return await work()
    } finally {
      places.add(keyId, -1)
    }
  }
}
