import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LimitsConfig } from '../../config/config.ts'
import { refused } from '../../errors/errors.ts'
import { FairShare } from './fair-share.ts'

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadResponses
  }
  interface FastifyReply {
    /** The memory that is reserved for the response, and who pays for it. */
    held: { owner: string; bytes: number } | undefined
  }
}

/** Returns the id of the API key of a request, or the network of a client without a key. */
type OwnerOf = (request: FastifyRequest) => string

/** A smaller body is not counted, because the kernel usually takes it at once. */
const SMALL_BYTES = 16 * 1024

/**
 * Bounds the memory for responses that clients have not read yet, and for bodies of requests that have not arrived yet. Each key has a share
 * of it. A client that reads nothing of its response is cut off.
 */
export class UnreadResponses {
  readonly #shares: FairShare
  readonly #ownerOf: OwnerOf
  /** Responses that were cut off since the start. */
  cutOff = 0

  /** Counts the body of each response that the application sends, and sets the timeout of its connection. */
  constructor(
    app: FastifyInstance,
    { unreadBytes, responseStallTimeoutMs }: Pick<LimitsConfig, 'unreadBytes' | 'responseStallTimeoutMs'>,
    ownerOf: OwnerOf,
  ) {
    this.#shares = new FairShare(unreadBytes)
    this.#ownerOf = ownerOf
    app.decorateReply('held', undefined)
    app.addHook('onSend', (request, reply, payload, done) => {
      const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : undefined
      if (bytes !== undefined && bytes >= SMALL_BYTES) this.#hold(request, reply, bytes)
      // A stream holds only what Node reads ahead. While nothing waits to be sent, the gateway is slow, not the client.
      if (payload && (bytes === undefined || bytes >= SMALL_BYTES)) {
        const { socket } = request.raw
        reply.raw.setTimeout(responseStallTimeoutMs, () => {
          if (socket.writableLength === 0) socket.setTimeout(responseStallTimeoutMs)
          else this.#cut(request, reply, `the client read nothing for ${responseStallTimeoutMs} ms`)
        })
      }
      done()
    })
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
    if (!this.#shares.hasRoom(keyId, 1) && !this.#shares.isEntitled(keyId, 1)) throw refused('unread')
  }

  /**
   * Reserves memory for a body before it is encoded and sent, or for a large body before it is read from the database, or for the body
   * of a request before it is received. A later call for the same request replaces the size.
   * @throws `SERVICE_UNAVAILABLE` if there is no room for it
   */
  reserve(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    if (bytes < SMALL_BYTES) return
    this.#release(reply)
    if (!this.#shares.hasRoom(this.#ownerOf(request), bytes)) throw refused('unread')
    this.#hold(request, reply, bytes)
  }

  #hold(request: FastifyRequest, reply: FastifyReply, size: number): void {
    // A sum of fractions would not be 0 again, and then a body larger than all of the memory would be refused.
    const bytes = Math.ceil(size)
    // After a disconnect no event would release it.
    if (reply.raw.destroyed) return
    const known = reply.held
    const owner = known?.owner ?? this.#ownerOf(request)
    if (!known) reply.raw.once('close', () => this.#release(reply))
    this.#shares.add(owner, bytes - (known?.bytes ?? 0))
    reply.held = { owner, bytes }
  }

  #release(reply: FastifyReply): void {
    if (reply.held) this.#shares.add(reply.held.owner, -reply.held.bytes)
    reply.held = undefined
  }

  /** Resets the connection, because a client of HTTP/1.0 takes a normal close for the end of the response. */
  #cut(request: FastifyRequest, reply: FastifyReply, why: string): void {
    this.cutOff += 1
    this.#release(reply)
    request.log.warn({ requestId: request.id }, `The response was cut off: ${why}`)
    request.raw.socket.resetAndDestroy()
  }
}
