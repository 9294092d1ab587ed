import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { messageOf } from '../../errors.ts'

/*
 * PGlite is one PostgreSQL session. This lets many clients speak to it over a socket, as a pooler in transaction mode
 * would: a client holds the session from the first message of a batch until the server says that it is idle again.
 * (@electric-sql/pglite-socket hands over single messages, so that one client's Bind can meet another client's Parse.)
 * Messages: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

const STARTUP_CODE = { protocol3: 196608, cancel: 80877102, ssl: 80877103, gssEncryption: 80877104 } as const
const MESSAGE = {
  query: 0x51,
  sync: 0x53,
  terminate: 0x58,
  notification: 0x41,
  readyForQuery: 0x5a,
  idle: 0x49,
} as const

/** A client that leaves a transaction open for this long is cut off, or it would hold up everybody. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000

/** Serves the one session of `pglite` to any number of clients on the Unix socket `path`. */
export async function serveWire(pglite: PGlite, path: string): Promise<Server> {
  const session = new Turns()
  const clients = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    void serveClient(pglite, session, socket, clients).finally(() => {
      clients.delete(socket)
      socket.destroy()
    })
  })
  server.listen(path)
  await once(server, 'listening')
  return server
}

async function serveClient(pglite: PGlite, session: Turns, socket: Socket, clients: Set<Socket>): Promise<void> {
  let endTurn: (() => void) | undefined
  socket.setTimeout(0)
  socket.on('timeout', () => socket.destroy())
  try {
    for await (const batch of batches(socket)) {
      endTurn ??= await session.take()
      const { answer, notifications } = await execute(pglite, batch)
      socket.write(answer)
      clients.add(socket)
      // The session hears what any of its clients listens to, and a client must expect to hear at any time.
      for (const client of notifications.length > 0 ? clients : []) client.write(notifications)
      if (isIdle(answer)) {
        endTurn()
        endTurn = undefined
      }
      socket.setTimeout(endTurn ? IDLE_IN_TRANSACTION_TIMEOUT_MS : 0)
    }
  } catch (error) {
    // A client that is gone in the middle of a message has nobody left to answer.
    if (error instanceof SessionLost || !socket.destroyed) throw error
  } finally {
    if (endTurn) await pglite.exec('ROLLBACK').finally(endTurn)
  }
}

/** PostgreSQL itself has failed, and its thread ends with this: nothing it would answer from now on is to be trusted. */
class SessionLost extends Error {}

async function execute(pglite: PGlite, batch: Uint8Array): Promise<Output> {
  const output = await pglite.execProtocolRaw(batch, { syncToFs: true }).catch((cause: unknown) => {
    throw new SessionLost(`PostgreSQL failed: ${messageOf(cause)}`, { cause })
  })
  const sorted = sortOut(output)
  if (sorted.answer.at(-6) !== MESSAGE.readyForQuery) throw new SessionLost('PostgreSQL broke off in its answer')
  return sorted
}

/** First come, first served. */
class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Waits for its turn and gives the function that ends it. */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}

/** The messages of a client, cut where it waits for an answer: the startup message, then each Query or Sync. */
async function* batches(socket: Socket): AsyncGenerator<Uint8Array> {
  let received = Buffer.alloc(0)
  let checked = 0
  let started = false
  for await (const chunk of socket) {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    while (!started && received.length >= 8) {
      const code = received.readInt32BE(4)
      if (code === STARTUP_CODE.cancel) return
      const length = received.readInt32BE(0)
      if (received.length < length) break
      if (code === STARTUP_CODE.protocol3) {
        started = true
        yield received.subarray(0, length)
      } else if (code === STARTUP_CODE.ssl || code === STARTUP_CODE.gssEncryption) {
        socket.write('N')
      } else return
      received = received.subarray(length)
    }
    while (started && received.length >= checked + 5) {
      const type = received[checked]
      const end = checked + 1 + received.readInt32BE(checked + 1)
      if (received.length < end) break
      if (type === MESSAGE.terminate) return
      if (type === MESSAGE.query || type === MESSAGE.sync) {
        yield received.subarray(0, end)
        received = received.subarray(end)
        checked = 0
      } else checked = end
    }
  }
}

interface Output {
  /** For the client that asked. */
  answer: Uint8Array
  /** For all. */
  notifications: Uint8Array
}

function sortOut(output: Uint8Array): Output {
  const view = Buffer.from(output.buffer, output.byteOffset, output.byteLength)
  const answer: Buffer[] = []
  const notifications: Buffer[] = []
  for (let start = 0, end = 0; start < view.length; start = end) {
    end = start + 1 + view.readInt32BE(start + 1)
    const kind = view[start] === MESSAGE.notification ? notifications : answer
    kind.push(view.subarray(start, end))
  }
  if (notifications.length === 0) return { answer: output, notifications: Buffer.alloc(0) }
  return { answer: Buffer.concat(answer), notifications: Buffer.concat(notifications) }
}

/** Whether an answer, whose end is ReadyForQuery, was given outside of a transaction. */
function isIdle(answer: Uint8Array): boolean {
  return answer.at(-1) === MESSAGE.idle
}
