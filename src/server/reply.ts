import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encode, MIN_ENCODED_BYTES } from './compression.ts'
import { entityTag, sendIfUnchanged } from './entity-tag.ts'
import { appendVary, type Coding, chooseContentCoding, VARY } from './negotiation.ts'

/** A response body with its entity tag. */
export class ResponseBody {
  readonly body: Buffer
  readonly contentType: string
  /** The `Link` header; undefined for a response without pages. */
  readonly links: string | undefined
  /** The `Cache-Control` header. */
  readonly cacheControl: string
  /** A weak entity tag, without `W/`, for a body that differs in bytes where it is the same in meaning. */
  readonly weakTag: string | undefined
  /** False for a body that is probably sent only once: to encode it would take longer than to send it. */
  isEncoded = true
  #etag: string | undefined

  constructor(
    content: string | Buffer,
    contentType = 'application/json; charset=utf-8',
    links?: string,
    cacheControl = 'private, no-cache',
    weakTag?: string,
  ) {
    this.weakTag = weakTag
    this.cacheControl = cacheControl
    this.body = typeof content === 'string' ? Buffer.from(content) : content
    this.contentType = contentType
    this.links = links
  }

  /** The entity tag (RFC 9110 section 8.8.3). It is computed on first use, because a response to a POST needs none. */
  get etag(): string {
    this.#etag ??= this.weakTag ?? `"${hash('sha256', this.body, 'base64url')}"`
    return this.#etag
  }
}

/**
 * Sends a body with its ETag, or 304 if the client has it already (RFC 9110 section 13.1.2).
 * @throws `PRECONDITION_FAILED` when `If-Match` names other tags (section 13.1.1)
 */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
): void | Promise<void> {
  const { links, cacheControl } = content
  const tag = { etag: content.etag, isWeak: content.weakTag !== undefined, coding: codingOf(request, content) }
  void reply.header('cache-control', cacheControl)
  if (sendIfUnchanged(request, reply, tag)) return
  void reply.header('etag', entityTag(tag))
  if (links !== undefined) void reply.header('link', links)
  return sendBody(request, reply, content, VARY)
}

/** Sends an uncacheable body (no ETag), for example to a POST. */
export function sendUncacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
): void | Promise<void> {
  void reply.header('cache-control', 'no-store')
  return sendBody(request, reply, content, 'Accept-Encoding')
}

/**
 * Sends a body in the content coding that the client prefers.
 * @throws `SERVICE_UNAVAILABLE` if the client has not read other responses of its key
 */
function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
  vary: string,
): void | Promise<void> {
  const { body, contentType } = content
  if (request.method !== 'HEAD') {
    request.server.unread.reserve(request, reply, body.length)
    request.use?.send(body.length)
  }
  appendVary(reply, vary)
  void reply.header('content-type', contentType)
  const coding = codingOf(request, content)
  if (!coding) {
    void reply.send(body)
    return
  }
  void reply.header('content-encoding', coding)
  const encoded = encode(body, coding, request.use?.key.id)
  if (Buffer.isBuffer(encoded)) void reply.send(encoded)
  else return encoded.then((bytes) => void reply.send(bytes))
}

function codingOf({ headers }: FastifyRequest, { body, isEncoded }: ResponseBody): Coding | undefined {
  return !isEncoded || body.length < MIN_ENCODED_BYTES ? undefined : chooseContentCoding(headers['accept-encoding'])
}
