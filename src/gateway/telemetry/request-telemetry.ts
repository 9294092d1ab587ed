import type { FastifyInstance } from 'fastify'
import { isTracing, startRequestSpan } from '../../tracing.ts'
import type { Metrics } from './metrics.ts'

/** Monitoring requests these paths all the time, and a page some hundred of its files, so they are logged at the level debug. */
const FREQUENT = new Set(['/healthz', '/readyz', '/assets/*'])
/** The status that nginx logs when a client disconnects before the response is complete. A response that is cut off has it too. */
const CLIENT_CLOSED_REQUEST = 499

/**
 * Reports the end of each request to the log, the metrics and the trace. They get the route, not the URL, which may contain
 * personal data.
 */
export function addRequestTelemetry(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.decorateRequest('use', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('refusal', undefined)
  const isLogged = ['info', 'debug', 'trace'].includes(app.log.level)
  // The hooks would cost a cached response 5 % of its time.
  if (!isLogged && !metrics && !isTracing()) return
  app.addHook('onRequest', (request, { raw }, done) => {
    const startMs = performance.now()
    const { method, routeOptions } = request
    const route = app.paths.get(routeOptions.url ?? '') ?? 'unknown'
    const span = startRequestSpan(method, route, request.headers)
    raw.once('close', () => {
      const status = raw.writableFinished ? raw.statusCode : CLIENT_CLOSED_REQUEST
      const durationMs = performance.now() - startMs
      span?.end(status)
      const { id, use, refusal } = request
      metrics?.countRequest({ method, route, status, durationMs, refusal })
      if (use) metrics?.countUse(use)
      if (!isLogged) return
      const entry = {
        ...{ requestId: id, method, route, status, durationMs: Math.round(durationMs * 100) / 100 },
        ...(refusal && { refusal }),
        ...(use && { keyId: use.key.id, key: use.key.name, dataset: use.dataset, items: use.items }),
      }
      const write = () => app.log[FREQUENT.has(route) && status < 400 ? 'debug' : 'info'](entry, 'request')
      if (span) span.enter(write)
      else write()
    })
    if (span) span.enter(done)
    else done()
  })
}
