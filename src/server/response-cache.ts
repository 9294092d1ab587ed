import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Access, mayAccess } from '../catalog/access.ts'
import type { ReadLog, Verdict } from '../catalog/snapshot/read-log.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import type { SequenceNumber, Topic } from '../database/change-log.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import { ResponseBody, sendCacheable } from './reply.ts'

/** What an API key may access, and the time at which its request arrived. */
export interface CallerAccess {
  key: Access
  now: Date
  /** The latest change that had arrived with the request. Undefined means that the response must not be cached. */
  since: SequenceNumber | undefined
}

/** A request, and a key that requests with the same response share. */
interface CacheableRequest {
  request: FastifyRequest
  reply: FastifyReply
  caller: CallerAccess
  cacheKey: string
}

/**
 * Caches response bodies in memory. A response depends on the request, on the datasets that it reads, and on the decision of the
 * access rule about each of them. So a cached response goes only to a key for which the rule makes the same decisions, and only
 * while none of these datasets has changed. The rule is evaluated for each request.
 */
export class ResponseCache {
  /** For each request, the datasets on which its response depends. The decisions about them are part of the key of the response. */
  readonly #verdicts: RevisionCache<readonly Verdict[]>
  readonly #responses: RevisionCache<ResponseBody>
  readonly #isEnabled: boolean
  /** Lookups since the start. */
  readonly lookups = { hits: 0, misses: 0 }

  /** @param bytes is the memory for cached responses; 0 disables the cache. */
  constructor(changeFeed: ChangeFeed, bytes: number) {
    this.#isEnabled = bytes > 0
    const limit = Math.max(1, Math.floor(bytes / 2))
    this.#verdicts = new RevisionCache(changeFeed, {
      limit: Math.ceil(limit / 4),
      sizeOf: (verdicts) => 100 + 250 * verdicts.length,
    })
    this.#responses = new RevisionCache(changeFeed, {
      limit,
      sizeOf: ({ body }) => Math.ceil(body.length * COMPRESSED_COPIES_FACTOR) + ENTRY_BYTES,
    })
  }

  /** The cached response to a request, if there is one that the caller may get. */
  find(request: string, { key, now }: CallerAccess): ResponseBody | undefined {
    const verdicts = this.#verdicts.get(request)
    const response = verdicts && this.#responses.get(decide(verdicts, key, now) + request)
    this.lookups[response ? 'hits' : 'misses'] += 1
    return response
  }

  /** Sends the cached response to a GET request, or makes, caches and sends a new one. */
  async send(
    { request, reply, caller, cacheKey }: CacheableRequest,
    make: () => Promise<{ response: ResponseBody; readLog: ReadLog | undefined }>,
  ): Promise<void> {
    const cached = this.find(cacheKey, caller)
    if (cached) return sendCacheable(request, reply, cached)
    const { response, readLog } = await make()
    if (readLog) this.store(cacheKey, response, caller, readLog)
    return sendCacheable(request, reply, response)
  }

  /** Caches a response, unless data has changed since the request arrived. */
  store(request: string, response: ResponseBody, { key, now, since }: CallerAccess, readLog: ReadLog): void {
    if (!this.#isEnabled || request.length > MAX_REQUEST_LENGTH) return
    const { verdicts, onAll, revision } = readLog.dependencies
    const topics: Topic[] = onAll ? ['datasets'] : verdicts.map(({ dataset }): Topic => `dataset ${dataset.id}`)
    this.#verdicts.set(request, verdicts, since, topics, revision)
    this.#responses.set(decide(verdicts, key, now) + request, inOwnMemory(response), since, topics, revision)
  }
}

/** Copies a small body out of Node's buffer pool. Otherwise one cached body would keep a whole pool of 8 kB in memory. */
function inOwnMemory(response: ResponseBody): ResponseBody {
  const { body, contentType, links, cacheControl, weakTag } = response
  if (body.length === body.buffer.byteLength) return response
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return new ResponseBody(copy, contentType, links, cacheControl, weakTag)
}

/** A body may have two compressed copies (compression.ts), each about a fifth of its size. */
const COMPRESSED_COPIES_FACTOR = 1.4

/**
 * Requests that are longer are not cached: a few bodies of GraphQL, padded to their greatest length, would displace the responses
 * of all clients. In characters; each URL is shorter (connections.ts).
 */
const MAX_REQUEST_LENGTH = 16 * 1024

/** Memory of an entry without its body. */
const ENTRY_BYTES = 500

/** The decisions of the access rule, one character for each dataset. */
function decide(verdicts: readonly Verdict[], access: Access, now: Date): string {
  let decisions = ''
  for (const { dataset } of verdicts) decisions += mayAccess(access, dataset, now) ? '+' : '-'
  return decisions
}
