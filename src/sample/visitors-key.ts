import { generateKey } from '../auth/api-key.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/url.ts'
import { databaseExists } from '../database/database.ts'

const DAY_MS = 86_400_000

/**
 * Adds a key for visitors, for a day, if this start makes an embedded database with the sample, which only this machine can reach. Only the process
 * knows it, so no later start opens the public datasets by itself.
 */
export function withVisitorsKey(config: Config): Config {
  const { database, sampleData, host, publicKey, basePath, trustedProxies, corsOrigins } = {
    ...config,
    ...config.limits,
  }
  const isFirst = database.kind === 'embedded' && sampleData && !databaseExists(database)
  const isOpen = !isLoopback(host) || basePath !== '' || trustedProxies.length > 0 || corsOrigins.length > 0
  return isFirst && !isOpen && publicKey === undefined
    ? { ...config, visitorsKey: { secret: generateKey(), endsAtMs: Date.now() + DAY_MS } }
    : config
}
