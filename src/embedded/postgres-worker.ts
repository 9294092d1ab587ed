import { existsSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { type Extension, PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { z } from 'zod'
import { messageOf } from '../errors/errors.ts'
import { LEAN_POSTGIS } from './lean-postgis.ts'
import { CANCEL_FUNCTION, type PostgresRequest, postgresData, postgresRequest } from './postgres-thread.ts'
import { isComplete } from './protocol.ts'

/*
 * Runs PostgreSQL in WebAssembly. A statement blocks this thread until it ends or is cancelled, and a full disk blocks it for ever.
 */

/** The complete package works too, but starts slower. */
const leanPostgis: Extension = {
  name: 'postgis',
  setup: async (pg, options) => {
    const complete = await postgis.setup(pg, options)
    return existsSync(LEAN_POSTGIS) ? { ...complete, bundlePath: LEAN_POSTGIS } : complete
  },
}

const { dataDir, settings } = postgresData.parse(workerData)
const pglite = await PGlite.create({ dataDir, extensions: { postgis: leanPostgis } })
await pglite.exec(settings)

/** What PostgreSQL's signal handler for a cancellation sets. WebAssembly has no signals. */
const cancelFlags = ['_QueryCancelPending', '_InterruptPending'].map((name) =>
  z.number().parse(Reflect.get(pglite.Module, name)),
)
let requests = 0
let isRunning = false
Reflect.set(globalThis, CANCEL_FUNCTION, (n: number) => {
  if (isRunning && n === requests) for (const address of cancelFlags) pglite.Module.HEAP8[address] = 1
})

parentPort?.on('message', (message: unknown) => {
  requests += 1
  void handle(postgresRequest.parse(message))
})
parentPort?.postMessage('ready')

async function handle(request: PostgresRequest): Promise<void> {
  if (request === 'close') {
    await pglite.close()
    process.exit()
  }
  if (typeof request === 'string') {
    const response = await pglite.query(request).then(
      ({ rows }) => ({ rows }),
      (error: unknown) => ({ error: messageOf(error) }),
    )
    parentPort?.postMessage(response)
    return
  }
  // Only the bytes of the response are transferred, not the memory that they may be a part of.
  const response = (await execute(request)).slice()
  parentPort?.postMessage(response, [response.buffer])
}

/** An error here is a failure of PostgreSQL itself. It ends the thread, because no later response would be reliable. */
async function execute(batch: Uint8Array): Promise<Uint8Array> {
  isRunning = true
  // PGlite would keep what `execProtocolRaw` has returned for ever, as messages: some thousand exported items filled the heap.
  const { data: response } = await pglite
    .execProtocol(batch, { syncToFs: true, throwOnError: false })
    .catch((cause: unknown) => {
      throw new Error(`PostgreSQL failed: ${messageOf(cause)}`, { cause })
    })
  isRunning = false
  // A cancellation that came at the end must not hit the next request.
  for (const address of cancelFlags) pglite.Module.HEAP8[address] = 0
  if (!isComplete(response)) throw new Error('PostgreSQL sent an incomplete response')
  return response
}
