import { RateLimiterMemory } from 'rate-limiter-flexible'
import { CatalogError } from '../errors.ts'

const WINDOW_SECONDS = 60

/** What a key must tell to be counted. */
interface LimitedKey {
  id: string
  requestsPerMinute: number | null
}

/** Counts the requests of keys in this process and throws `RATE_LIMITED` for one too many within a minute. */
export function createRateLimiter(): (key: LimitedKey) => Promise<void> {
  // Limits differ by key, so the limiter only counts.
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS })
  return async ({ id, requestsPerMinute }) => {
    if (requestsPerMinute === null) return
    const { consumedPoints, msBeforeNext } = await counter.consume(id)
    if (consumedPoints <= requestsPerMinute) return
    throw new CatalogError('RATE_LIMITED', `This API key may make ${requestsPerMinute} requests a minute`, {
      retryAfterSeconds: Math.ceil(msBeforeNext / 1000),
    })
  }
}
