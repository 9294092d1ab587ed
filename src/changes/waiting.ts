import type { ServerResponse } from 'node:http'
import type { ChangeFeed, SequenceNumber, Topic } from '../database/change-feed.ts'
import { FairQueue } from '../database/fair-queue.ts'
import { refused } from '../errors/errors.ts'
import type { Slots } from '../gateway/admission/fair-share.ts'

/** What a request waits for. */
interface Wait {
  /** The API key of the request. */
  keyId: string
  topics: readonly Topic[]
  /** The number of changes before the request has read; undefined while the feed may miss changes. */
  since: SequenceNumber | undefined
  /** The longest wait. */
  timeMs: number
  /** Closed when the client disconnects. */
  response: ServerResponse
}

/** So many read at once after a change. */
const TURNS = 4
const TURN_TIMEOUT_MS = 60_000

/**
 * Requests that wait for a change. They hold no database connection and no place among the requests in flight. The change feed tells them of
 * each commit.
 */
export class WaitingRequests {
  readonly #feed: ChangeFeed
  readonly #slots: Slots
  readonly #waiting = new Set<{ hasChanged: () => boolean; end: () => void }>()
  readonly #turns = new FairQueue({ places: TURNS, timeoutMs: TURN_TIMEOUT_MS })
  #isClosed = false

  /** @param slots count the requests that wait at the same time, in all processes */
  constructor(feed: ChangeFeed, slots: Slots) {
    this.#feed = feed
    this.#slots = slots
    feed.onEvent(() => {
      for (const { hasChanged, end } of this.#waiting) if (hasChanged()) end()
    })
  }

  /** The number of the latest change; undefined while the feed may miss changes. */
  get latest(): SequenceNumber | undefined {
    return this.#feed.latest()
  }

  /** Resolves when this process knows all changes that a client can have seen by now. */
  announced(): Promise<void> {
    return this.#feed.announced()
  }

  /**
   * Resolves when one of the topics changes or may have changed, the time is over, the client has gone, or the gateway stops; and it is
   * the turn of the request: those that wait for the same change find the answer of the first in the response cache.
   * @returns the function that ends the turn
   * @throws `SERVICE_UNAVAILABLE` if too many requests wait
   */
  async wait({ keyId, topics, since = -1, timeMs, response }: Wait): Promise<() => void> {
    if (!(await this.#slots.take(keyId))) throw refused('waiting')
    const { promise, resolve: end } = Promise.withResolvers<void>()
    // While the feed may miss changes, no answer could be shared. When it is complete again, everything has changed.
    const hasChanged = () => this.#feed.latest() !== undefined && !this.#feed.isUnchanged(topics, since)
    const waiting = { hasChanged, end }
    const timer = setTimeout(end, timeMs)
    response.once('close', end)
    this.#waiting.add(waiting)
    // It may have changed while the slot was taken.
    if (hasChanged() || response.destroyed || this.#isClosed) end()
    await promise
    this.#waiting.delete(waiting)
    clearTimeout(timer)
    response.off('close', end)
    this.#slots.release(keyId)
    return this.#turns.begin([keyId])
  }

  /** Ends all waits, and those that begin later. */
  close(): void {
    this.#isClosed = true
    for (const { end } of this.#waiting) end()
  }
}
