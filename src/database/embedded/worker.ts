import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
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
// One before us may have left its socket.
await rm(socketPath, { force: true })
const server = await serveWire(pglite, socketPath)

parentPort?.once('message', (patienceMs: unknown) => {
  void closeAfterVisitors(Date.now() + z.number().parse(patienceMs))
})
parentPort?.postMessage('ready')

/** Lets commands of other processes finish that came in through this one, until `deadline` (milliseconds). */
async function closeAfterVisitors(deadline: number): Promise<void> {
  while (Date.now() < deadline && (await promisify(server.getConnections.bind(server))()) > 0) await sleep(20)
  server.close()
  await pglite.close()
  process.exit()
}
