import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FindKeyOrigins, pageOriginOf } from '../auth/origins.ts'
import type { ApiKey } from '../catalog/access.ts'
import { CatalogError, escapeControls } from '../errors/errors.ts'
import { appendVary } from './negotiation.ts'
import { originOf } from './request-head.ts'

/*
 * The pages of other origins whose scripts may read a response (the CORS protocol of the Fetch standard). The origins of CORS_ORIGINS may
 * read all responses. Only the origins of a key with origins may read a response to this key.
 */

const ALLOW_ORIGIN = 'access-control-allow-origin'

/** Response headers that a script on another origin may read. */
const EXPOSED_HEADERS = [
  ...['ETag', 'Content-Disposition', 'Content-Crs', 'Link', 'Repr-Digest', 'Preference-Applied', 'Ignored-Parameters'],
  'X-Request-Id',
  ...['Authentication-Info', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate'],
].join(', ')

/**
 * Request headers that a script on another origin may send, by who sends them. The gateway ignores most: they are here because a browser
 * refuses a whole request for one header that is missing.
 */
const REQUEST_HEADERS = [
  // Pages and their HTTP libraries. Browsers ask about Accept too, if it has quotes or more than 128 bytes.
  ...['Authorization', 'Accept', 'Content-Type', 'Prefer', 'X-Request-Id', 'X-Correlation-Id', 'X-Requested-With'],
  ...['X-CSRF-Token', 'X-XSRF-Token', 'X-API-Key'],
  // HTTP caches, PMTiles and other readers of parts.
  ...['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Range', 'Range', 'Cache-Control', 'Pragma'],
  // Apollo Client with clientAwareness and enhancedClientAwareness; Apollo Kotlin and iOS.
  ...['apollographql-client-name', 'apollographql-client-version'],
  ...['apollographql-library-name', 'apollographql-library-version'],
  ...['X-APOLLO-OPERATION-ID', 'X-APOLLO-OPERATION-NAME', 'X-APOLLO-OPERATION-TYPE', 'Apollo-Require-Preflight'],
  // Any GraphQL client, for the protection of other servers against forged requests: GraphQL Yoga, Hot Chocolate.
  ...['GraphQL-Require-Preflight', 'GraphQL-Preflight', 'x-graphql-yoga-csrf'],
  // The Model Context Protocol; EventSource libraries.
  ...['Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version', 'Mcp-Session-Id', 'Last-Event-ID'],
  // W3C Trace Context and Baggage (OpenTelemetry, Azure, Elastic, Grafana Faro), B3 (Zipkin), Jaeger.
  ...['traceparent', 'tracestate', 'baggage', 'b3', 'X-B3-TraceId', 'X-B3-SpanId', 'X-B3-ParentSpanId', 'X-B3-Sampled'],
  ...['X-B3-Flags', 'uber-trace-id'],
  // Sentry, New Relic, Elastic, Application Insights, AWS X-Ray, Google Cloud.
  ...['sentry-trace', 'newrelic', 'elastic-apm-traceparent', 'Request-Id', 'Request-Context', 'X-Amzn-Trace-Id'],
  'X-Cloud-Trace-Context',
  // Datadog.
  ...['x-datadog-trace-id', 'x-datadog-parent-id', 'x-datadog-origin', 'x-datadog-sampling-priority', 'x-datadog-tags'],
  // Every other name. Safari knows it since 15.4, and it never includes Authorization (section 4.9 of the Fetch standard).
  '*',
].join(', ')

/** Browsers may cache a preflight response for a day. */
const PREFLIGHT_MAX_AGE_SECONDS = 86_400

/** The headers of a response to a preflight request. */
export function preflightHeaders(methods: string) {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': PREFLIGHT_MAX_AGE_SECONDS,
  }
}

/** Lets a page read the response if its origin is one of these; `*` is any origin. */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  const { origin } = request.headers
  const isOpen = origins.includes('*')
  if (!isOpen) appendVary(reply, 'Origin')
  if (!isOpen && (origin === undefined || !origins.includes(origin))) return
  void reply.headers({ [ALLOW_ORIGIN]: isOpen ? '*' : origin, 'access-control-expose-headers': EXPOSED_HEADERS })
}

/** The page of this gateway that shows a key's places in a frame of the key's origins (api/pages/embed.ts). */
export const embedPath = (keyId: string) => `/embed/${keyId}`

/**
 * Lets only pages of the key's origins, and the frame in them, use the key and read the response.
 * @throws `UNAUTHORIZED` if the request is not of one of them
 */
export function requireOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, origins }: Pick<ApiKey, 'id' | 'origins'>,
): void {
  // A long response looks up its key again after its head was sent.
  if (!reply.raw.headersSent) allowOrigins(request, reply.removeHeader(ALLOW_ORIGIN), origins)
  const origin = pageOriginOf(request.headers)
  if (origin !== undefined && (origins.includes(origin) || isOfFrame(request, origin, id))) return
  const seen = origin === undefined ? 'it has neither Origin nor Referer' : 'its Origin or Referer is another one'
  throw new CatalogError(
    'UNAUTHORIZED',
    `This API key works only for requests of web pages with its origins, and ${seen}`,
  )
}

/**
 * Whether the frame of a key has sent the request. Its page has the origin of the gateway. It may have another scheme than the request, if a
 * proxy speaks TLS. That opens the response to no other page: it would be of another origin, which can't read it.
 */
function isOfFrame({ headers: { referer = '' }, host }: FastifyRequest, origin: string, keyId: string): boolean {
  const page = URL.parse(referer)
  return page?.origin === origin && page.host === host && page.pathname.endsWith(embedPath(keyId))
}

/**
 * Lets the pages of all keys with origins read the response to a request without a valid key. If the database is away, only those of
 * CORS_ORIGINS may: each request with a key fails then, too.
 * @returns whether the page of the request may read it
 */
export async function allowKeyOrigins(
  request: FastifyRequest,
  reply: FastifyReply,
  findKeyOrigins: FindKeyOrigins,
): Promise<boolean> {
  const { origin } = request.headers
  if (origin === undefined || reply.hasHeader(ALLOW_ORIGIN)) return origin !== undefined
  const found = await findKeyOrigins().catch(() => undefined)
  const isAllowed = found?.all.has(origin) ?? false
  if (isAllowed) allowOrigins(request, reply, [origin])
  return isAllowed
}

/** Clients choose the origins, so the number of lines in the log is limited. */
const MAX_ORIGINS = 20
const MAX_LENGTH = 200

/**
 * Logs the first request of each page of another origin that may not read the response. The browser tells only the user of the page.
 */
export function reportRefusedOrigins(app: FastifyInstance): void {
  const reported = new Set<string>()
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { origin } = request.headers
    const isRefused = origin !== undefined && !reply.hasHeader(ALLOW_ORIGIN) && origin !== originOf(request)
    if (isRefused && reported.size < MAX_ORIGINS && !reported.has(origin)) {
      reported.add(origin)
      const name = escapeControls(origin.slice(0, MAX_LENGTH))
      app.log.warn(
        { requestId: request.id },
        `A page of the origin ${name} may not read the response; to allow it, add the origin to CORS_ORIGINS or to its key`,
      )
    }
    done()
  })
}
