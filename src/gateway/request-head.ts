import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type CatalogError, validationFailed } from '../errors/errors.ts'

/** At most 128 characters that are safe in a header and in a log. */
const SAFE_ID = /^[\w.:/+=~-]{1,128}$/

/** The `X-Request-Id` of the request if it is safe, or else a new UUID. */
export function chooseRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID()
}

/** A name or an address, and a port (RFC 3986 sections 3.2.2 and 3.2.3). */
const HOST = /^(\[[\da-f:.]+\]|([\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(:\d{0,5})?$/i

/**
 * `VALIDATION_FAILED` for a request whose `Host` is missing, repeated or malformed (RFC 9112 section 3.2), or that has a body in chunks
 * and HTTP/1.0, which has no chunks (section 6.1).
 */
export function findFault({ rawHeaders, headers, httpVersion }: IncomingMessage): CatalogError | undefined {
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined)
    return validationFailed([{ field: 'Transfer-Encoding', message: 'must not be given with HTTP/1.0' }])
  let count = 0
  // Node keeps the first of several in `headers`. Names and values alternate in `rawHeaders`.
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  if (count === 1 ? HOST.test(headers.host ?? '') : count === 0 && httpVersion === '1.0') return undefined
  return validationFailed([{ field: 'Host', message: 'must be given once, as a host with an optional port' }])
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The path below which clients find the paths of the gateway, such as `/geo`; a proxy removes it. Empty for none. */
    basePath: string
    /** The paths of all routes as URI templates, by their paths in the router's syntax. */
    paths: Map<string, string>
    /** What an error says of an unknown path, by the beginning of the path. */
    pathHints: Map<string, string>
  }
}

/** The address of the gateway as the client knows it, such as `https://example.org/geo`; undefined without an `originOf` the request. */
export function publicUrlOf(request: FastifyRequest): string | undefined {
  const origin = originOf(request)
  return origin && origin + request.server.basePath
}

/**
 * The origin that the client asked, such as `https://example.org`. Behind a trusted proxy, `X-Forwarded-Proto` and
 * `X-Forwarded-Host` give it. Undefined if they, or `Host`, are not an HTTP address.
 */
export function originOf({ protocol, host }: FastifyRequest): string | undefined {
  const url = URL.parse(`${protocol}://${host}`)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isAddress ? url.origin : undefined
}
