import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, challenge } from '../auth/authenticate.ts'
import { createRateLimiter } from '../auth/rate-limit.ts'
import { catalogReader, type ReadCatalog } from '../catalog/reader.ts'
import { CatalogError } from '../errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'

/**
 * Gives the way to read for the request's API key.
 * @throws `UNAUTHORIZED`, with the challenge in the reply's headers; `RATE_LIMITED`
 */
export type Gatekeeper = (request: FastifyRequest, reply: FastifyReply) => Promise<ReadCatalog>

export function createGatekeeper(prisma: PrismaClient): Gatekeeper {
  const countRequest = createRateLimiter()
  return async (request, reply) => {
    const now = new Date()
    try {
      const key = await authenticate(prisma, request.headers.authorization, now)
      await countRequest(key)
      return catalogReader(prisma, key, now)
    } catch (error) {
      if (error instanceof CatalogError && error.code === 'UNAUTHORIZED') {
        void reply.header('www-authenticate', challenge(request.headers.authorization))
      }
      throw error
    }
  }
}
