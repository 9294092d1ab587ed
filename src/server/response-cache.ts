import { type Access, mayAccess } from '../catalog/access.ts'
import type { ReadLog, Verdict } from '../catalog/snapshot/read-log.ts'
import type { ChangeFeed, SequenceNumber, Topic } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import { ResponseBody } from './reply.ts'

/** What an API key may access, and when the request arrived. */
export interface CallerAccess {
  key: Access
  now: Date
  since: SequenceNumber | undefined
}

/**
 * Caches response bodies in memory. A response depends on the request, on the decisions of the access rule about the datasets that
 * it reads, and on their content. So a cached response goes only to a key for which the rule decides about the same datasets in
 * the same way, and only while none of them has changed. The rule is evaluated for each request.
 */
export class ResponseCache {
  /** The datasets that the response to a request depends on, as HTTP's `Vary` lists its headers. */
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
      sizeOf: ({ body }) => Math.ceil(body.length * WITH_COPIES) + ENTRY_BYTES,
    })
  }

  /** The cached response to a request, if there is one that the caller may get. */
  find(request: string, { key, now }: CallerAccess): ResponseBody | undefined {
    const verdicts = this.#verdicts.get(request)
    const response = verdicts && this.#responses.get(decide(verdicts, key, now) + request)
    this.lookups[response ? 'hits' : 'misses'] += 1
    return response
  }

  /** Caches a response, unless data has changed since the request arrived. */
  store(request: string, response: ResponseBody, { key, now, since }: CallerAccess, readLog: ReadLog): void {
    if (!this.#isEnabled) return
    const { verdicts, onAll } = readLog.dependencies
    const topics: Topic[] = onAll ? ['datasets'] : verdicts.map(({ dataset }): Topic => `dataset ${dataset.id}`)
    this.#verdicts.set(request, verdicts, since, topics)
    this.#responses.set(decide(verdicts, key, now) + request, inOwnMemory(response), since, topics)
  }
}

/** Small buffers share memory of Node's pool, and one cached body would keep a whole pool of 8 kB alive. */
function inOwnMemory(response: ResponseBody): ResponseBody {
  const { body, contentType, links } = response
  if (body.length === body.buffer.byteLength) return response
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return new ResponseBody(copy, contentType, links)
}

/** A body may have two compressed copies (compression.ts) of about a fifth of its size each. */
const WITH_COPIES = 1.4

/** Memory of an entry beside its body. */
const ENTRY_BYTES = 500

/** The decisions of the access rule, one character for each dataset. */
function decide(verdicts: readonly Verdict[], access: Access, now: Date): string {
  let decisions = ''
  for (const { dataset } of verdicts) decisions += mayAccess(access, dataset, now) ? '+' : '-'
  return decisions
}
