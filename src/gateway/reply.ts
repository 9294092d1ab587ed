import { hash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FairQueue } from '../database/fair-queue.ts'
import { CatalogError } from '../errors/errors.ts'
import { appendVary, type Coding, chooseContentCoding, VARY } from './negotiation.ts'

/** To put a longer text together with the headers takes longer than a second part of the write. */
const SHORT_BYTES = 4_000

/** The headers of a response body that few have. */
interface BodyHeaders {
  /** The `Link` header; undefined for a response without pages. */
  links?: string | undefined
  /** The `Ignored-Parameters` header. */
  ignored?: string | undefined
  /** The `Cache-Control` header. */
  cacheControl?: string
  /** A weak entity tag, without `W/`, for a body that differs in bytes where it is the same in meaning. */
  weakTag?: string | undefined
}

/** A response body with its entity tag. */
export class ResponseBody {
  /** Text is UTF-8. */
  readonly content: string | Buffer
  /** Bytes of the body. */
  readonly length: number
  readonly contentType: string
  readonly links: string | undefined
  readonly ignored: string | undefined
  readonly cacheControl: string
  readonly weakTag: string | undefined
  /** False for a body that is probably sent only once: to encode it would take longer than to send it. */
  isEncoded = true
  /** The body in the content codings in which it was sent. A table beside the bodies would slow down each collection of garbage. */
  encoded: Partial<Record<Coding, Buffer>> | undefined
  #etag: string | undefined
  #body: Buffer | undefined

  constructor(
    content: string | Buffer,
    contentType = 'application/json; charset=utf-8',
    { links, ignored, cacheControl = 'private, no-cache', weakTag }: BodyHeaders = {},
  ) {
    this.weakTag = weakTag
    this.cacheControl = cacheControl
    this.content = content
    this.length = Buffer.byteLength(content)
    this.contentType = contentType
    this.links = links
    this.ignored = ignored
  }

  get body(): Buffer {
    this.#body ??= Buffer.isBuffer(this.content) ? this.content : Buffer.from(this.content)
    return this.#body
  }

  /**
   * The body as it is sent without a coding. Node sends a short text together with the headers, without a copy of either. Fastify adds a
   * charset to some types of text that have none.
   */
  get plain(): string | Buffer {
    return this.length < SHORT_BYTES && this.contentType.includes('charset=') ? this.content : this.body
  }

  /** The entity tag (RFC 9110 section 8.8.3). It is computed on first use, because a response to a POST needs none. */
  get etag(): string {
    this.#etag ??= this.weakTag ?? `"${hash('sha256', this.plain, 'base64url')}"`
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
  const { links, ignored, cacheControl } = content
  const tag = { etag: content.etag, isWeak: content.weakTag !== undefined, coding: codingOf(request, content) }
  void reply.header('cache-control', cacheControl)
  if (sendIfUnchanged(request, reply, tag)) return
  return sendBody(request, reply, content, {
    vary: VARY,
    etag: entityTag(tag),
    ...(links !== undefined && { link: links }),
    ...(ignored !== undefined && { 'ignored-parameters': ignored }),
  })
}

/** Sends an uncacheable body (no ETag), for example to a POST. */
export function sendUncacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
): void | Promise<void> {
  void reply.header('cache-control', 'no-store')
  return sendBody(request, reply, content, { vary: 'Accept-Encoding' })
}

/**
 * Sends a body in the content coding that the client prefers. It sets the headers last, because an error that is sent instead must not
 * have them.
 * @throws `SERVICE_UNAVAILABLE` if the client has not read other responses of its key
 */
function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
  { vary, ...headers }: { vary: string; etag?: string; link?: string; 'ignored-parameters'?: string },
): void | Promise<void> {
  const { length, contentType } = content
  if (request.method !== 'HEAD') {
    request.server.unread.reserve(request, reply, length)
    request.use?.send(length)
  }
  const coding = codingOf(request, content)
  const send = (bytes: string | Buffer) => {
    appendVary(reply, vary)
    void reply
      .headers({ ...headers, 'content-type': contentType, ...(coding && { 'content-encoding': coding }) })
      .send(bytes)
  }
  const encoded = coding ? encode(content, coding, request.use?.key.id) : content.plain
  return encoded instanceof Promise ? encoded.then(send) : send(encoded)
}

