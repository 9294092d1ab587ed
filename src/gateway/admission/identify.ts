import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, challenge, type FindKey, sendsBearer } from '../../auth/api-key.ts'
import type { FindKeyOrigins } from '../../auth/origins.ts'
import type { Allowance, RateLimits } from '../../auth/rate-limit.ts'
import type { ApiKey } from '../../catalog/access.ts'
import type { CallerAccess } from '../../catalog/snapshot-reader.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { CatalogError } from '../../errors/errors.ts'
import { allowKeyOrigins, requireOrigin } from '../cors.ts'
import { networkOf } from './proxies.ts'
import { missingKey } from './sent-key.ts'

/** Where keys are found, and requests without a valid one counted. */
export interface Identification {
  findKey: FindKey
  findKeyOrigins: FindKeyOrigins
  limits: RateLimits
}

/**
 * The key of a request, as it is now or as a snapshot has it, and the time at which it is valid.
 * @throws `UNAUTHORIZED`, with `WWW-Authenticate` in the reply; `RATE_LIMITED` for an address that sends many requests without a valid key
 */
export async function identify(
  { findKey, findKeyOrigins, limits }: Identification,
  request: FastifyRequest,
  reply: FastifyReply,
  snapshot?: SqlReader,
): Promise<CallerAccess> {
  const { authorization } = request.headers
  const now = new Date()
  let key: ApiKey | undefined
  try {
    if (!sendsBearer(authorization)) throw missingKey(request)
    key = await authenticate(findKey, authorization, now, snapshot)
    if (key.origins.length > 0) requireOrigin(request, reply, key)
    return { key, now }
  } catch (error) {
    if (!(error instanceof CatalogError) || error.code !== 'UNAUTHORIZED') throw error
    if (!key) await allowKeyOrigins(request, reply, findKeyOrigins)
    // This limit never applies to requests with a valid key, because several clients may share an address.
    const allowance = await limits.countRefusal(networkOf(request.ip))
    if (allowance.isExceeded) throw rateLimited('Too many requests without a valid API key', allowance)
    void reply.header('www-authenticate', challenge(authorization))
    throw error
  }
}

/**
 * Counts the request, if its key has a limit, and sets the headers of draft-ietf-httpapi-ratelimit-headers-10. A request that begins within
 * the limit of items gets all of its items.
 * @param name under which the limits of the key count
 * @returns whether the key has a limit
 * @throws `RATE_LIMITED`
 */
export async function countForKey(
  limits: RateLimits,
  { requestsPerMinute, itemsPerMinute }: ApiKey,
  name: string,
  reply: FastifyReply,
): Promise<boolean> {
  const requests = requestsPerMinute === null ? undefined : await limits.countRequest(name, requestsPerMinute)
  const items = itemsPerMinute === null ? undefined : await limits.countItems(name, itemsPerMinute, 0)
  if (!requests && !items) return false
  setAllowances(reply, { ...(requests && { requests }), ...(items && { items }) })
  if (requests?.isExceeded) throw rateLimited(`This API key may make ${requests.limit} requests a minute`, requests)
  if (items?.remaining === 0) throw rateLimited(`This API key may receive ${items.limit} items a minute`, items)
  return true
}

/** The allowances have the names of the policies. */
function setAllowances(reply: FastifyReply, allowances: Readonly<Record<string, Allowance>>): void {
  const listOf = (describe: (allowance: Allowance) => string) =>
    Object.entries(allowances)
      .map(([name, allowance]) => `"${name}";${describe(allowance)}`)
      .join(', ')
  void reply.headers({
    'ratelimit-policy': listOf(({ limit, windowSeconds }) => `q=${limit};w=${windowSeconds}`),
    ratelimit: listOf(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
  })
}

/** Returns `RATE_LIMITED`. */
function rateLimited(message: string, { resetSeconds }: Allowance): CatalogError {
  return new CatalogError('RATE_LIMITED', message, { retryAfterSeconds: resetSeconds })
}
