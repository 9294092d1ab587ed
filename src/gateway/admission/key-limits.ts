import type { FastifyReply } from 'fastify'
import type { Allowance, RateLimits } from '../../auth/rate-limit.ts'
import type { ApiKey } from '../../catalog/access.ts'
import { CatalogError } from '../../errors/errors.ts'

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
export function rateLimited(message: string, { resetSeconds }: Allowance): CatalogError {
  return new CatalogError('RATE_LIMITED', message, { retryAfterSeconds: resetSeconds })
}
