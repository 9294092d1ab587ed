import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../auth/api-key.ts'
import { authenticate, challenge } from '../auth/authenticate.ts'
import { createRateLimiter } from '../auth/rate-limit.ts'
import type { FindKey } from '../auth/stored-keys.ts'
import type { CatalogReader, ReadCatalog } from '../catalog/reader.ts'
import type { Changes } from '../database/changes.ts'
import { CatalogError } from '../errors.ts'
import type { Asker } from './answer-cache.ts'

/** Who was let in, and how they may read. */
export interface Admitted extends Asker {
  key: ApiKey
  readCatalog: ReadCatalog
}

/**
 * Lets a request in, for its API key.
 * @throws `UNAUTHORIZED`, with the challenge in the reply's headers; `RATE_LIMITED`
 */
export type Gatekeeper = (request: FastifyRequest, reply: FastifyReply) => Promise<Admitted>

export function createGatekeeper(findKey: FindKey, read: CatalogReader, changes: Changes): Gatekeeper {
  const countRequest = createRateLimiter()
  return async ({ headers: { authorization } }, reply) => {
    const now = new Date()
    try {
      const key = await authenticate(findKey, authorization, now)
      if (key.requestsPerMinute !== null) await countRequest(key.id, key.requestsPerMinute)
      return { key, now, since: changes.now(), readCatalog: read(key, now) }
    } catch (error) {
      if (error instanceof CatalogError && error.code === 'UNAUTHORIZED') {
        void reply.header('www-authenticate', challenge(authorization))
      }
      throw error
    }
  }
}
