import { METHODS } from 'node:http'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
  LogController,
} from 'fastify'
import type { FindKeyOrigins } from '../auth/origins.ts'
import type { LimitsConfig } from '../config/config.ts'
import { CatalogError } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'
import {
  answerClientError,
  closeConnections,
  countConnections,
  limitConnections,
  MAX_URL_LENGTH,
  urlTooLong,
} from './admission/connection-limits.ts'
import { answerInOrder } from './admission/pipelining.ts'
import { networkOf, trustProxies } from './admission/proxies.ts'
import { MAX_BODY_BYTES } from './admission/refused-body.ts'
import { UnreadResponses } from './admission/unread.ts'
import { allowKeyOrigins, allowOrigins, preflightHeaders, reportRefusedOrigins } from './cors.ts'
import { sendError, toCatalogError, withContact } from './error-reply.ts'
import type { Readiness } from './readiness.ts'
import { readBodies } from './request-body.ts'
import { chooseRequestId, findFault } from './request-head.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { logOutages } from './telemetry/outage.ts'
import { addRequestTelemetry } from './telemetry/request-telemetry.ts'

/*
 * Everything that holds for each request before its route: timeouts, limits, headers, CORS and errors.
 */

/**
 * During a request, a connection without traffic is closed after this time. It is longer than MAX_WAIT_MS (config.ts), so that
 * the client gets an error first. Between requests Fastify's keepAliveTimeout applies, which is 72 seconds.
 */
const IDLE_TIMEOUT_MS = 65_000
/** How often Node checks for requests that take too long to arrive. */
const CHECK_INTERVAL_MS = 1_000
/** As long as Node accepts a whole head, so the router never refuses a parameter by itself. */
const MAX_PATH_PARAMETER_LENGTH = 16 * 1024

declare module 'fastify' {
  interface FastifyInstance {
    /** For pages that may read a 405; undefined in an application without keys. */
    findKeyOrigins?: FindKeyOrigins
  }
  interface FastifyContextConfig {
    /** Whether the route answers while the gateway starts. */
    needsNoDatabase?: boolean
  }
}

/** The settings of the HTTP server. */
export interface HttpOptions {
  corsOrigins: readonly string[]
  /** The path below which a proxy has the gateway, such as `/geo`; empty by default. */
  basePath?: string
  /** Without it nothing is logged. */
  log?: FastifyBaseLogger
  metrics?: Metrics | undefined
  limits: LimitsConfig
  /** Whom to ask for a key: an e-mail address, a URL or a text. */
  contact?: string | undefined
  /** Without it the application is ready at once. */
  readiness?: Readiness
}

/** Creates a Fastify instance without routes. */
export function createHttp(options: HttpOptions): FastifyInstance {
  const { corsOrigins, basePath = '', log, metrics, limits, readiness, contact } = options
  const isTrustedProxy = trustProxies(limits.trustedProxies)
  const app = fastify({
    trustProxy: limits.trustedProxies.length > 0 && isTrustedProxy,
    ...(log && { loggerInstance: log }),
    // Log lines have the request's id. A logger for each request would take longer than a cached response.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: chooseRequestId,
    requestTimeout: limits.receiveTimeoutMs,
    connectionTimeout: IDLE_TIMEOUT_MS,
    http: {
      headersTimeout: limits.receiveTimeoutMs,
      // Fastify sets it later, but Node refuses a headersTimeout above it, and has 300 seconds by default.
      requestTimeout: limits.receiveTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // findFault answers with an error body.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientError,
    // Requests in flight are answered while the application closes.
    return503OnClosing: false,
    // A stop has limits of its own (config/stop-times.ts). Fastify's would end it with an error while a slow client still reads.
    pluginTimeout: 0,
    bodyLimit: MAX_BODY_BYTES,
    // query-string.ts parses query strings, and only those of requests without a cached response.
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_LENGTH, querystringParser: () => ({}) },
    // Fastify calls this for a path that is not percent-encoded UTF-8.
    frameworkErrors: (_error, request, reply) => sendError(request, reply.headers(SECURITY_HEADERS), UNDECODABLE_PATH),
  })
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }

  app.decorate('basePath', basePath)
  app.decorate('pathHints', new Map<string, string>())
  app.decorate('paths', new Map<string, string>())
  app.addHook('onRoute', ({ url }) => void app.paths.set(url, pathTemplate(url)))
  readBodies(app)
  answerInOrder(app)
  addRequestTelemetry(app, metrics)
  logOutages(app)
  limitConnections(app.server, countConnections(limits.maxConnectionsPerAddress, isTrustedProxy))
  closeConnections(app)
  const ownerOf = ({ use, ip }: FastifyRequest) => use?.key.id ?? networkOf(ip)
  app.decorate('unread', new UnreadResponses(app, limits, ownerOf))
  // RFC 9110 section 10.1.1 lets a server ignore expectations that it doesn't know.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  sendTogether(app)
  if (corsOrigins.length > 0) {
    app.addHook('onRequest', (request, reply, done) => {
      allowOrigins(request, reply, corsOrigins)
      done()
    })
  }
  reportRefusedOrigins(app)
  // After CORS, so that scripts on other origins can read a refusal too; before the body is read. Hooks use callbacks, because a
  // promise for each would take a tenth of the time of a cached response.
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
    done(refusalOf(request, reply, readiness))
  })
  app.setNotFoundHandler((request, reply) => sendError(request, reply, unknownPath(request)))
  app.setErrorHandler((error, request, reply) =>
    sendError(request, reply, withContact(toCatalogError(error, request), request, contact)),
  )
  return app
}

