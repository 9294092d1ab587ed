import type { RequestUse } from '../auth/key-usage.ts'
import { type Decision, decidesAlike, type ItemsRead, type ReadLog } from '../catalog/snapshot/read-log.ts'
import type { CallerAccess } from '../catalog/snapshot-reader.ts'
import type { ChangeFeed, Topic } from '../database/change-feed.ts'
import { type Lookup, RevisionCache } from '../database/revision-cache.ts'
import { ResponseBody } from './reply.ts'

/** A response, and the decisions of the access rule with which it was made. */
interface CachedResponse {
  response: ResponseBody
  decisions: readonly Decision[]
  itemsRead: ItemsRead
}

/** A caller, and the counts of its request. */
interface RecordedCaller extends CallerAccess {
  use: RequestUse
}

/** The cached response to a request if there is one that the caller may get, and the function that caches a new one. */
interface Found {
  response: ResponseBody | undefined
  /** Caches the response that was made after the lookup. */
  store: (response: ResponseBody, readLog: ReadLog) => void
}

/**
 * Caches response bodies in memory. A response depends on the request, on the datasets that it reads, and on the decisions of the
 * access rule about datasets; the key of the caller counts for nothing else. So a cached response goes to a caller for whom the rule,
 * evaluated for each lookup, makes the same decisions, while none of the datasets has changed. A response about the key itself is not
 * cached.
 */
export class ResponseCache {
  readonly #responses: RevisionCache<CachedResponse>
  readonly #isEnabled: boolean
  /** Lookups since the start. */
  readonly lookups = { hits: 0, misses: 0 }

  /** @param bytes is the memory for cached responses; 0 disables the cache. */
  constructor(changeFeed: ChangeFeed, bytes: number) {
    this.#isEnabled = bytes > 0
    this.#responses = new RevisionCache(changeFeed, {
      limit: Math.max(1, Math.floor(bytes / 2)),
      sizeOf: ({ response, decisions }) =>
        Math.ceil(response.length * COMPRESSED_COPIES_FACTOR) + ENTRY_BYTES + DECISION_BYTES * decisions.length,
    })
  }

  /** Looks up the response to a request, and records its items as read by the caller. */
  find(request: string, { key, now, use }: RecordedCaller): Found {
    const isUsable = ({ decisions }: CachedResponse) => decidesAlike(decisions, key, now)
    const known = this.#responses.find(request, isUsable)
    this.lookups[known ? 'hits' : 'misses'] += 1
    if (known) use.read(known.itemsRead)
    const isStored = this.#isEnabled && !known && request.length <= MAX_REQUEST_LENGTH
    return {
      response: known?.response,
      store: isStored ? storeIn(this.#responses.lookup(request, isUsable).store) : doNotStore,
    }
  }
}

function doNotStore(): void {}

function storeIn(store: Lookup<CachedResponse>['store']): Found['store'] {
  return (response, readLog) => {
    const { decisions, onAll, onKey } = readLog.dependencies
    if (onKey) return
    const { itemsRead } = readLog
    const topics: Topic[] = onAll ? ['datasets'] : decisions.map(({ dataset }): Topic => `dataset ${dataset.id}`)
    store({ response: inOwnMemory(response), decisions, itemsRead }, topics)
  }
}

/**
 * Copies a body into a buffer of its own, out of the heap or of Node's buffer pool. Otherwise one cached body would keep a whole pool of
 * 8 kB in memory.
 */
function inOwnMemory(response: ResponseBody): ResponseBody {
  const { content, length, contentType } = response
  if (Buffer.isBuffer(content) && length === content.buffer.byteLength) return response
  const copy = Buffer.allocUnsafeSlow(length)
  if (Buffer.isBuffer(content)) content.copy(copy)
  else copy.write(content)
  return new ResponseBody(copy, contentType, response)
}

/** A body may have two compressed copies (reply.ts), each about a fifth of its size. */
const COMPRESSED_COPIES_FACTOR = 1.4

/**
 * Requests that are longer are not cached: a few bodies of GraphQL, padded to their greatest length, would displace the responses
 * of all clients. In characters; each URL is shorter (connection-limits.ts).
 */
const MAX_REQUEST_LENGTH = 16 * 1024

/** Memory of an entry without its body and decisions. */
const ENTRY_BYTES = 500

/** Memory of a decision. */
const DECISION_BYTES = 250
