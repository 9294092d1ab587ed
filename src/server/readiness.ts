import type { FastifyInstance } from 'fastify'
import { CatalogError } from '../errors.ts'

/** Whether the gateway can serve: not before its database is prepared, and no more once it is told to stop. */
export class Readiness {
  state: 'starting' | 'ready' | 'stopping' = 'starting'
}

/** Until there is something to serve, nothing but /healthz is; a gateway that stops serves on, but says that it is not ready. */
export function refuseUntilReady(app: FastifyInstance, readiness: Readiness): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { url } = request.routeOptions
    const isRefused =
      readiness.state === 'starting' ? url !== '/healthz' : readiness.state === 'stopping' && url === '/readyz'
    if (!isRefused) return done()
    const what = readiness.state === 'starting' ? 'starting' : 'stopping'
    done(new CatalogError('SERVICE_UNAVAILABLE', `The service is ${what}`, { retryAfterSeconds: 1 }))
  })
}