/**
 * Sends all responses of one turn of the event loop together, at its end. The receiving process, for example a proxy, then wakes
 * up once for all of them. On a machine with two cores this gives up to 75 % more responses per second (test/bench).
 */
function sendTogether(app: FastifyInstance): void {
  let ready: (() => void)[] = []
  const flush = () => {
    const sends = ready
    ready = []
    for (const send of sends) send()
  }
  app.addHook('onSend', (_request, _reply, _payload, done) => {
    if (ready.push(done) === 1) setImmediate(flush)
  })
}

/** Why a request is refused before its key, its parameters and its body are read. */
function refusalOf(
  request: FastifyRequest,
  reply: FastifyReply,
  readiness: Readiness | undefined,
): CatalogError | undefined {
  // A browser sends the request, whose 414 a script can read, only after a preflight request that succeeds.
  if (request.url.length > MAX_URL_LENGTH && request.method !== 'OPTIONS') return urlTooLong()
  const fault = findFault(request.raw)
  // A proxy may have read another host or another body in this request, so the connection is not used again.
  if (fault) void reply.header('connection', 'close')
  return fault ?? (request.is404 ? undefined : readiness?.refusalOf(request))
}

/**
 * Answers what needs no key: requests for unknown paths, and preflight requests. Pages of the origins of all keys may read the answers, and
 * those with 405. Otherwise a browser reports a missing CORS header instead of a wrong path.
 */
export function answerWithoutKey(app: FastifyInstance, findKeyOrigins: FindKeyOrigins): void {
  app.decorate('findKeyOrigins', findKeyOrigins)
  app.addHook('onRequest', (request, reply, done) => {
    // The router takes * for /. Only OPTIONS can ask the server as a whole (RFC 9112 section 3.2.4).
    const isUnknown = request.is404 || (request.url.startsWith('*') && request.method !== 'OPTIONS')
    const isPreflight = request.method === 'OPTIONS'
    if (!isUnknown && !isPreflight) return done()
    void allowKeyOrigins(request, reply, findKeyOrigins).then((isAllowed) => {
      if (!isUnknown) done()
      else if (isPreflight && isAllowed) void reply.code(204).headers(preflightHeaders(ANY_METHODS)).send()
      else done(unknownPath(request))
    })
  })
}

/** The methods of a page's request for an unknown path. */
const ANY_METHODS = 'GET, HEAD, POST, OPTIONS'

const UNDECODABLE_PATH = new CatalogError('NOT_FOUND', 'There is no such path: it is not percent-encoded UTF-8')

