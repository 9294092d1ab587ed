import { CatalogError } from '../../errors.ts'

/** Milliseconds in which a request must have read the catalog. For an export the limit ends with its first batch. */
export const READ_TIMEOUT_MS = 15_000

/**
 * The result of work, if it settles within `timeMs`.
 * @param stop is called after that time
 * @throws `SERVICE_UNAVAILABLE` after that time
 */
export function withinTime<Result>(work: Promise<Result>, timeMs: number, stop: () => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new CatalogError('SERVICE_UNAVAILABLE', `The operation took longer than ${timeMs} ms`, {
          retryAfterSeconds: 1,
        }),
      )
      stop()
    }, timeMs)
    const end = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    }
    work.then(end(resolve), end(reject))
  })
}
