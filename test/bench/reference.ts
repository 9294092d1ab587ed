import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createApp } from '../../src/server/app.ts'

/*
 * Runs the gateway in its reference mode: no cache, totals by counting rows, nearby searches by plain PostGIS.
 *
 *   DATABASE_URL=… node test/bench/reference.ts
 */

const config = readConfig(process.env)
const database = await openDatabase(config.database, { share: true })
const { responseCacheBytes, limits } = config
const app = await createApp({ database, corsOrigins: [], responseCacheBytes, limits, isReference: true })
const url = await app.listen({ host: config.host, port: config.port })
process.stdout.write(`${url}\n`)
process.once('SIGTERM', async () => {
  await app.close()
  await database.close()
})
