import { RateLimiterMemory } from 'rate-limiter-flexible'
import { CatalogError } from '../errors.ts'

const WINDOW_SECONDS = 60

/** Counts the requests of keys in this process and throws `RATE_LIMITED` for one too many within a minute. */
export function createRateLimiter(): (keyId: string, requestsPerMinute: number) => Promise<void> {
  // Limits differ by key, so the limiter only counts.
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS })
  return async (keyId, requestsPerMinute) => {
    const { consumedPoints, msBeforeNext } = await counter.consume(keyId)
    if (consumedPoints <= requestsPerMinute) return
    throw new CatalogError('RATE_LIMITED', `This API key may make ${requestsPerMinute} requests a minute`, {
      retryAfterSeconds: Math.ceil(msBeforeNext / 1000),
    })
  }
}
