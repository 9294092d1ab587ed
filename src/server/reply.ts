import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError, ERROR_CODES, type ErrorCode } from '../errors.ts'
import { catalogErrorOf } from '../graphql/error.ts'
import { errorBody } from '../rest/error-body.ts'

/** A body that can be known again by its tag. */
export interface TaggedBody {
  body: Buffer
  contentType: string
  /** A strong entity tag (RFC 9110 section 8.8.3). */
  etag: string
}

/** Tags a body by what is in it. */
export function tagBody(content: string | Buffer, contentType = 'application/json; charset=utf-8'): TaggedBody {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  return { body, contentType, etag: `"${hash('sha256', body, 'base64url')}"` }
}

/** Answers with a body under its ETag, or with 304 where the client has it already (RFC 9110 section 13.1.2). */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, tagged: TaggedBody): void {
  const { body, contentType, etag } = tagged
  void reply.header('etag', etag).header('cache-control', 'private, no-cache')
  appendVary(reply, 'Authorization')
  if (matches(request.headers['if-none-match'], etag)) void reply.code(304).send()
  else void reply.header('content-type', contentType).send(body)
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

/** Whether If-None-Match names the tag; weak comparison. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
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
  if (known.cause !== undefined) request.log.error({ err: known.cause }, known.message)
  return known
}