/** The error names the path that is the same but for slashes and capital letters, or else what there is at such a path, or the nearest path. */
function unknownPath({ url, server }: FastifyRequest): CatalogError {
  const parts = url.toLowerCase().split('?')[0]?.split('/').filter(Boolean) ?? []
  const path = `/${parts.join('/')}`
  // The last of several is taken: /v1/dataset-items/nearby, which has no values.
  const templates = [...server.paths.values()].toSorted((a, b) => b.indexOf('{') - a.indexOf('{'))
  const like = new Map(templates.map((template) => [withValues(template, parts), template]))
  const [, listed] = [...server.pathHints].find(([prefix]) => `${path}/`.startsWith(prefix)) ?? []
  // A short path is like many others, and to compare a long one takes time.
  const isCompared = listed === undefined && path.length > 5 && path.length <= 100
  const names = [...like.keys()].toSorted((a, b) => a.length - b.length)
  const typed = isCompared ? nearestName(path, names, Math.floor(path.length / 4)) : undefined
  const nearest = like.get(path) ?? like.get(typed ?? '')
  const hint = nearest === undefined ? listed : `The nearest one is ${nearest}`
  return new CatalogError('NOT_FOUND', `There is no such path${hint === undefined ? '' : `. ${hint}`}`)
}

/** A URI template with the parts of a path as its values. The last part may have another ending: `0.pbf` for `{y}.mvt`. */
function withValues(template: string, parts: readonly string[]): string {
  const segments = template.split('/').map((segment, n) => {
    const [name = '', ending] = segment.split('}')
    return ending === undefined ? name : (parts[n - 1] ?? '').replace(ending && /\.\w+$/, '') + ending
  })
  return segments.join('/')
}

/** A path of the router as a URI template (RFC 6570): `/v1/datasets/{datasetId}`. */
export function pathTemplate(path: string): string {
  return path.replace(/:(\w+)(\(\.\+\))?/g, '{$1}')
}

/** The parameters of the path, which Fastify has decoded. */
export function pathParameters({ params }: FastifyRequest): Record<string, string> {
  const texts: Record<string, string> = {}
  if (typeof params !== 'object' || params === null) return texts
  for (const [name, value] of Object.entries(params)) texts[name] = String(value)
  return texts
}

export interface Route {
  path: string
  /** By default GET. */
  methods?: readonly ('GET' | 'POST')[]
  /** Whether it needs no database, so that it answers while the gateway starts. */
  needsNoDatabase?: boolean
  /** In bytes; by default that of the server. */
  bodyLimit?: number
  /** Runs before the body is read. */
  onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  /** Sends the response, or throws. */
  handler: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>
  errorHandler?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
}

async function respond(handler: Route['handler'], request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    await handler(request, reply)
  } catch (error) {
    // The error handler sends the response.
    void reply.send(error)
  }
}

/** Reserves memory for a body before it is received. Clients with a key could hold many that never end. */
async function reserveBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const { bodyLimit = MAX_BODY_BYTES } = request.routeOptions
  if (length !== undefined || coding !== undefined)
    request.server.unread.reserve(request, reply, Math.min(Number(length ?? bodyLimit), bodyLimit))
}

/** Adds a route for all HTTP methods: the given ones, HEAD for GET, OPTIONS for preflight requests, and 405 for the others. */
export function addRoute(
  app: FastifyInstance,
  { path, methods = ['GET'], needsNoDatabase = false, handler, ...hooks }: Route,
): void {
  const handled: HTTPMethods[] = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]
  const allowed = [...handled, 'OPTIONS']
  const allow = allowed.join(', ')

  app.route({
    url: path,
    method: handled,
    config: { needsNoDatabase },
    // Fastify's own HEAD route sends Content-Length: 0 for a response without a payload, for example a 304. A client would take
    // that for the length of GET's body (RFC 9110 section 8.6).
    exposeHeadRoute: false,
    ...(methods.includes('POST') && { preParsing: reserveBody }),
    // It returns no promise. Fastify would track a promise until the response is sent, which takes 10 % of a cached response's time.
    handler: (request, reply) => {
      void respond(handler, request, reply)
    },
    ...hooks,
  })

  app.options(path, (request, reply) => {
    void reply.header('allow', allow)
    if (request.headers.origin !== undefined) void reply.headers(preflightHeaders(allow))
    return reply.code(204).send()
  })

  app.route({
    url: path,
    method: app.supportedMethods.filter((method): method is HTTPMethods => !allowed.includes(method)),
    onRequest: async (request, reply) => {
      void reply.header('allow', allow)
      const { findKeyOrigins } = request.server
      if (findKeyOrigins) await allowKeyOrigins(request, reply, findKeyOrigins)
      throw new CatalogError('METHOD_NOT_ALLOWED', `This path takes ${allow}`)
    },
    handler: () => {},
    ...(hooks.errorHandler && { errorHandler: hooks.errorHandler }),
  })
}
