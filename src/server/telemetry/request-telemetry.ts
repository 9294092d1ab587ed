import type { FastifyInstance } from 'fastify'
import { pathTemplate } from '../../rest/routes.ts'
import { isTracing, startRequestSpan } from '../../tracing.ts'
import type { Metrics } from './metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the API key that the request came with, once it is known to be good. */
    keyId: string | undefined
  }
}

/** What those who watch over the gateway ask for all the time. */
const PROBES = new Set(['/healthz', '/readyz'])
/** As nginx has it, of a client that has gone before it was answered. */
const CLIENT_GONE = 499

/** Notes every request at its end, in the log, the metrics and the trace: by the route, never by the URL, which may hold anything. */
export function addRequestTelemetry(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.decorateRequest('keyId', undefined)
  const isLogged = ['info', 'debug', 'trace'].includes(app.log.level)
  // It would cost a kept answer a twentieth for nothing.
  if (!isLogged && !metrics && !isTracing()) return
  const routes = new Map<string, string>()
  app.addHook('onRoute', ({ url }) => {
    routes.set(url, pathTemplate(url))
  })
  app.addHook('onRequest', (request, { raw }, done) => {
    const startMs = performance.now()
    const { method, routeOptions } = request
    const route = routes.get(routeOptions.url ?? '') ?? 'unknown'
    const span = startRequestSpan(method, route, request.headers)
    raw.once('close', () => {
      const status = raw.writableFinished ? raw.statusCode : CLIENT_GONE
      const durationMs = performance.now() - startMs
      span?.end(status)
      metrics?.countRequest({ method, route, status, durationMs })
      if (!isLogged) return
      const { id, keyId } = request
      const entry = { requestId: id, method, route, status, durationMs: Math.round(durationMs * 100) / 100, keyId }
      if (PROBES.has(route)) app.log.debug(entry, 'probe')
      else app.log.info(entry, 'request')
    })
    if (span) span.enter(done)
    else done()
  })
}
