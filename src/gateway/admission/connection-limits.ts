import { randomUUID } from 'node:crypto'
import { maxHeaderSize, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { REQUESTS_END_MS } from '../../config/stop-times.ts'
import { CatalogError, ERRORS } from '../../errors/errors.ts'
import { errorBody } from '../error-body.ts'
import { SECURITY_HEADERS } from '../security-headers.ts'
import { type IsTrustedProxy, networkOf } from './proxies.ts'
import { type ClientError, unencodedTarget } from './unencoded-target.ts'

/** The maximum number of connections. Each takes a file descriptor and some kilobytes. */
const MAX_CONNECTIONS = 10_000

/**
 * Counts a connection from an address. Returns a function to call when the connection closes; undefined if there are too many
 * connections, so that this one must be closed at once.
 */
export type CountConnection = (address: string) => (() => void) | undefined

/** Counts open connections, in total and for each client network. For trusted proxies only the total has a limit. */
export function countConnections(maxPerAddress: number, isTrustedProxy: IsTrustedProxy): CountConnection {
  const open = new Map<string, number>()
  let total = 0
  return (address) => {
    const network = isTrustedProxy(address) ? undefined : networkOf(address)
    const count = network === undefined ? 0 : (open.get(network) ?? 0)
    if (total >= MAX_CONNECTIONS || count >= maxPerAddress) return undefined
    total += 1
    if (network !== undefined) open.set(network, count + 1)
    return () => {
      total -= 1
      if (network === undefined) return
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    }
  }
}

/** Closes connections above the limits at once. */
export function limitConnections(server: Server, count: CountConnection): void {
  server.on('connection', (socket: Socket) => {
    const release = count(socket.remoteAddress ?? '')
    if (release) socket.once('close', release)
    else socket.destroy()
  })
}

/**
 * When the application closes, ends keep-alive connections after their current response, and slow clients after a grace period.
 */
export function closeConnections(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    setTimeout(() => app.server.closeAllConnections(), REQUESTS_END_MS).unref()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) void reply.header('connection', 'close')
    done()
  })
}

/** In bytes. No useful URL is longer, and proxies have similar limits. */
export const MAX_URL_LENGTH = 12 * 1024

/** The connections with a malformed request that waits for the responses before it. The parser reports what follows again. */
const waiting = new WeakSet<Socket>()

/**
 * Answers a request that is malformed or arrives too slowly with an error of the usual form, after the responses to the requests before it.
 * If the response to the request itself has begun, the error would become a part of it. Then the connection is reset: a client of HTTP/1.0
 * takes a normal close for its end.
 */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (waiting.has(socket)) return
  const response = responseOn(socket)
  if (response?.req.complete && error.code !== 'ECONNRESET') {
    waiting.add(socket)
    response.once('close', () => {
      waiting.delete(socket)
      // Otherwise that response was the last of its connection.
      if (socket.writable) answerClientError(error, socket)
    })
    return
  }
  if (response?.headersSent && !response.writableEnded) {
    socket.resetAndDestroy()
    return
  }
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const known = clientError(error)
  const requestId = randomUUID()
  const { contentType, body } = errorBody(known, requestId)
  const text = JSON.stringify(body)
  const status = ERRORS[known.code].status
  const head = [
    `HTTP/1.1 ${status} ${known.code}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}

/** The response that is being made on a connection. Node itself reads this private property for its own answer to malformed requests. */
function responseOn(socket: Socket): ServerResponse | undefined {
  const response: unknown = Reflect.get(socket, '_httpMessage')
  return response instanceof ServerResponse ? response : undefined
}

const HEADERS_TOO_LARGE = `The request line and the headers must be at most ${maxHeaderSize} bytes long`

function clientError(error: ClientError): CatalogError {
  const { code, rawPacket } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new CatalogError('REQUEST_TIMEOUT', 'The request took too long to arrive')
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const firstLine = Buffer.isBuffer(rawPacket) ? rawPacket.indexOf('\r\n') : 0
    return firstLine < 0 || firstLine > MAX_URL_LENGTH
      ? urlTooLong()
      : new CatalogError('HEADERS_TOO_LARGE', HEADERS_TOO_LARGE)
  }
  const other = new CatalogError('VALIDATION_FAILED', 'The request is not HTTP/1.1 with a known method', {
    details: [{ field: 'request', message: 'must be HTTP/1.1 with a known method' }],
  })
  return unencodedTarget(error) ?? other
}

/** `URI_TOO_LONG`, with the bound. */
export function urlTooLong(): CatalogError {
  return new CatalogError('URI_TOO_LONG', `The URL must be at most ${MAX_URL_LENGTH} bytes long`)
}
