import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'
import type { SequenceNumber, Topic } from './change-log.ts'

/** A value from the database, and the sequence number of the change feed from before the read. */
interface Entry<Value> {
  value: Value
  /** Undefined if notifications may have been missed since then. Such a value is not returned. */
  since: SequenceNumber | undefined
  topics: readonly Topic[]
  revision: bigint
  /** The sequence number of the change feed when the value was stored. */
  storedAt: SequenceNumber
}

interface CacheOptions<Value> {
  /** The maximum total of `sizeOf`, or the maximum number of values without `sizeOf`. */
  limit: number
  /** The size of a value in bytes. */
  sizeOf?: (value: Value) => number
}

/**
 * Caches values from the database until one of their topics changes. It returns a value only if no topic has changed since before
 * the read of it.
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
    const { since, topics, value } = entry
    // `set` needs the revision of an outdated entry.
    return since !== undefined && this.#changeFeed.isUnchanged(topics, since) ? value : undefined
  }

  /**
   * Stores a value. A client gets the value in any case, and must not get an earlier state of it afterwards. Before the notification
   * of a change arrives, a read that does not see the change may end after one that does; its value is not stored.
   * @param since the `latest` number of the change feed from before the read
   * @param topics on which the value depends
   * @param revision is higher for a later state of the same datasets
   */
  set(
    key: string,
    value: Value,
    since: SequenceNumber | undefined,
    topics: readonly Topic[],
    revision: bigint = 0n,
  ): void {
    const storedAt = this.#changeFeed.latest()
    if (storedAt === undefined) return
    const known = this.#entries.peek(key)
    if (since !== undefined && this.#changeFeed.isUnchanged(topics, since)) {
      // A read that began after the known value was stored saw a later state. The removal of a dataset lowers its revision.
      if (known && revision < known.revision && since <= known.storedAt) return
    } else if (revision <= (known?.revision ?? 0n)) return
    this.#entries.set(key, { value, since, topics, revision, storedAt })
  }

  /** Returns the cached value of a key. Without one, returns the result of `read`, and caches it unless it is null. */
  async load<Found extends Value | null>(
    key: string,
    read: () => Promise<Found>,
    topicsOf: (value: Value) => readonly Topic[],
    revisionOf?: (value: Value) => bigint,
  ): Promise<Found | Value> {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    const since = this.#changeFeed.latest()
    const value = await read()
    if (value !== null) this.set(key, value, since, topicsOf(value), revisionOf?.(value))
    return value
  }
}
