import { Redis } from 'ioredis'
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible'

const WINDOW_SECONDS = 60

/** What a caller may do in a window, and how much of it is left. */
export interface Allowance {
  /** Requests in a window. */
  limit: number
  windowSeconds: number
  remaining: number
  /** Until the window is over. */
  resetSeconds: number
  isExceeded: boolean
}

/** Counts what callers do within a minute. */
export interface RateLimits {
  /** Counts a request of an API key. */
  countRequest: (keyId: string, requestsPerMinute: number) => Promise<Allowance>
  /** Counts a request from an address that was refused for its key. */
  countRefusal: (address: string) => Promise<Allowance>
  close: () => void
}

interface RateLimitOptions {
  refusalsPerMinute: number
  /** Where instances count together; without it, or while it is away, each counts by itself. */
  redisUrl?: string | undefined
  /** Is told once that Redis is away, and once that it is back. */
  report: (message: string) => void
}

/** Opens the counters; they connect by themselves. */
export function openRateLimits({ refusalsPerMinute, redisUrl, report }: RateLimitOptions): RateLimits {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, report)
  const requests = createCounter('catalog:requests', redis)
  const refusals = createCounter('catalog:refusals', redis)
  return {
    countRequest: (keyId, requestsPerMinute) => count(requests, keyId, requestsPerMinute),
    countRefusal: (address) => count(refusals, networkOf(address), refusalsPerMinute),
    close: () => redis?.disconnect(),
  }
}

function connect(url: string, report: (message: string) => void): Redis {
  // A request is not to wait for Redis: what can't be sent at once is counted here.
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

/** Asks Redis whether it is there; throws where it is not. */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  // What is wrong is told by `connect`.
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}

/** Limits differ by key, so the limiter only counts. */
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
    resetSeconds: Math.ceil(msBeforeNext / 1000),
    isExceeded: consumedPoints > limit,
  }
}

/** An IPv4 address, or the network of 64 bits that an IPv6 address is in: who has one has all of them. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end]
  return `${groups.slice(0, 4).join(':')}::/64`
}
