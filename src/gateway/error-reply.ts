import type { FastifyReply, FastifyRequest } from 'fastify'
import { CatalogError, ERRORS, type ErrorCode, messageOf, type Refusal } from '../errors/errors.ts'
import { catalogErrorOf } from '../graphql/errors.ts'
import { discardBody } from './admission/refused-body.ts'
import { errorBody, problemBody } from './error-body.ts'
import { acceptsProblem, appendVary, wantsHtml } from './negotiation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request got a 503, or an error SERVICE_UNAVAILABLE in its result. */
    refusal: Refusal | undefined
  }
}

/** Sends an error in the form of REST, by default as problem details if the client accepts them. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: CatalogError,
  toBody = acceptsProblem(request.headers.accept) ? problemBody : errorBody,
): FastifyReply {
  appendVary(reply, 'Accept')
  return sendErrorBody(request, reply, error, toBody(error, request.id))
}

/** Sends a body for an error, with the status and the headers that the error has at every door. */
export function sendErrorBody(
  request: FastifyRequest,
  reply: FastifyReply,
  error: CatalogError,
  { contentType, body }: { contentType: string; body: unknown },
): FastifyReply {
  void reply.code(ERRORS[error.code].status).headers({ 'cache-control': 'no-store', 'x-request-id': request.id })
  appendVary(reply, 'Authorization')
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
  const send = () => void reply.type(contentType).send(JSON.stringify(body))
  if (reply.statusCode === ERRORS.PAYLOAD_TOO_LARGE.status) discardBody(request.raw, send)
  else send()
  return reply
}

/** The errors of Fastify that are the client's fault, by their codes. */
const FASTIFY_ERRORS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['VALIDATION_FAILED', 'The body is not as long as Content-Length says'],
}

/** The error to send for anything that was thrown during a request. Server faults are logged. */
export function toCatalogError(error: unknown, request: FastifyRequest): CatalogError {
  if (error instanceof Error && error === request.raw.errored) return bodyAborted(error, request)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLong(request)
  const fastifyError = FASTIFY_ERRORS[code]
  const known = fastifyError ? new CatalogError(...fastifyError) : catalogErrorOf(error)
  logFault(request, known)
  return known
}

/**
 * The same error, which tells a person without a valid key whom to ask. Programs get it as it is.
 * @param contact is an e-mail address, a URL or a text
 */
export function withContact(error: CatalogError, request: FastifyRequest, contact: string | undefined): CatalogError {
  if (error.code !== 'UNAUTHORIZED' || contact === undefined || !wantsHtml(request)) return error
  return new CatalogError('UNAUTHORIZED', `${error.message}. Whom to ask for a key: ${contact}`)
}

function bodyTooLong({ routeOptions: { bodyLimit } }: FastifyRequest): CatalogError {
  return new CatalogError('PAYLOAD_TOO_LARGE', `The body must be at most ${bodyLimit} bytes long`)
}

/** The client has disconnected while it sent the body. This is not a fault of the server, and no response arrives. */
function bodyAborted(error: Error, request: FastifyRequest): CatalogError {
  request.log.debug({ requestId: request.id, err: error }, 'The client disconnected before its body was complete')
  return new CatalogError('VALIDATION_FAILED', 'The body is not complete')
}

/** Logs the cause of an error that is the server's fault, and notes why a request is refused. Errors of the client have no cause. */
export function logFault(request: FastifyRequest, error: Error | undefined): void {
  if (!(error instanceof CatalogError)) return
  request.refusal ??= error.refusal
  if (error.cause === undefined) return
  const reason = messageOf(error.cause)
  if (error.refusal === 'database') request.server.outage.countFailure(request.id, reason)
  // The stack of a refusal says nothing more.
  else
    request.log.error({ requestId: request.id, ...(error.refusal ? { reason } : { err: error.cause }) }, error.message)
}
