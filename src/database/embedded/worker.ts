import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { type Extension, PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { z } from 'zod'
import { serveWire } from './wire.ts'

/*
 * Runs PostgreSQL in WebAssembly, in a separate thread. A long query or a full disk blocks this thread, but not the HTTP server.
 */

/** The part of PostGIS that is used here (prisma/postgis.js writes it). The complete package works too, but starts slower. */
const BUNDLE = new URL('../../generated/postgis.tar.gz', import.meta.url)

const leanPostgis: Extension = {
  name: 'postgis',
  setup: async (pg, options) => {
    const complete = await postgis.setup(pg, options)
    return existsSync(BUNDLE) ? { ...complete, bundlePath: BUNDLE } : complete
  },
}

const { dataDir, socketPath } = z.object({ dataDir: z.string(), socketPath: z.string() }).parse(workerData)

const pglite = await PGlite.create({ dataDir, extensions: { postgis: leanPostgis } })
await pglite.exec(`SET timezone = 'UTC'; SET jit = off`)
// A worker that ended unexpectedly leaves its socket behind.
await rm(socketPath, { force: true })
const server = await serveWire(pglite, socketPath)

parentPort?.once('message', (drainTimeoutMs: unknown) => {
  void closeAfterOthers(Date.now() + z.number().parse(drainTimeoutMs))
})
parentPort?.postMessage('ready')

/**
 * Waits until other processes have disconnected, but at most until `deadline` (milliseconds since the epoch). Then ends the
 * thread.
 */
async function closeAfterOthers(deadline: number): Promise<void> {
  while (Date.now() < deadline && (await promisify(server.getConnections.bind(server))()) > 0) await sleep(20)
  server.close()
  await pglite.close()
  process.exit()
}
