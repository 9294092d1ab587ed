import type { Config } from '../config/config.ts'

/**
 * The configuration of one worker. A limit for all workers together is divided among them, into whole numbers that differ by at most 1.
 * @param index of the worker, from 0
 */
export function configOfWorker(config: Config, index: number): Config {
  const { database, limits, workers } = config
  const share = (total: number) => Math.floor(total / workers) + (index < total % workers ? 1 : 0)
  return {
    ...config,
    database: { ...database, poolSize: share(database.poolSize) },
    limits: { ...limits, maxInFlight: share(limits.maxInFlight), unreadBytes: share(limits.unreadBytes) },
    responseCacheBytes: share(config.responseCacheBytes),
  }
}
