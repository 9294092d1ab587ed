import type { FastifyRequest } from 'fastify'
import { CatalogError } from '../errors.ts'

/** Whether the gateway can serve: not before its database is prepared, and no more once it is told to stop. */
export class Readiness {
  state: 'starting' | 'ready' | 'stopping' = 'starting'

  /** Until there is something to serve, nothing but /healthz is; a gateway that stops serves on, but says that it is not ready. */
  refusalOf({ routeOptions: { url } }: FastifyRequest): CatalogError | undefined {
    if (this.state === 'ready') return undefined
    const isRefused = this.state === 'starting' ? url !== '/healthz' : url === '/readyz'
    if (!isRefused) return undefined
    return new CatalogError('SERVICE_UNAVAILABLE', `The service is ${this.state}`, { retryAfterSeconds: 1 })
  }
}
