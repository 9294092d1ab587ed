import { LRUCache } from 'lru-cache'
import { outsideRequests } from './cancellation.ts'
import type { ChangeFeed, SequenceNumber, Topic } from './change-feed.ts'

interface Entry<Value> {
  value: Value
  /** The sequence number of the change feed from before the read. */
  since: SequenceNumber
  topics: readonly Topic[]
  /** When the value was stored, in ticks of the cache. */
  storedAt: number
}

/** What a cache holds at most. */
export interface CacheOptions<Value> {
  /** The maximum total of `sizeOf`, or the maximum number of keys without `sizeOf`. */
  limit: number
  /** The size of a value in bytes. */
  sizeOf?: (value: Value) => number
}

/** Stores the result of a read that began after the lookup, with the topics on which the result depends. */
type Store<Value> = (value: Value, topics: readonly Topic[]) => void

/** A cached value if there is one, and the function that stores a new one. */
export interface Lookup<Value> {
  value: Value | undefined
  store: Store<Value>
}

/** The maximum number of values of a key. A lookup tries each of them. */
const MAX_VARIANTS = 64

/**
 * Caches values from the database. A key can have several values, each for other callers.
 *
 * Only a lookup gives the function that stores a value. The lookup notes the sequence number of the change feed as `since`, and the
 * value is read afterwards. So a cached value is right as long as none of its topics has changed after `since`.
 */
export class RevisionCache<Value extends {}> {
  readonly #changeFeed: ChangeFeed
  readonly #entries: LRUCache<string, readonly Entry<Value>[]>
  readonly #reads = new Map<string, { since: SequenceNumber; result: Promise<Value | null> }>()
  #ticks = 0

  constructor(changeFeed: ChangeFeed, { limit, sizeOf }: CacheOptions<Value>) {
    this.#changeFeed = changeFeed
    this.#entries = sizeOf
      ? new LRUCache({
          maxSize: limit,
          sizeCalculation: (entries, key) =>
            entries.reduce((sum, { value }) => sum + sizeOf(value), 2 * key.length + 1),
        })
      : new LRUCache({ max: limit })
  }

  /** Looks up the value of a key. `isUsableBy` says whether the caller may get a value. */
  lookup(key: string, isUsableBy: (value: Value) => boolean = () => true): Lookup<Value> {
    const found = this.find(key, isUsableBy)
    const since = this.#changeFeed.latest()
    const lookedUpAt = this.#tick()
    const store: Store<Value> = (value, topics) => {
      if (since === undefined) return
      const known = this.#entries.peek(key) ?? []
      const replaced = known.filter((entry) => isUsableBy(entry.value))
      // Another read has stored its value since this lookup. That value stays: this one may show an earlier state, and no client may
      // get an earlier state after a later one.
      if (replaced.some(({ storedAt }) => storedAt > lookedUpAt)) return
      const others = known.filter((entry) => !replaced.includes(entry)).slice(0, MAX_VARIANTS - 1)
      this.#entries.set(key, [{ value, since, topics, storedAt: this.#tick() }, ...others])
    }
    return { value: found, store }
  }

  /** The value that a lookup of the key would return. */
  find(key: string, isUsableBy?: (value: Value) => boolean): Value | undefined {
    const entries = this.#entries.get(key)
    if (!entries) return undefined
    for (const { value, since, topics } of entries) {
      if (this.#changeFeed.isUnchanged(topics, since) && (!isUsableBy || isUsableBy(value))) return value
    }
    return undefined
  }

  /**
   * Returns the cached value of a key. Without one, returns the result of `read`, and caches it unless it is null: first, all changes
   * that the value shows are announced. So of two values that are both current, neither shows a change of both that the other lacks.
   * Concurrent calls share a read if nothing has changed since it began. It belongs to none of their requests: it neither waits for the
   * turn of one of their keys nor ends with one of their clients.
   */
  async load(
    key: string,
    read: () => Promise<Value | null>,
    topicsOf: (value: Value) => readonly Topic[],
  ): Promise<Value | null> {
    const known = this.find(key)
    if (known !== undefined) return known
    const found = this.lookup(key)
    const since = this.#changeFeed.latest()
    if (since === undefined) return read()
    const current = this.#reads.get(key)
    if (current?.since === since) return current.result
    const readAnnounced = async () => {
      const value = await read()
      if (value !== null) await this.#changeFeed.announced()
      return value
    }
    const reading = { since, result: outsideRequests(readAnnounced) }
    this.#reads.set(key, reading)
    try {
      const value = await reading.result
      if (value !== null) found.store(value, topicsOf(value))
      return value
    } finally {
      if (this.#reads.get(key) === reading) this.#reads.delete(key)
    }
  }

  #tick(): number {
    this.#ticks += 1
    return this.#ticks
  }
}
