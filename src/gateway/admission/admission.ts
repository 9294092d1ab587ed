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
    /** Undefined before the first admission. */
    caller: AdmittedCaller | undefined
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

/** What admission knows of one request, and needs to identify its key again. */
interface Admitted {
  options: AdmissionOptions
  request: FastifyRequest
  reply: FastifyReply
  use: RequestUse
  budget: RequestBudget
}

/** Its functions are made when they are used, because a cached response needs none of them. */
class AdmittedCaller implements Caller {
  readonly key: ApiKey
  readonly now: Date
  readonly #admitted: Admitted

  constructor({ key, now }: CallerAccess, admitted: Admitted) {
    this.key = key
    this.now = now
    this.#admitted = admitted
  }

  get use(): RequestUse {
    return this.#admitted.use
  }

  get readCatalog(): ReadCatalog {
    return (run) => this.#admitted.budget.read(() => this.#readAs(this)(run))
  }

  get readForStream(): ReadCatalog {
    return async (run) => {
      const current = await this.#identifyAgain()
      return this.#admitted.budget.readForStream(() => this.#readAs(current)(run))
    }
  }

  /**
   * The caller with the key as it is now.
   * @throws `UNAUTHORIZED`
   */
  async again(): Promise<Caller> {
    return new AdmittedCaller(await this.#identifyAgain(), this.#admitted)
  }

  async #identifyAgain(snapshot?: SqlReader): Promise<CallerAccess> {
    const { key } = this
    const { options, request, reply, budget } = this.#admitted
    budget.checkCancelled()
    const now = new Date()
    const isSame = !snapshot && options.findKey.isUnchanged(key) && (key.expiresAt === null || key.expiresAt > now)
    return isSame ? { key, now } : identify(options, request, reply, snapshot)
  }

  #readAs(access: CallerAccess): ReadCatalog {
    const { options, request, use } = this.#admitted
    return async (run) => {
      const ended = await options.read(access, (snapshot) => this.#identifyAgain(snapshot))(run)
      if (!ended.readLog.hasFailed) request.server.outage.end()
      use.read(ended.readLog.itemsRead)
      return ended
    }
  }
}

/** Creates the function that admits requests: it identifies the key, counts for its limits, and opens the budget of the request. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { limits, maxInFlight, keyUsage: usage, publicKey } = options
  const inFlight = createSlots(maxInFlight)

  return async (request, reply) => {
    if (request.caller) return request.caller.again()
    const { key, now } = await identify(options, request, reply)
    const name = nameForLimits(key, request, publicKey)
    const use = new RequestUse(key, now, { usage, countItems: itemCounter(options, name, key.itemsPerMinute) })
    request.use = use
    announceExpiry({ key, now }, reply)
    const isCounted = await countForKey(limits, key, name, reply)

    const budget = new RequestBudget({ inFlight, unread: request.server.unread }, key.id, reply)
    request.caller = new AdmittedCaller({ key, now }, { options, request, reply, use, budget })
    // Cached responses are for a key as it is now, and the count may have waited for the primary process.
    return isCounted ? request.caller.again() : request.caller
  }
}

/** The function that counts items for the limit of a key; undefined for a key without one. */
function itemCounter({ limits, report }: AdmissionOptions, name: string, perMinute: number | null) {
  if (perMinute === null) return undefined
  return (items: number) => void limits.countItems(name, perMinute, items).catch(report)
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
