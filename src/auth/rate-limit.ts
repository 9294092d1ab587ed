import { Redis } from 'ioredis'
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible'

const WINDOW_SECONDS = 60

/** A request limit, and how much of it is left in the current window. */
export interface Allowance {
  /** The maximum number of requests in a window. */
  limit: number
  windowSeconds: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
  isExceeded: boolean
}

/** Counts requests per minute. */
export interface RateLimits {
  /** Counts a request with an API key. */
  countRequest: (keyId: string, requestsPerMinute: number) => Promise<Allowance>
  /** Counts a request that was refused because it had no valid API key. `network` is that of the client (proxies.ts). */
  countRefusal: (network: string) => Promise<Allowance>
  close: () => void
}

interface RateLimitOptions {
  refusalsPerMinute: number
  /** A Redis server that holds the counts of all instances. Without it, or while it is away, each instance counts alone. */
  redisUrl?: string | undefined
  /** Called when Redis goes away and when it is back. */
  report: (message: string) => void
}

/** Opens the counters. They connect to Redis in the background. */
export function openRateLimits({ refusalsPerMinute, redisUrl, report }: RateLimitOptions): RateLimits {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, report)
  const requests = createCounter('catalog:requests', redis)
  const refusals = createCounter('catalog:refusals', redis)
  return {
    countRequest: (keyId, requestsPerMinute) => count(requests, keyId, requestsPerMinute),
    countRefusal: (network) => count(refusals, network, refusalsPerMinute),
    close: () => redis?.disconnect(),
  }
}

function connect(url: string, report: (message: string) => void): Redis {
  // No request waits for Redis: a count that can't be sent at once is made in this process.
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 200 })
  let isAway = false
  redis.on('error', () => {
    if (!isAway) report('REDIS_URL is away: requests are counted by each instance')
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) report('REDIS_URL is back: requests are counted together')
    isAway = false
  })
  return redis
}

/** Checks that Redis answers. @throws the connection error if it does not */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  // ioredis would print the error without a listener; `connect` throws it too.
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}

/** The limiter only counts, because each key has another limit. */
function createCounter(keyPrefix: string, redis: Redis | undefined): RateLimiterAbstract {
  const options: IRateLimiterOptions = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS, keyPrefix }
  const memory = new RateLimiterMemory(options)
  return redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory }) : memory
}

async function count(counter: RateLimiterAbstract, name: string, limit: number): Promise<Allowance> {
  const { consumedPoints, msBeforeNext } = await counter.consume(name)
  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    remaining: Math.max(0, limit - consumedPoints),
    // A clock that goes back would make it longer.
    resetSeconds: Math.min(WINDOW_SECONDS, Math.ceil(msBeforeNext / 1000)),
    isExceeded: consumedPoints > limit,
  }
}
