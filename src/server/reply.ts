import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError, ERROR_CODES, type ErrorCode } from '../errors.ts'
import { catalogErrorOf } from '../graphql/errors.ts'
import { errorBody } from '../rest/error-body.ts'
import { discardBody } from './admission/refused-body.ts'
import { encode, MIN_ENCODED_BYTES } from './compression.ts'
import { type Coding, chooseContentCoding } from './negotiation.ts'

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

/** The request headers that a cacheable response depends on. */
export const VARY = 'Authorization, Accept, Accept-Encoding'

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
  if (ifMatch !== undefined && findTag(ifMatch, tag.etag, 'strong') === undefined) {
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

/** Sends an uncacheable body (no ETag), for example to a POST. */
export function sendUncacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ResponseBody,
): void | Promise<void> {
  void reply.header('cache-control', 'no-store')
  return sendBody(request, reply, content, 'Accept-Encoding')
}

/** Sends a body in the content coding that the client prefers. */
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

/** Sends an error in the form of REST. `accept` says which media type the client accepts. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: CatalogError,
  accept = request.headers.accept,
): FastifyReply {
  setErrorHeaders(request, reply, error)
  appendVary(reply, 'Accept')
  const { contentType, body } = errorBody(error, request.id, accept)
  return sendErrorBody(request, reply, contentType, body)
}

/** Sends an error in the form of GraphQL over HTTP, for a request that can't be executed. */
export function sendGraphQLError(request: FastifyRequest, reply: FastifyReply, error: CatalogError): FastifyReply {
  setErrorHeaders(request, reply, error)
  const isGraphQLType = request.headers.accept?.includes('application/graphql-response+json')
  const body = { errors: [{ message: error.message, extensions: error.extensions }] }
  const contentType = `application/${isGraphQLType ? 'graphql-response+json' : 'json'}; charset=utf-8`
  return sendErrorBody(request, reply, contentType, body)
}

/** Sends an error in the form of JSON-RPC 2.0 (section 5.1), for a message of /mcp that is not read. */
export function sendMcpError(request: FastifyRequest, reply: FastifyReply, error: CatalogError): FastifyReply {
  setErrorHeaders(request, reply, error)
  const { message, extensions } = error
  const data = { ...extensions, requestId: request.id }
  const body = { jsonrpc: '2.0', id: null, error: { code: RPC_SERVER_ERROR, message, data } }
  return sendErrorBody(request, reply, 'application/json; charset=utf-8', body)
}

/** The first of the codes that JSON-RPC leaves to servers. */
const RPC_SERVER_ERROR = -32_000

function sendErrorBody(request: FastifyRequest, reply: FastifyReply, contentType: string, body: unknown): FastifyReply {
  const send = () => void reply.type(contentType).send(JSON.stringify(body))
  if (reply.statusCode === ERROR_CODES.PAYLOAD_TOO_LARGE) discardBody(request.raw, send)
  else send()
  return reply
}

function setErrorHeaders(request: FastifyRequest, reply: FastifyReply, error: CatalogError): void {
  void reply.code(ERROR_CODES[error.code]).headers({ 'cache-control': 'no-store', 'x-request-id': request.id })
  appendVary(reply, 'Authorization')
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
}

/** Adds names to the `Vary` header, which CORS may have set. */
export function appendVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? name : `${before}, ${name}`)
}

/**
 * Finds the tag in a list of tags that names the content, in any content coding. The tag `*` names any content. A strong
 * comparison ignores weak tags (RFC 9110 section 8.8.3.2).
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

/** The errors of Fastify that are the client's fault, by their codes. */
const FASTIFY_ERRORS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The body is too long'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['VALIDATION_FAILED', 'The body is not as long as Content-Length says'],
}

/** The error to send for anything that was thrown during a request. Server faults are logged. */
export function toCatalogError(error: unknown, request: FastifyRequest): CatalogError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const fastifyError = FASTIFY_ERRORS[code]
  const known = fastifyError ? new CatalogError(...fastifyError) : catalogErrorOf(error)
  logFault(request, known)
  return known
}

/** Logs the cause of an error that is the server's fault. Errors of the client have no cause. */
export function logFault(request: FastifyRequest, error: Error | undefined): void {
  if (!(error instanceof CatalogError) || error.cause === undefined) return
  request.log.error({ requestId: request.id, err: error.cause }, error.message)
}