function codingOf({ headers }: FastifyRequest, { length, isEncoded }: ResponseBody): Coding | undefined {
  return !isEncoded || length < MIN_ENCODED_BYTES ? undefined : chooseContentCoding(headers['accept-encoding'])
}

/** The entity tag of a content, and the content coding of the response. */
interface CodedTag {
  /** Without `W/`. */
  etag: string
  isWeak?: boolean
  coding: Coding | undefined
}

/** The tag of the coded content: the bytes differ in each content coding, and so must the tags (RFC 9110 section 8.8.3.3). */
export function entityTag({ etag, isWeak = false, coding }: CodedTag): string {
  const prefix = isWeak ? 'W/' : ''
  return prefix + (coding ? `${etag.slice(0, -1)}-${coding}"` : etag)
}

/**
 * Sends 304 if the client has the content already (RFC 9110 section 13.1.2).
 * @returns whether the response is sent
 * @throws `PRECONDITION_FAILED` when `If-Match` names other tags (section 13.1.1)
 */
export function sendIfUnchanged(request: FastifyRequest, reply: FastifyReply, tag: CodedTag): boolean {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  const named = ifMatch === undefined ? '*' : findTag(ifMatch, tag.etag, 'strong')
  if (named === undefined || (tag.isWeak && named !== '*')) {
    throw new CatalogError('PRECONDITION_FAILED', 'If-Match names another version of the response')
  }
  const matched = ifNoneMatch === undefined ? undefined : findTag(ifNoneMatch, tag.etag, 'weak')
  if (matched === undefined) return false
  appendVary(reply, VARY)
  void reply
    .header('etag', matched === '*' || tag.isWeak ? entityTag(tag) : matched.replace(/^W\//, ''))
    .code(304)
    .send()
  return true
}

/**
 * Finds the tag in a list of tags that names the content, in any content coding. The tag `*` names any content. A strong
 * comparison ignores weak tags in the list (RFC 9110 section 8.8.3.2).
 */
function findTag(list: string, etag: string, comparison: 'strong' | 'weak'): string | undefined {
  if (list === etag) return etag
  return list
    .split(',')
    .map((tag) => tag.trim())
    .find((tag) => tag === '*' || contentTag(comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

function contentTag(tag: string): string {
  return tag.replace(/-(br|gzip)"$/, '"')
}

/** A smaller body fits into one TCP packet, so compression would not make it faster. */
const MIN_ENCODED_BYTES = 1_400

/** The default quality 11 takes a hundred times as long. */
const BROTLI_QUALITY = 4

/** A larger body is not cached, so it is encoded for one response: the time counts more than the last 10 % of its size. */
const LARGE_BYTES = 256 * 1024
const LARGE_BROTLI_QUALITY = 1
const LARGE_GZIP_LEVEL = 3

const encoders: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: body.length > LARGE_BYTES ? LARGE_BROTLI_QUALITY : BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body, body.length > LARGE_BYTES ? { level: LARGE_GZIP_LEVEL } : {}),
}

/** The threads of Node that encode, by default (UV_THREADPOOL_SIZE). Large bodies of one key must not delay other keys. */
const THREADS = 4
const TURN_TIMEOUT_MS = 60_000
const turns = new FairQueue({ places: THREADS, timeoutMs: TURN_TIMEOUT_MS })

/**
 * Encodes a body, once for each coding. A body that was encoded before is returned without a promise, so that a cached response
 * does not wait.
 * @param key is the id of the API key that pays for it; undefined for a public body
 */
function encode(content: ResponseBody, coding: Coding, key: string | undefined): Buffer | Promise<Buffer> {
  return (
    content.encoded?.[coding] ??
    inTurn(key, () => encoders[coding](content.body)).then((result) => {
      content.encoded = { ...content.encoded, [coding]: result }
      return result
    })
  )
}

async function inTurn<Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result> {
  if (key === undefined) return work()
  const endTurn = await turns.begin([key])
  return work().finally(endTurn)
}

/** A stream that encodes what is written to it. */
export function createEncoder(coding: Coding): Transform {
  if (coding === 'gzip') return createGzip()
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
}
