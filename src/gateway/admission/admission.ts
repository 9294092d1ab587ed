import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerToken } from '../../auth/api-key.ts'
import { EXPIRY_NOTICE_MS } from '../../auth/expiry.ts'
import { type KeyUsage, RequestUse } from '../../auth/key-usage.ts'
import type { ApiKey } from '../../catalog/access.ts'
import type { CallerAccess, ReadCatalog, SnapshotReader } from '../../catalog/snapshot-reader.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { RequestBudget } from './budget.ts'
import { createSlots } from './fair-share.ts'
import { countForKey, type Identification, identify } from './identify.ts'
import { networkOf } from './proxies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The counts of the request's items and bytes; undefined before admission. */
    use: RequestUse | undefined
    /** Admits a request again: a POST after its body, another one after it has waited. Undefined before its first admission. */
    admitAgain: (() => Promise<Caller>) | undefined
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
}

/**
 * Admits a request that has a valid API key and is within the limit of its key. A POST request is admitted by its head, so that no
 * body is read without a valid key, and again after its body. That can be long after the head, so the key is checked again.
 * @throws `UNAUTHORIZED`, with `WWW-Authenticate` in the reply; `RATE_LIMITED`
 */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>

interface AdmissionOptions extends Identification {
  read: SnapshotReader
  /** The maximum number of requests that use the database at the same time. */
  maxInFlight: number
  keyUsage?: KeyUsage | undefined
  /** The key of visitors without one. */
  publicKey?: string | undefined
  /** Called with the error when received items can't be counted. */
  report: (error: unknown) => void
}

/** Creates the function that admits requests: it identifies the key, counts for its limits, and opens the budget of the request. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { findKey, read, limits, maxInFlight, keyUsage, publicKey, report } = options
  const inFlight = createSlots(maxInFlight)

  return async (request, reply) => {
    if (request.admitAgain) return request.admitAgain()
    const { key, now } = await identify(options, request, reply)
    const name = nameForLimits(key, request, publicKey)
    const countItems = (items: number) => {
      if (key.itemsPerMinute !== null) limits.countItems(name, key.itemsPerMinute, items).catch(report)
    }
    const use = new RequestUse(key, now, { usage: keyUsage, countItems })
    request.use = use
    announceExpiry({ key, now }, reply)
    const isCounted = await countForKey(limits, key, name, reply)

    const budget = new RequestBudget({ inFlight, unread: request.server.unread }, key.id, reply)
    const identifyAgain = async (snapshot?: SqlReader) => {
      budget.checkCancelled()
      const later = new Date()
      const isSame = !snapshot && findKey.isUnchanged(key) && (key.expiresAt === null || key.expiresAt > later)
      return isSame ? { key, now: later } : identify(options, request, reply, snapshot)
    }
    const readAs = (caller: CallerAccess): ReadCatalog => {
      return async (run) => {
        const ended = await read(caller, identifyAgain)(run)
        if (!ended.readLog.hasFailed) request.server.outage.end()
        use.read(ended.readLog.itemsRead)
        return ended
      }
    }
    const callerOf = (caller: CallerAccess): Caller => ({
      ...caller,
      use,
      readCatalog: (run) => budget.read(() => readAs(caller)(run)),
      readForStream: async (run) => {
        const current = await identifyAgain()
        return budget.readForStream(() => readAs(current)(run))
      },
    })
    request.admitAgain = async () => callerOf(await identifyAgain())
    // Cached responses are for a key as it is now, and the count may have waited for the primary process.
    return callerOf(isCounted ? await identifyAgain() : { key, now })
  }
}

/** The name under which the limits of a key count. Visitors with the public key count by their address. */
function nameForLimits({ id }: ApiKey, { headers, ip }: FastifyRequest, publicKey: string | undefined): string {
  const isPublic = publicKey !== undefined && bearerToken(headers.authorization ?? '') === publicKey
  return isPublic ? `${id} ${networkOf(ip)}` : id
}

/** Says in a header (RFC 9110 section 11.6.3) that the key will soon stop working. */
function announceExpiry({ key: { expiresAt }, now }: CallerAccess, reply: FastifyReply): void {
  if (expiresAt === null || expiresAt.getTime() > now.getTime() + EXPIRY_NOTICE_MS) return
  void reply.header('authentication-info', `expires="${expiresAt.toISOString()}"`)
}
