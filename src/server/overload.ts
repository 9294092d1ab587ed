import type { FastifyInstance } from 'fastify'
import { CatalogError } from '../errors.ts'

/** These are asked whether the service is well; the answer is not to depend on how busy it is. */
const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz'])

/**
 * Refuses at once what is beyond the number of requests in flight: a queue would only make all of them late, and grow.
 * The refused get `SERVICE_UNAVAILABLE`, and may try again in a second.
 */
export function shedLoad(app: FastifyInstance, maxInFlight: number): void {
  let inFlight = 0
  app.addHook('onRequest', (request, { raw }, done) => {
    if (ALWAYS_ANSWERED.has(request.routeOptions.url ?? '')) return done()
    if (inFlight >= maxInFlight) {
      return done(
        new CatalogError('SERVICE_UNAVAILABLE', 'Too many requests at once; try again', { retryAfterSeconds: 1 }),
      )
    }
    inFlight += 1
    // Comes for every answer, and for a client that has gone without one; Fastify's onResponse comes for answers alone.
    raw.once('close', () => {
      inFlight -= 1
    })
    done()
  })
}
