import type { Config } from '../../config.ts'

/**
 * The configuration of one worker. A limit for all workers together is divided among them.
 * @param index of the worker, from 0
 */
export function configOfWorker(config: Config, index: number): Config {
  const share = (total: number) => shareOf(total, config.workers, index)
  const { database, limits } = config
  return {
    ...config,
    database: { ...database, poolSize: share(database.poolSize) },
    limits: { ...limits, maxInFlight: share(limits.maxInFlight), unreadBytes: share(limits.unreadBytes) },
    responseCacheBytes: share(config.responseCacheBytes),
  }
}

/** Divides a whole number into `count` parts that differ by at most 1. Returns the part at `index`. */
function shareOf(total: number, count: number, index: number): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0)
}
