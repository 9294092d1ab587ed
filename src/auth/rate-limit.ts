import { Redis } from 'ioredis'
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible'
import { messageOf, operationFailed } from '../errors/errors.ts'

const WINDOW_SECONDS = 60

/** A limit, and how much of it is left in the current window. */
export interface Allowance {
  /** The maximum number in a window. */
  limit: number
  windowSeconds: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
  isExceeded: boolean
}

/** Counts requests and items per minute. */
export interface RateLimits {
  /** Counts a request with an API key. */
  countRequest: (keyId: string, requestsPerMinute: number) => Promise<Allowance>
  /** Counts items that a key received; with none, returns what is left. */
  countItems: (keyId: string, itemsPerMinute: number, items: number) => Promise<Allowance>
  /** Counts a request that was refused because it had no valid API key. `network` is the client's network (proxies.ts). */
  countRefusal: (network: string) => Promise<Allowance>
  close: () => void
}

interface RateLimitOptions {
  refusalsPerMinute: number
  /** A Redis server with the counts of all instances. Without it, or while it is unavailable, each instance counts alone. */
  redisUrl?: string | undefined
  /** Called with a message when Redis becomes unavailable, and when it is available again. */
  report: (message: string) => void
}

/** Creates the counters. They connect to Redis in the background. */
export function openRateLimits({ refusalsPerMinute, redisUrl, report }: RateLimitOptions): RateLimits {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, report)
  const requests = createCounter('catalog:requests', redis)
  const received = createCounter('catalog:items', redis)
  const refusals = createCounter('catalog:refusals', redis)
  return {
    countRequest: (keyId, requestsPerMinute) => count(requests, keyId, requestsPerMinute),
    countItems: (keyId, itemsPerMinute, items) => count(received, keyId, itemsPerMinute, items),
    countRefusal: (network) => count(refusals, network, refusalsPerMinute),
    close: () => redis?.disconnect(),
  }
}

function connect(url: string, report: (message: string) => void): Redis {
  // No request waits for Redis. If a count can't be sent at once, this process counts the request.
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 200 })
  let isUnavailable = false
  redis.on('error', () => {
    if (!isUnavailable) report('REDIS_URL is unavailable: each instance counts its requests alone')
    isUnavailable = true
  })
  redis.on('ready', () => {
    if (isUnavailable) report('REDIS_URL is available again: all instances count together')
    isUnavailable = false
  })
  return redis
}

/**
 * Checks that Redis answers.
 * @throws an error with the address and the reason if it does not
 */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  // `connect` throws only that the connection is closed. Without a listener, ioredis would print the reason.
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason = error
  })
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    const { host, port } = redis.options
    throw operationFailed(`Redis at ${host}:${port} does not answer: ${messageOf(reason ?? error)}`, error)
  } finally {
    redis.disconnect()
  }
}

/** Only counts, because each key has a different limit. */
function createCounter(keyPrefix: string, redis: Redis | undefined): RateLimiterAbstract {
  const options: IRateLimiterOptions = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS, keyPrefix }
  const memory = new RateLimiterMemory(options)
  return redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory }) : memory
}

async function count(counter: RateLimiterAbstract, name: string, limit: number, points = 1): Promise<Allowance> {
  const { consumedPoints, msBeforeNext } = await counter.consume(name, points)
  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    remaining: Math.max(0, limit - consumedPoints),
    // If the clock is set back, `msBeforeNext` can be longer than the window.
    resetSeconds: Math.min(WINDOW_SECONDS, Math.ceil(msBeforeNext / 1000)),
    isExceeded: consumedPoints > limit,
  }
}
