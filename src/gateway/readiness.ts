import type { FastifyRequest } from 'fastify'
import { type CatalogError, refused } from '../errors/errors.ts'

/** Whether the gateway is ready: after its database is migrated, and until it is asked to stop. */
export class Readiness {
  state: 'starting' | 'ready' | 'stopping' = 'starting'

  /**
   * The error for a request that can't be served now. A gateway that starts answers only what needs no database: /healthz and the pages,
   * whose requests are tried again. A gateway that stops answers all requests, but /readyz reports that it is not ready.
   */
  refusalOf({ routeOptions: { url, config } }: FastifyRequest): CatalogError | undefined {
    if (this.state === 'ready') return undefined
    const isRefused = this.state === 'starting' ? !config.needsNoDatabase : url === '/readyz'
    if (!isRefused) return undefined
    return refused(this.state)
  }
}
