import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { copyDatabase } from './folder-copy.ts'
import { startPostgres } from './postgres-thread.ts'
import { type OpenCopy, Router } from './router.ts'
import { serveWire } from './wire.ts'

/*
 * Serves the embedded database on a socket. PostgreSQL itself runs in a thread of its own, so this one always answers.
 */

const { dataDir, copyDir, settings, socketPath } = z
  .object({ dataDir: z.string(), copyDir: z.string().optional(), settings: z.string(), socketPath: z.string() })
  .parse(workerData)

// A process that was killed leaves its copy behind.
if (copyDir !== undefined) await rm(copyDir, { recursive: true, force: true })
const postgres = await startPostgres({ dataDir, settings })
void postgres.ended.then((reason) => {
  throw new Error(reason)
})

const openCopy =
  (folder: string): OpenCopy =>
  async (primary) => {
    const remove = () => rm(folder, { recursive: true, force: true })
    try {
      await copyDatabase((text) => primary.query(text), dataDir, folder)
      const readOnly = `${settings}; SET default_transaction_read_only = on`
      const copy = await startPostgres({ dataDir: folder, settings: readOnly })
      return { ...copy, close: () => copy.close().then(remove) }
    } catch (error) {
      await remove()
      throw error
    }
  }

const router = new Router(postgres, {
  openCopy: copyDir === undefined ? undefined : openCopy(copyDir),
  report: (line) => parentPort?.postMessage({ report: line }),
})
// A worker that ended unexpectedly leaves its socket behind.
await rm(socketPath, { force: true })
const server = await serveWire(router, socketPath)

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
  await postgres.close()
  process.exit()
}
