import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../auth/api-key.ts'
import { authenticate, challenge } from '../auth/authenticate.ts'
import type { KeyUses } from '../auth/key-uses.ts'
import type { Allowance, RateLimits } from '../auth/rate-limit.ts'
import type { FindKey } from '../auth/stored-keys.ts'
import type { CatalogReader, ReadCatalog } from '../catalog/reader.ts'
import type { Changes } from '../database/changes.ts'
import { Waiter, whileWanted } from '../database/waiter.ts'
import type { Workload } from '../database/workload.ts'
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

interface GatekeeperOptions {
  findKey: FindKey
  read: CatalogReader
  changes: Changes
  limits: RateLimits
  work: Workload
  uses?: KeyUses | undefined
}

export function createGatekeeper({ findKey, read, changes, limits, work, uses }: GatekeeperOptions): Gatekeeper {
  return async (request, reply) => {
    const now = new Date()
    const key = await identify(request, now, reply)
    request.keyId = key.id
    uses?.note(key.id, now)
    if (key.requestsPerMinute !== null) {
      const allowance = await limits.countRequest(key.id, key.requestsPerMinute)
      setAllowance(reply, allowance)
      if (allowance.isExceeded)
        throw rateLimited(`This API key may make ${allowance.limit} requests a minute`, allowance)
    }
    const readCatalog: ReadCatalog = (use) => work(() => whileWanted(waiterFor(reply), () => read(key, now)(use)))
    return { key, now, since: changes.now(), readCatalog }
  }

  async function identify(request: FastifyRequest, now: Date, reply: FastifyReply) {
    const { authorization } = request.headers
    try {
      return await authenticate(findKey, authorization, now)
    } catch (error) {
      if (!(error instanceof CatalogError) || error.code !== 'UNAUTHORIZED') throw error
      // A good key is let in from the same address all the same: others may share it.
      const allowance = await limits.countRefusal(request.ip)
      if (allowance.isExceeded) throw rateLimited('Too many requests without a valid API key', allowance)
      void reply.header('www-authenticate', challenge(authorization))
      throw error
    }
  }
}

/** As draft-ietf-httpapi-ratelimit-headers-10 has it. */
function setAllowance(reply: FastifyReply, { limit, windowSeconds, remaining, resetSeconds }: Allowance): void {
  void reply.headers({
    'ratelimit-policy': `"requests";q=${limit};w=${windowSeconds}`,
    ratelimit: `"requests";r=${remaining};t=${resetSeconds}`,
  })
}

function rateLimited(message: string, { resetSeconds }: Allowance): CatalogError {
  return new CatalogError('RATE_LIMITED', message, { retryAfterSeconds: resetSeconds })
}

/** Who waits for an answer, until it was sent or the client has gone. */
function waiterFor({ raw }: FastifyReply): Waiter {
  const waiter = new Waiter()
  raw.once('close', () => {
    if (!raw.writableFinished) waiter.leave()
  })
  return waiter
}
