import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { z } from 'zod'
import { serveWire } from './wire.ts'

/*
 * PostgreSQL in WebAssembly, in a thread of its own: a long query, or a full disk, blocks this thread and not the one
 * that answers HTTP.
 */

const { dataDir, socketPath } = z.object({ dataDir: z.string(), socketPath: z.string() }).parse(workerData)

const pglite = await PGlite.create({ dataDir, extensions: { postgis } })
await pglite.exec(`SET timezone = 'UTC'; SET jit = off`)
const server = await serveWire(pglite, socketPath)

parentPort?.once('message', () => {
  server.close()
  void pglite.close().then(() => process.exit())
})
parentPort?.postMessage('ready')
