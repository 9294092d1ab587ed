import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { CatalogError } from '../errors.ts'

/** The parameters of the path, which Fastify has decoded. */
export function pathParameters({ params }: FastifyRequest): Record<string, string> {
  const given = typeof params === 'object' && params !== null ? Object.entries(params) : []
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

interface Route {
  path: string
  methods: readonly ('GET' | 'POST')[]
  /** Runs before the body is read. */
  onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  /** Sends the response, or throws. */
  handler: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>
  errorHandler?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
}

/** Browsers may cache a preflight response for a day. */
const PREFLIGHT_MAX_AGE_SECONDS = 86_400

async function respond(handler: Route['handler'], request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    await handler(request, reply)
  } catch (error) {
    // The error handler sends the response.
    void reply.send(error)
  }
}

/** Adds a route for all HTTP methods: the given ones, HEAD for GET, OPTIONS for preflight requests, and 405 for the others. */
export function addRoute(app: FastifyInstance, { path, methods, handler, ...hooks }: Route): void {
  const handled: HTTPMethods[] = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]
  const allowed = [...handled, 'OPTIONS']
  const allow = allowed.join(', ')

  app.route({
    url: path,
    method: handled,
    // Fastify's own HEAD route sends Content-Length: 0 for a response without a payload, for example a 304. A client would take
    // that for the length of GET's body (RFC 9110 section 8.6).
    exposeHeadRoute: false,
    // It returns no promise. Fastify would track a promise until the response is sent, which takes 10 % of a cached response's time.
    handler: (request, reply) => {
      void respond(handler, request, reply)
    },
    ...hooks,
  })

  app.options(path, (request, reply) => {
    void reply.header('allow', allow)
    if (request.headers.origin !== undefined) {
      void reply.headers({
        'access-control-allow-methods': allow,
        'access-control-allow-headers':
          'Authorization, Content-Type, If-Match, If-None-Match, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Prefer, X-Request-Id, ' +
          'traceparent, tracestate',
        'access-control-max-age': PREFLIGHT_MAX_AGE_SECONDS,
      })
    }
    return reply.code(204).send()
  })

  app.route({
    url: path,
    method: app.supportedMethods.filter((method): method is HTTPMethods => !allowed.includes(method)),
    onRequest: async (_request, reply) => {
      void reply.header('allow', allow)
      throw new CatalogError('METHOD_NOT_ALLOWED', `This path takes ${allow}`)
    },
    handler: () => {},
    ...(hooks.errorHandler && { errorHandler: hooks.errorHandler }),
  })
}
