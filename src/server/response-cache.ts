import { type Access, mayAccess } from '../catalog/access.ts'
import type { ReadLog, Verdict } from '../catalog/snapshot/read-log.ts'
import type { ChangeFeed, SequenceNumber, Topic } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import { ResponseBody } from './reply.ts'

/** Who asks, when, and since when the answer is true that is about to be made. */
export interface CallerAccess {
  key: Access
  now: Date
  since: SequenceNumber | undefined
}

/**
 * Answers in memory, as they are sent. An answer is a function of the request, of what the key may access of it, and of the
 * datasets that it touches. So one is given only to a key for which the access rule, asked anew, decides on those datasets as it did
 * when the answer was made; and only as long as none of them has changed.
 */
export class ResponseCache {
  /** Which datasets a request's answer depends on, as HTTP's Vary says which headers one does. */
  readonly #verdicts: RevisionCache<readonly Verdict[]>
  readonly #answers: RevisionCache<ResponseBody>
  readonly #isKeeping: boolean
  /** How often an answer was looked for, since the start. */
  readonly lookups = { hits: 0, misses: 0 }

  /** @param bytes is how much memory answers may take; nothing is kept with 0. */
  constructor(changeFeed: ChangeFeed, bytes: number) {
    this.#isKeeping = bytes > 0
    const limit = Math.max(1, Math.floor(bytes / 2))
    this.#verdicts = new RevisionCache(changeFeed, {
      limit: Math.ceil(limit / 4),
      sizeOf: (verdicts) => 100 + 250 * verdicts.length,
    })
    this.#answers = new RevisionCache(changeFeed, {
      limit,
      sizeOf: ({ body }) => Math.ceil(body.length * WITH_COPIES) + ENTRY_BYTES,
    })
  }

  /** The answer to a request, where there is one for such a key. */
  find(request: string, { key, now }: CallerAccess): ResponseBody | undefined {
    const verdicts = this.#verdicts.get(request)
    const answer = verdicts && this.#answers.get(decide(verdicts, key, now) + request)
    this.lookups[answer ? 'hits' : 'misses'] += 1
    return answer
  }

  /** Keeps an answer, if nothing has changed since it was begun. */
  store(request: string, answer: ResponseBody, { key, now, since }: CallerAccess, readLog: ReadLog): void {
    if (!this.#isKeeping) return
    const { verdicts, onAll } = readLog.dependencies
    const topics: Topic[] = onAll ? ['datasets'] : verdicts.map(({ dataset }): Topic => `dataset ${dataset.id}`)
    this.#verdicts.set(request, verdicts, since, topics)
    this.#answers.set(decide(verdicts, key, now) + request, inOwnMemory(answer), since, topics)
  }
}

/** A small body is a part of a pool of Node's, all of which would be there for as long as one of its parts is kept. */
function inOwnMemory(answer: ResponseBody): ResponseBody {
  const { body, contentType, links } = answer
  if (body.length === body.buffer.byteLength) return answer
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return new ResponseBody(copy, contentType, links)
}

/** A body may be there in two compressed copies, of a fifth each. */
const WITH_COPIES = 1.4

/** What an entry takes beside the body: its key, which is text of two bytes a character at the most, and its place. */
const ENTRY_BYTES = 500

/** How the access rule decides on each dataset, a character each. */
function decide(verdicts: readonly Verdict[], access: Access, now: Date): string {
  let decisions = ''
  for (const { dataset } of verdicts) decisions += mayAccess(access, dataset, now) ? '+' : '-'
  return decisions
}
