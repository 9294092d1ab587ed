import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, bearerToken, challenge, type FindKey, sendsBearer } from '../../auth/api-key.ts'
import { EXPIRY_NOTICE_MS } from '../../auth/expiry.ts'
import { type KeyUsage, RequestUse } from '../../auth/key-usage.ts'
import type { FindKeyOrigins } from '../../auth/origins.ts'
import type { Allowance, RateLimits } from '../../auth/rate-limit.ts'
import { missingKey } from '../../auth/sent-key.ts'
import type { ApiKey } from '../../catalog/access.ts'
import type { CallerAccess, ReadCatalog, SnapshotReader } from '../../catalog/snapshot-reader.ts'
import { Cancellation, StatementCancelled, withCancellation } from '../../database/cancellation.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { CatalogError, tooManyRequests } from '../../errors.ts'
import { shareProcessor } from '../../fairness/processor.ts'
import { createSlots } from '../../fairness/slots.ts'
import { allowKeyOrigins, requireOrigin } from '../cors.ts'
import { networkOf } from './proxies.ts'
import { READ_TIMEOUT_MS, withinTime } from './read-timeout.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The counts of the request's items and bytes; undefined before admission. */
    use: RequestUse | undefined
  }
}

/** An admitted caller: its API key, and how it reads the catalog. */
export interface Caller extends CallerAccess {
  use: RequestUse
  /** @throws `UNAUTHORIZED` if the key stops working before the read ends */
  readCatalog: ReadCatalog
  /**
   * The same for a response that has begun, so no limit on requests in flight or on time applies, and its statements wait for their
   * turns as long as they must. It begins with the key as it is now: a long response ends soon after the key is revoked or a grant is
   * withdrawn.
   * @throws `UNAUTHORIZED`
   */
  readForStream: ReadCatalog
  /** Waits once for the turn of the key, if it must, before work that keeps the processor busy. `readCatalog` does so by itself. */
  waitForTurn: () => Promise<void> | undefined
}

/**
 * Admits a request that has a valid API key and is within the limit of its key. A POST request is admitted by its head, so that no
 * body is read without a valid key, and again after its body. That can be long after the head, so the key is checked again.
 * @throws `UNAUTHORIZED`, with `WWW-Authenticate` in the reply; `RATE_LIMITED`
 */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>

interface AdmissionOptions {
  findKey: FindKey
  findKeyOrigins: FindKeyOrigins
  read: SnapshotReader
  limits: RateLimits
  /** The maximum number of requests that use the database at the same time. */
  maxInFlight: number
  keyUsage?: KeyUsage | undefined
  /** The key of visitors without one. */
  publicKey?: string | undefined
  /** Called with the error when received items can't be counted. */
  report: (error: unknown) => void
}

