import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { loadSampleData } from '../../src/sample/load.ts'
import { createApp } from '../../src/server/app.ts'

/*
 * Prints the files of src/ that run during one request without a cached response: those with a function that V8 counts.
 *
 *   node test/bench/files-of-a-request.ts [/v1/datasets/seoul-landmarks/items?limit=5]
 */

const [path = '/v1/datasets/seoul-landmarks/items?limit=5'] = process.argv.slice(2)
const config = readConfig({ DATA_DIR: 'memory://' })
const database = await openDatabase(config.database, { share: false })
await database.withSession(migrate)
const key = await loadSampleData(database)
const app = await createApp({ database, corsOrigins: [], responseCacheBytes: 0, limits: config.limits })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const ask = async () => (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).text()
// The first requests load modules, find the key and prepare the statement.
for (let n = 0; n < 5; n += 1) await ask()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await ask()
const { result } = await session.post('Profiler.takePreciseCoverage')
const root = fileURLToPath(new URL('../../src/', import.meta.url))
const files = result
  .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(root))
  .map(({ url, functions }) => ({
    file: relative(root, fileURLToPath(url)),
    calls: functions.filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0).length,
  }))
  .filter(({ file, calls }) => calls > 0 && !file.startsWith('generated/'))
for (const { file, calls } of files) process.stdout.write(`${file}: ${calls} functions\n`)
process.stdout.write(`${files.length} files\n`)
await app.close()
await database.close()
