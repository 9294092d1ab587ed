import type { Socket } from 'node:net'

/*
 * The part of PostgreSQL's protocol that a pooler needs.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

const STARTUP_CODE = { protocol3: 196608, cancel: 80877102, ssl: 80877103, gssEncryption: 80877104 } as const
/** The response to a query without a statement, outside of a transaction: EmptyQueryResponse and ReadyForQuery. */
export const EMPTY_RESPONSE = Uint8Array.from([0x49, 0, 0, 0, 4, 0x5a, 0, 0, 0, 5, 0x49])

const MESSAGE = {
  query: 0x51,
  sync: 0x53,
  terminate: 0x58,
  notification: 0x41,
  notice: 0x4e,
  error: 0x45,
  backendKeyData: 0x4b,
  readyForQuery: 0x5a,
  idle: 0x49,
} as const

/** Bytes of the type and the length that begin a message. */
const HEADER_BYTES = 5

/** Messages that a client sends before it waits for a response. */
export interface Batch {
  bytes: Uint8Array
  isStartup: boolean
}

/**
 * Yields the messages of a client in batches. A batch ends where the client waits for a response: after the startup message, a
 * Query or a Sync. A cancel request is a batch too.
 */
export async function* batches(socket: Socket): AsyncGenerator<Batch> {
  let received = Buffer.alloc(0)
  let checked = 0
  let started = false
  for await (const chunk of socket) {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    while (!started && received.length >= 8) {
      const code = received.readInt32BE(4)
      const length = received.readInt32BE(0)
      if (received.length < length) break
      if (code === STARTUP_CODE.protocol3 || code === STARTUP_CODE.cancel) {
        started = true
        yield { bytes: received.subarray(0, length), isStartup: true }
      } else if (code === STARTUP_CODE.ssl || code === STARTUP_CODE.gssEncryption) {
        socket.write('N')
      } else return
      received = received.subarray(length)
    }
    while (started && received.length >= checked + HEADER_BYTES) {
      const type = received[checked]
      const end = checked + 1 + received.readInt32BE(checked + 1)
      if (received.length < end) break
      if (type === MESSAGE.terminate) return
      if (type === MESSAGE.query || type === MESSAGE.sync) {
        yield { bytes: received.subarray(0, end), isStartup: false }
        received = received.subarray(end)
        checked = 0
      } else checked = end
    }
  }
}

/** The value of a parameter in a startup message. */
export function startupParameter(startup: Uint8Array, name: string): string | undefined {
  const parts = asBuffer(startup).toString('utf8', 8).split('\0')
  // Names and values alternate.
  const place = parts.findIndex((part, n) => n % 2 === 0 && part === name)
  return place < 0 ? undefined : parts[place + 1]
}

/** What identifies a session in cancel requests. */
export interface BackendKey {
  processId: number
  secretKey: number
}

/** The session that a cancel request names; undefined for another message. */
export function cancelledBy(startup: Uint8Array): BackendKey | undefined {
  const view = asBuffer(startup)
  if (view.length !== 16 || view.readInt32BE(4) !== STARTUP_CODE.cancel) return undefined
  return { processId: view.readInt32BE(8), secretKey: view.readInt32BE(12) }
}

/** Returns the cancel request that names a session. */
export function cancelRequest({ processId, secretKey }: BackendKey): Buffer {
  const request = Buffer.alloc(16)
  ;[request.length, STARTUP_CODE.cancel, processId, secretKey].forEach((value, n) => {
    request.writeInt32BE(value, 4 * n)
  })
  return request
}

/** Returns the response to a startup message with another key of the session. */
export function withBackendKey(response: Uint8Array, { processId, secretKey }: BackendKey): Uint8Array {
  const messages = messagesOf(Uint8Array.from(response))
  const keyData = messages.find((message) => message[0] === MESSAGE.backendKeyData)
  keyData?.writeInt32BE(processId, HEADER_BYTES)
  keyData?.writeInt32BE(secretKey, HEADER_BYTES + 4)
  return Buffer.concat(messages)
}

/** Whether a batch is a single Query message with this text. */
export function isQuery(batch: Uint8Array, text: string): boolean {
  return (
    batch[0] === MESSAGE.query &&
    batch.length === HEADER_BYTES + text.length + 1 &&
    asBuffer(batch).toString('utf8', HEADER_BYTES, batch.length - 1) === text
  )
}

/** Returns a notice for a client, which can be sent at any time. Its SQLSTATE is none of PostgreSQL's. */
export function noticeOf(text: string): Uint8Array {
  const fields = Buffer.from(`SNOTICE\0C${WAITING}\0M${text}\0\0`)
  const notice = Buffer.alloc(HEADER_BYTES)
  notice[0] = MESSAGE.notice
  notice.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([notice, fields])
}

/** The SQLSTATE of a notice that says why a statement waits. */
export const WAITING = '0W000'

/** The first characters of a Query message; empty for another batch. */
export function queryOf(batch: Uint8Array): string {
  if (batch[0] !== MESSAGE.query) return ''
  return asBuffer(batch).toString('utf8', HEADER_BYTES, Math.min(batch.length - 1, HEADER_BYTES + 200))
}

const CREATE_TABLE = /^\s*CREATE TEMPORARY TABLE (\w+) /

/** The name of the temporary table that a batch creates first, if it is a Query message. */
export function temporaryTableOf(batch: Uint8Array): string | undefined {
  return CREATE_TABLE.exec(queryOf(batch))?.[1]?.toLowerCase()
}

interface Output {
  /** The messages for the client that sent the batch. */
  response: Uint8Array
  /** The notifications, which go to all clients. */
  notifications: Uint8Array
}

/** Separates notifications from the response to a batch. */
export function splitNotifications(output: Uint8Array): Output {
  const response: Buffer[] = []
  const notifications: Buffer[] = []
  for (const message of messagesOf(output)) {
    const kind = message[0] === MESSAGE.notification ? notifications : response
    kind.push(message)
  }
  if (notifications.length === 0) return { response: output, notifications: Buffer.alloc(0) }
  return { response: Buffer.concat(response), notifications: Buffer.concat(notifications) }
}

/** Whether an output of PostgreSQL has a response that ends with ReadyForQuery. Notifications may follow. */
export function isComplete(output: Uint8Array): boolean {
  return splitNotifications(output).response.at(-6) === MESSAGE.readyForQuery
}

/** Whether a response ends with a ReadyForQuery message that says that no transaction is open. */
export function isIdle(response: Uint8Array): boolean {
  return response.at(-1) === MESSAGE.idle
}

/** Whether a response has an error with this SQLSTATE. */
export function hasError(response: Uint8Array, sqlState: string): boolean {
  // The field of the SQLSTATE begins with C and ends with a zero byte, as each field does.
  return messagesOf(response).some((message) => message[0] === MESSAGE.error && message.includes(`C${sqlState}\0`))
}

function messagesOf(output: Uint8Array): Buffer[] {
  const view = asBuffer(output)
  const messages: Buffer[] = []
  for (let start = 0, end = 0; start < view.length; start = end) {
    end = start + 1 + view.readInt32BE(start + 1)
    messages.push(view.subarray(start, end))
  }
  return messages
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