/** Creates the function that admits requests. It also records what each request takes, and sets the `RateLimit` headers. */
export function createAdmission({
  findKey,
  findKeyOrigins,
  read,
  limits,
  maxInFlight,
  keyUsage,
  publicKey,
  report,
}: AdmissionOptions): Admission {
  const waitForTurn = shareProcessor()
  const inFlight = createSlots(maxInFlight)
  const admitAgain = new WeakMap<FastifyRequest, () => Promise<Caller>>()
  return async (request, reply) => {
    const again = admitAgain.get(request)
    if (again) return again()
    const { key, now } = await identify(request, reply)
    const name = nameForLimits(key, request)
    const use = new RequestUse(key, now, { usage: keyUsage, countItems: (items) => countItems(key, name, items) })
    request.use = use
    announceExpiry({ key, now }, reply)
    const isCounted = await checkLimits(key, name, reply)
    let cancellation: Cancellation | undefined
    const identifyAgain = async (snapshot?: SqlReader) => {
      if (cancellation?.isCancelled) throw new StatementCancelled()
      const later = new Date()
      const isSame = !snapshot && findKey.isUnchanged(key) && (key.expiresAt === null || key.expiresAt > later)
      return isSame ? { key, now: later } : identify(request, reply, snapshot)
    }
    const readAs = (caller: CallerAccess, hasBegun = false): ReadCatalog => {
      return async (run) => {
        const current = cancellation ?? cancellationFor(reply, key.id)
        cancellation = current
        current.hasBegun = hasBegun
        const reading = withCancellation(current, () => read(caller, identifyAgain)(run))
        const ended = await (hasBegun ? reading : withinTime(reading, READ_TIMEOUT_MS, () => current.cancel()))
        use.read(ended.readLog.itemsRead)
        return ended
      }
    }
    const readForStream: ReadCatalog = async (run) => readAs(await identifyAgain(), true)(run)
    let hasBegun = false
    const beginOnce = () => {
      if (hasBegun) return undefined
      hasBegun = true
      return waitForTurn(key.id)
    }
    const callerOf = (caller: CallerAccess): Caller => {
      const readCatalog: ReadCatalog = async (run) => {
        request.server.unread.check(key.id)
        if (!inFlight.take(key.id)) throw tooManyRequests()
        try {
          const turn = beginOnce()
          if (turn) await turn
          return await readAs(caller)(run)
        } finally {
          inFlight.release(key.id)
        }
      }
      return { ...caller, use, readCatalog, readForStream, waitForTurn: beginOnce }
    }
    if (request.method === 'POST') admitAgain.set(request, async () => callerOf(await identifyAgain()))
    // Cached responses are for a key as it is now, and the count may have waited for the primary process.
    return callerOf(isCounted ? await identifyAgain() : { key, now })
  }

  /** Counts the request, if the key has a limit. A request that begins within the limit of items gets all of its items. */
  async function checkLimits(
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

  function countItems({ itemsPerMinute }: ApiKey, name: string, items: number): void {
    if (itemsPerMinute !== null) limits.countItems(name, itemsPerMinute, items).catch(report)
  }

  /** The name under which the limits of a key count. Visitors with the public key count by their address. */
  function nameForLimits({ id }: ApiKey, { headers, ip }: FastifyRequest): string {
    const isPublic = publicKey !== undefined && bearerToken(headers.authorization ?? '') === publicKey
    return isPublic ? `${id} ${networkOf(ip)}` : id
  }

  /** The key of a request, and the time at which it is valid. */
  async function identify(request: FastifyRequest, reply: FastifyReply, snapshot?: SqlReader): Promise<CallerAccess> {
    const { authorization } = request.headers
    const now = new Date()
    let key: ApiKey | undefined
    try {
      if (!sendsBearer(authorization)) throw missingKey(request)
      key = await authenticate(findKey, authorization, now, snapshot)
      if (key.origins.length > 0) requireOrigin(request, reply, key.origins)
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
}

/** Says in a header (RFC 9110 section 11.6.3) that the key will soon stop working. */
function announceExpiry({ key: { expiresAt }, now }: CallerAccess, reply: FastifyReply): void {
  if (expiresAt === null || expiresAt.getTime() > now.getTime() + EXPIRY_NOTICE_MS) return
  void reply.header('authentication-info', `expires="${expiresAt.toISOString()}"`)
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10. The allowances have the names of the policies. */
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

function rateLimited(message: string, { resetSeconds }: Allowance): CatalogError {
  return new CatalogError('RATE_LIMITED', message, { retryAfterSeconds: resetSeconds })
}

/** A cancellation that happens when the client disconnects before the response is sent. */
function cancellationFor({ raw }: FastifyReply, keyId: string): Cancellation {
  const cancellation = new Cancellation([keyId])
  // It may have disconnected while its key was looked up or its request was counted.
  if (raw.destroyed) cancellation.cancel()
  raw.once('close', () => {
    if (!raw.writableFinished) cancellation.cancel()
  })
  return cancellation
}
