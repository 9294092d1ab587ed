import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'
import type { SequenceNumber, Topic } from './change-log.ts'

/** A value from the database, and the sequence number of the change feed from before the read. */
interface Entry<Value> {
  value: Value
  since: SequenceNumber
  topics: readonly Topic[]
}

interface CacheOptions<Value> {
  /** The maximum total of `sizeOf`, or the maximum number of values without `sizeOf`. */
  limit: number
  /** The size of a value in bytes. */
  sizeOf?: (value: Value) => number
}

/**
 * Caches values from the database until one of their topics changes. It stores a value only if no topic has changed since before
 * the read. It returns a value only if no topic has changed since then.
 */
export class RevisionCache<Value extends {}> {
  readonly #changeFeed: ChangeFeed
  readonly #entries: LRUCache<string, Entry<Value>>

  constructor(changeFeed: ChangeFeed, { limit, sizeOf }: CacheOptions<Value>) {
    this.#changeFeed = changeFeed
    this.#entries = sizeOf
      ? new LRUCache({ maxSize: limit, sizeCalculation: ({ value }, key) => sizeOf(value) + 2 * key.length + 1 })
      : new LRUCache({ max: limit })
  }

  /** Returns the value of a key; undefined if it is not cached or no longer current. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (this.#changeFeed.isUnchanged(entry.topics, entry.since)) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /**
   * Stores a value.
   * @param since the `latest` number of the change feed from before the read
   * @param topics on which the value depends
   */
  set(key: string, value: Value, since: SequenceNumber | undefined, topics: readonly Topic[]): void {
    if (since === undefined || !this.#changeFeed.isUnchanged(topics, since)) return
    this.#entries.set(key, { value, since, topics })
  }

  /** Returns the cached value of a key. Without one, returns the result of `read`, and caches it unless it is null. */
  async load<Found extends Value | null>(
    key: string,
    read: () => Promise<Found>,
    topicsOf: (value: Value) => readonly Topic[],
  ): Promise<Found | Value> {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    const since = this.#changeFeed.latest()
    const value = await read()
    if (value !== null) this.set(key, value, since, topicsOf(value))
    return value
  }
}
