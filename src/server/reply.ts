import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError, ERROR_CODES, type ErrorCode } from '../errors.ts'
import { catalogErrorOf } from '../graphql/errors.ts'
import { errorBody } from '../rest/error-body.ts'
import { encode, MIN_ENCODED_BYTES } from './compression.ts'
import { type Coding, chooseContentCoding } from './negotiation.ts'

/** A body that can be known again by its tag. */
export class ResponseBody {
  readonly body: Buffer
  readonly contentType: string
  /** Where the other pages are, as a `Link` header has it. */
  readonly links: string | undefined
  /** The `Cache-Control` header. */
  readonly cacheControl: string
  #etag: string | undefined

  constructor(
    content: string | Buffer,
    contentType = 'application/json; charset=utf-8',
    links?: string,
    cacheControl = 'private, no-cache',
  ) {
    this.cacheControl = cacheControl
    this.body = typeof content === 'string' ? Buffer.from(content) : content
    this.contentType = contentType
    this.links = links
  }

  /** A strong entity tag (RFC 9110 section 8.8.3), made when it is first asked for: an answer to a POST needs none. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.body, 'base64url')}"`
    return this.#etag
  }
}

/** Answers with a body under its ETag, or with 304 where the client has it already (RFC 9110 section 13.1.2). */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  tagged: ResponseBody,
): void | Promise<void> {
  const { etag, links } = tagged
  const coding = codingOf(request, tagged)
  // In another coding it is other bytes, with a tag of their own (section 8.8.3.3).
  const tag = coding ? `${etag.slice(0, -1)}-${coding}"` : etag
  void reply.header('etag', tag).header('cache-control', tagged.cacheControl)
  if (matches(request.headers['if-none-match'], etag)) {
    appendVary(reply, VARY)
    void reply.code(304).send()
    return
  }
  if (links !== undefined) void reply.header('link', links)
  return sendBody(request, reply, tagged, VARY)
}

/** Answers with a body that is no resource to be known again, as that to a POST. */
export function sendUncacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
): void | Promise<void> {
  void reply.header('cache-control', 'no-store')
  return sendBody(request, reply, content, 'Accept-Encoding')
}

/** The headers that an answer depends on. */
const VARY = 'Authorization, Accept, Accept-Encoding'

/** Sends a body, compressed for who takes it so. */
function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
  vary: string,
): void | Promise<void> {
  const { body, contentType } = content
  appendVary(reply, vary)
  void reply.header('content-type', contentType)
  const coding = codingOf(request, content)
  if (!coding) {
    void reply.send(body)
    return
  }
  void reply.header('content-encoding', coding)
  const encoded = encode(body, coding)
  if (Buffer.isBuffer(encoded)) void reply.send(encoded)
  else return encoded.then((bytes) => void reply.send(bytes))
}

function codingOf({ headers }: FastifyRequest, { body }: ResponseBody): Coding | undefined {
  return body.length < MIN_ENCODED_BYTES ? undefined : chooseContentCoding(headers['accept-encoding'])
}

/** Answers with an error in the form that REST has for it. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: CatalogError): FastifyReply {
  setErrorHeaders(request, reply, error)
  appendVary(reply, 'Accept')
  const { contentType, body } = errorBody(error, request.id, request.headers.accept)
  return reply.type(contentType).send(JSON.stringify(body))
}

/** Answers with an error in the form that GraphQL over HTTP has for a request that was not executed. */
export function sendGraphQLError(request: FastifyRequest, reply: FastifyReply, error: CatalogError): FastifyReply {
  setErrorHeaders(request, reply, error)
  const asked = request.headers.accept?.includes('application/graphql-response+json')
  const body = { errors: [{ message: error.message, extensions: error.extensions }] }
  return reply.type(`application/${asked ? 'graphql-response+json' : 'json'}; charset=utf-8`).send(JSON.stringify(body))
}

function setErrorHeaders(request: FastifyRequest, reply: FastifyReply, error: CatalogError): void {
  void reply.code(ERROR_CODES[error.code]).headers({ 'cache-control': 'no-store', 'x-request-id': request.id })
  appendVary(reply, 'Authorization')
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
}

/** Adds to the Vary that others, CORS for one, have set. */
function appendVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? name : `${before}, ${name}`)
}

/** Whether If-None-Match names the tag, or that of the same content in a coding; weak comparison (RFC 9110 section 8.8.3.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag
  return header.split(',').some((tag) => tag.trim() === '*' || contentTag(tag.trim()) === etag)
}

function contentTag(tag: string): string {
  return tag.replace(/^W\//, '').replace(/-(br|gzip)"$/, '"')
}

/** What Fastify says of a request that it does not take, by its codes. */
const FASTIFY_ERRORS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The body is too long'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['VALIDATION_FAILED', 'The body is not as long as Content-Length says'],
}

/** Anything that was thrown on the way of a request, as the error to answer with; what is not the client's is logged. */
export function toCatalogError(error: unknown, request: FastifyRequest): CatalogError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const ofFastify = FASTIFY_ERRORS[code]
  const known = ofFastify ? new CatalogError(...ofFastify) : catalogErrorOf(error)
  logFault(request, known)
  return known
}

/** Logs the cause of an error that is the server's fault. Errors of the client have no cause. */
export function logFault(request: FastifyRequest, error: Error | undefined): void {
  if (!(error instanceof CatalogError) || error.cause === undefined) return
  request.log.error({ requestId: request.id, err: error.cause }, error.message)
}
