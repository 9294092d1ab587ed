import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LimitsConfig } from '../config.ts'
import { CatalogError } from '../errors.ts'
import { FairShare } from './fair-share.ts'

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadResponses
  }
}

/** Returns the id of the API key of a request, or the network of a client without a key. */
type OwnerOf = (request: FastifyRequest) => string

/** A response whose bytes are counted. */
interface Unread {
  request: FastifyRequest
  owner: string
  bytes: number
  isStream: boolean
}

/** A client that reads responses from a connection, as the last look found it. */
interface Reader {
  socket: Socket
  unread: Unread | undefined
  /** The bytes of the connection that the kernel has taken so far; undefined if no bytes waited. */
  takenBytes: number | undefined
  /** The bytes that the kernel took between the last two looks; undefined if no bytes waited at one of them. */
  bytesPerCheck: number | undefined
  /** The number of looks in a row that found nothing taken. A clock would also count the time in which the process was blocked. */
  idleChecks: number
}

/** The longest time between two looks at the connections. */
const MAX_LOOK_MS = 1_000

/** A smaller body is not counted, because the kernel usually takes it at once. */
const SMALL_BYTES = 16 * 1024

/**
 * The responses that clients have not read yet, and the bodies of requests that have not arrived yet. A client that reads nothing is cut
 * off. The memory for all bodies has a bound, and each key has a share of it. If a key with less than its share needs memory, the slowest
 * reader of the key with the most is cut off.
 */
export class UnreadResponses {
  readonly #shares: FairShare
  readonly #stallTimeoutMs: number
  readonly #lookMs: number
  readonly #log: FastifyInstance['log']
  readonly #ownerOf: OwnerOf
  readonly #readers = new Map<Socket, Reader>()
  /** Responses that were cut off since the start, by the reason. */
  readonly cutOff = { stalled: 0, memory: 0 }

  /** Watches the connections of the application, and counts the body of each response that it sends. */
  constructor(
    app: FastifyInstance,
    { unreadBytes, responseStallTimeoutMs }: Pick<LimitsConfig, 'unreadBytes' | 'responseStallTimeoutMs'>,
    ownerOf: OwnerOf,
  ) {
    this.#ownerOf = ownerOf
    this.#shares = new FairShare(unreadBytes)
    this.#stallTimeoutMs = responseStallTimeoutMs
    this.#lookMs = Math.min(MAX_LOOK_MS, responseStallTimeoutMs / 4)
    this.#log = app.log
    app.server.on('connection', (socket: Socket) => {
      this.#readers.set(socket, {
        socket,
        unread: undefined,
        takenBytes: undefined,
        bytesPerCheck: undefined,
        idleChecks: 0,
      })
      socket.once('close', () => this.#readers.delete(socket))
    })
    app.addHook('onSend', (request, reply, payload, done) => {
      this.#count(request, reply, payload)
      done()
    })
    const timer = setInterval(() => this.#look(), this.#lookMs).unref()
    app.addHook('onClose', async () => clearInterval(timer))
  }

  /** The size of the counted bodies. */
  get bytes(): number {
    return this.#shares.total
  }

