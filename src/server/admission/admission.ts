import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../auth/api-key.ts'
import { authenticate, challenge } from '../../auth/authenticate.ts'
import type { FindKey } from '../../auth/key-cache.ts'
import type { KeyUsage } from '../../auth/key-usage.ts'
import type { Allowance, RateLimits } from '../../auth/rate-limit.ts'
import type { CallerAccess, ReadCatalog, SnapshotReader } from '../../catalog/snapshot/snapshot-reader.ts'
import type { Backpressure } from '../../database/backpressure.ts'
import { Cancellation, StatementCancelled, withCancellation } from '../../database/cancellation.ts'
import { CatalogError } from '../../errors.ts'
import { networkOf } from './proxies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the valid API key of the request; undefined before admission. */
    keyId: string | undefined
  }
}

/** An admitted caller: its API key, and how it reads the catalog. */
export interface Caller extends CallerAccess {
  key: ApiKey
  /** @throws `UNAUTHORIZED` if the key stops working before the read ends */
  readCatalog: ReadCatalog
  /**
   * The same for a response that has begun, so the limit on requests in flight does not apply. It begins with the key as it is now: a
   * long response ends soon after the key is revoked or a grant is withdrawn.
   * @throws `UNAUTHORIZED`
   */
  readMore: ReadCatalog
  /**
   * The caller after its body has arrived, which can be long after the head: its key may have been revoked meanwhile.
   * @throws `UNAUTHORIZED`
   */
  renew: () => Promise<Caller>
}

/**
 * Admits a request that has a valid API key and is within the limit of its key.
 * @throws `UNAUTHORIZED`, with `WWW-Authenticate` in the reply; `RATE_LIMITED`
 */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>

interface AdmissionOptions {
  findKey: FindKey
  read: SnapshotReader
  limits: RateLimits
  work: Backpressure
  keyUsage?: KeyUsage | undefined
}

/** Creates the function that admits requests. It also records the use of each key, and sets the `RateLimit` headers. */
export function createAdmission({ findKey, read, limits, work, keyUsage }: AdmissionOptions): Admission {
  return async (request, reply) => {
    const { key, now } = await identify(request, reply)
    request.keyId = key.id
    keyUsage?.record(key.id, now)
    if (key.requestsPerMinute !== null) {
      const allowance = await limits.countRequest(key.id, key.requestsPerMinute)
      setAllowance(reply, allowance)
      if (allowance.isExceeded)
        throw rateLimited(`This API key may make ${allowance.limit} requests a minute`, allowance)
    }
    let cancellation: Cancellation | undefined
    const identifyAgain = async () => {
      if (cancellation?.isCancelled) throw new StatementCancelled()
      return identify(request, reply)
    }
    const readAs = (caller: CallerAccess): ReadCatalog => {
      return (use) => {
        cancellation ??= cancellationFor(reply)
        return withCancellation(cancellation, () => read(caller, identifyAgain)(use))
      }
    }
    const readMore: ReadCatalog = async (use) => readAs(await identifyAgain())(use)
    const callerOf = (caller: Identified): Caller => ({
      ...caller,
      readCatalog: (use) => work(() => readAs(caller)(use)),
      readMore,
      renew: async () => callerOf(await identifyAgain()),
    })
    return callerOf({ key, now })
  }

  /** The key of a request, and the time at which it is valid. */
  async function identify(request: FastifyRequest, reply: FastifyReply): Promise<Identified> {
    const { authorization } = request.headers
    const now = new Date()
    try {
      return { key: await authenticate(findKey, authorization, now), now }
    } catch (error) {
      if (!(error instanceof CatalogError) || error.code !== 'UNAUTHORIZED') throw error
      // This limit never applies to requests with a valid key, because several clients may share an address.
      const allowance = await limits.countRefusal(networkOf(request.ip))
      if (allowance.isExceeded) throw rateLimited('Too many requests without a valid API key', allowance)
      void reply.header('www-authenticate', challenge(authorization))
      throw error
    }
  }
}

interface Identified extends CallerAccess {
  key: ApiKey
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10. */
function setAllowance(reply: FastifyReply, { limit, windowSeconds, remaining, resetSeconds }: Allowance): void {
  void reply.headers({
    'ratelimit-policy': `"requests";q=${limit};w=${windowSeconds}`,
    ratelimit: `"requests";r=${remaining};t=${resetSeconds}`,
  })
}

function rateLimited(message: string, { resetSeconds }: Allowance): CatalogError {
  return new CatalogError('RATE_LIMITED', message, { retryAfterSeconds: resetSeconds })
}

/** A cancellation that happens when the client disconnects before the response is sent. */
function cancellationFor({ raw }: FastifyReply): Cancellation {
  const cancellation = new Cancellation()
  // It may have disconnected while its key was looked up or its request was counted.
  if (raw.destroyed) cancellation.cancel()
  raw.once('close', () => {
    if (!raw.writableFinished) cancellation.cancel()
  })
  return cancellation
}
