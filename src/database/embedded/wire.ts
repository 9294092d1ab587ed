import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { messageOf } from '../../errors.ts'

/*
 * PGlite has one PostgreSQL session. This server shares it between many clients over a socket, like a connection pooler in
 * transaction mode: a client has the session from the first message of a batch until PostgreSQL reports that it is idle.
 * @electric-sql/pglite-socket is not used, because it switches clients between single messages: one client's Bind can then use
 * another client's Parse.
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

/** A client that leaves a transaction open for this long is disconnected, because all other clients wait for it. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000

/** Serves the session of `pglite` to any number of clients on the Unix socket `path`. */
export async function serveWire(pglite: PGlite, path: string): Promise<Server> {
  const session = new SessionQueue()
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

async function serveClient(pglite: PGlite, session: SessionQueue, socket: Socket, clients: Set<Socket>): Promise<void> {
  let release: (() => void) | undefined
  socket.setTimeout(0)
  socket.on('timeout', () => socket.destroy())
  try {
    for await (const batch of batches(socket)) {
      release ??= await session.acquire()
      const { answer, notifications } = await execute(pglite, batch)
      socket.write(answer)
      clients.add(socket)
      // All clients share the session and its LISTEN, so each of them gets all notifications. The protocol allows them at any
      // time.
      for (const client of notifications.length > 0 ? clients : []) client.write(notifications)
      if (isIdle(answer)) {
        release()
        release = undefined
      }
      socket.setTimeout(release ? IDLE_IN_TRANSACTION_TIMEOUT_MS : 0)
    }
  } catch (error) {
    // A client that disconnected in the middle of a message needs no answer.
    if (error instanceof SessionLost || !socket.destroyed) throw error
  } finally {
    if (release) await pglite.exec('ROLLBACK').finally(release)
  }
}

/** The error of a failure in PostgreSQL itself. It ends the worker, because no later answer would be reliable. */
class SessionLost extends Error {}

async function execute(pglite: PGlite, batch: Uint8Array): Promise<Output> {
  const output = await pglite.execProtocolRaw(batch, { syncToFs: true }).catch((cause: unknown) => {
    throw new SessionLost(`PostgreSQL failed: ${messageOf(cause)}`, { cause })
  })
  const split = splitNotifications(output)
  if (split.answer.at(-6) !== MESSAGE.readyForQuery) throw new SessionLost('PostgreSQL sent an incomplete answer')
  return split
}

/** A queue for the session, first come, first served. */
class SessionQueue {
  #last: Promise<void> = Promise.resolve()

  /** Waits until the session is free, and returns a function that releases it. */
  async acquire(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}

/**
 * Yields the messages of a client in batches. A batch ends where the client waits for an answer: after the startup message, a
 * Query or a Sync.
 */
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
  /** The messages for the client that sent the batch. */
  answer: Uint8Array
  /** The notifications, which go to all clients. */
  notifications: Uint8Array
}

function splitNotifications(output: Uint8Array): Output {
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

/** Whether an answer ends with a ReadyForQuery message that says that no transaction is open. */
function isIdle(answer: Uint8Array): boolean {
  return answer.at(-1) === MESSAGE.idle
}
