import type { FastifyRequest } from 'fastify'
import { CatalogError } from '../errors.ts'

/** Whether the gateway is ready: after its database is migrated, and until it is asked to stop. */
export class Readiness {
  state: 'starting' | 'ready' | 'stopping' = 'starting'

  /**
   * The error for a request that can't be served now. A gateway that starts answers only /healthz. A gateway that stops answers
   * all requests, but /readyz reports that it is not ready.
   */
  refusalOf({ routeOptions: { url } }: FastifyRequest): CatalogError | undefined {
    if (this.state === 'ready') return undefined
    const isRefused = this.state === 'starting' ? url !== '/healthz' : url === '/readyz'
    if (!isRefused) return undefined
    return new CatalogError('SERVICE_UNAVAILABLE', `The service is ${this.state}`, { retryAfterSeconds: 1 })
  }
}