  /**
   * Checks that a key may begin another response.
   * @throws `SERVICE_UNAVAILABLE` if its clients have not read its share
   */
  check(keyId: string): void {
    if (!this.#shares.hasRoom(keyId, 1) && !this.#shares.isEntitled(keyId, 1)) throw tooMuchUnread()
  }

  /**
   * Reserves memory for a body before it is encoded and sent, or for a large body before it is read from the database, or for the body
   * of a request before it is received. A later call for the same request replaces the size.
   * @throws `SERVICE_UNAVAILABLE` if there is no room for it
   */
  reserve(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    if (bytes < SMALL_BYTES) return
    const known = this.#readers.get(request.raw.socket)
    if (known) this.#release(known)
    const owner = this.#ownerOf(request)
    while (!this.#shares.hasRoom(owner, bytes)) {
      const slowest = this.#shares.isEntitled(owner, bytes) ? this.#slowestOf(this.#shares.largestOwner()) : undefined
      if (!slowest) throw tooMuchUnread()
      this.#cut(slowest, 'memory', 'other keys needed the memory')
    }
    this.#hold(request, reply, { bytes, isStream: false })
  }

  /** Counts a body as it is sent. A stream is counted at each look, because its size is not known. */
  #count(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
      if (payload) this.#hold(request, reply, { bytes: 0, isStream: true })
    } else if (payload.length >= SMALL_BYTES) {
      this.#hold(request, reply, { bytes: Buffer.byteLength(payload), isStream: false })
    }
  }

  #hold(request: FastifyRequest, { raw }: FastifyReply, body: { bytes: number; isStream: boolean }): void {
    const reader = this.#readers.get(request.raw.socket)
    // After a disconnect no event would release it.
    if (!reader || raw.destroyed) return
    const known = reader.unread
    const owner = known?.owner ?? this.#ownerOf(request)
    if (!known) raw.once('close', () => this.#release(reader))
    this.#shares.add(owner, body.bytes - (known?.bytes ?? 0))
    reader.unread = { request, owner, ...body }
  }

  #release(reader: Reader): void {
    if (reader.unread) this.#shares.add(reader.unread.owner, -reader.unread.bytes)
    reader.unread = undefined
  }

  #look(): void {
    for (const reader of this.#readers.values()) {
      const { socket, unread } = reader
      const waitingBytes = socket.writableLength
      if (unread?.isStream) {
        this.#shares.add(unread.owner, waitingBytes - unread.bytes)
        unread.bytes = waitingBytes
      }
      const takenBytes = waitingBytes === 0 ? undefined : bytesTaken(socket)
      const before = reader.takenBytes
      reader.takenBytes = takenBytes
      reader.bytesPerCheck = takenBytes === undefined || before === undefined ? undefined : takenBytes - before
      reader.idleChecks = reader.bytesPerCheck === 0 ? reader.idleChecks + 1 : 0
      if (reader.idleChecks * this.#lookMs >= this.#stallTimeoutMs) {
        this.#cut(reader, 'stalled', `the client read nothing for ${this.#stallTimeoutMs} ms`)
      }
    }
  }

  /** The slowest reader of an owner. A difference needs two checks, so a newer reader is not considered. */
  #slowestOf(owner: string | undefined): Reader | undefined {
    let slowest: Reader | undefined
    let leastBytes = Number.POSITIVE_INFINITY
    for (const reader of this.#readers.values()) {
      const { unread, bytesPerCheck, idleChecks } = reader
      if (unread?.owner !== owner || bytesPerCheck === undefined || bytesPerCheck > leastBytes) continue
      if (slowest && bytesPerCheck === leastBytes && idleChecks <= slowest.idleChecks) continue
      slowest = reader
      leastBytes = bytesPerCheck
    }
    return slowest
  }

  /** Cuts a response off. It resets the connection, because a client of HTTP/1.0 takes a normal close for the end of the response. */
  #cut(reader: Reader, reason: keyof typeof this.cutOff, why: string): void {
    this.cutOff[reason] += 1
    this.#log.warn({ requestId: reader.unread?.request.id }, `The response was cut off: ${why}`)
    this.#release(reader)
    reader.socket.resetAndDestroy()
  }
}

/**
 * The number of bytes of a connection that the kernel has taken. Node's public properties show only when the kernel has taken a whole
 * body. Node itself reads this private one for its timeouts.
 */
function bytesTaken(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (!(handle instanceof Object) || !('bytesWritten' in handle) || !('writeQueueSize' in handle)) return 0
  return Number(handle.bytesWritten) - Number(handle.writeQueueSize)
}

function tooMuchUnread(): CatalogError {
  return new CatalogError(
    'SERVICE_UNAVAILABLE',
    'Too many bytes of earlier requests and responses are in progress; finish them first',
    {
      retryAfterSeconds: 1,
    },
  )
}
