import { readConfig } from '../../src/config/config.ts'
import type { ChangeFeed } from '../../src/database/change-feed.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createApp } from '../../src/server/app.ts'
import type { TestDatabase } from './database.ts'
import { type DatabaseProxy, openProxy } from './proxy.ts'

/** A gateway in this process whose connections to PostgreSQL go through a proxy that can fail. */
export interface ProxiedGateway {
  url: string
  /** The gateway's connections. */
  database: Database
  changeFeed: ChangeFeed
  proxy: DatabaseProxy
  close: () => Promise<void>
}

/** Starts the gateway on a free port. The default pool and timeouts are those of the test database. */
export async function startProxiedGateway(
  { config }: TestDatabase,
  options: { poolSize?: number; connectTimeoutMs?: number; statementTimeoutMs?: number } = {},
): Promise<ProxiedGateway> {
  if (config.kind !== 'postgres') throw new TypeError('A proxy needs a PostgreSQL server')
  const proxy = await openProxy(config.url)
  const database = await openDatabase({ ...config, ...options, url: proxy.url }, { share: false })
  const { responseCacheBytes, limits } = readConfig({})
  const changeFeed = database.followChanges()
  const app = await createApp({
    database: { ...database, followChanges: () => changeFeed },
    ...{ corsOrigins: [], responseCacheBytes, limits },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const close = async () => {
    await app.close()
    await database.close()
    await proxy.close()
  }
  return { url, database, changeFeed, proxy, close }
}
