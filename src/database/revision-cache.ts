import { LRUCache } from 'lru-cache'
import type { ChangeFeed, SequenceNumber, Topic } from './change-feed.ts'

/** A value that was read from the database, and from when it is true. */
interface Entry<Value> {
  value: Value
  since: SequenceNumber
  topics: readonly Topic[]
}

interface KeepOptions<Value> {
  /** How much there may be in all: of what `sizeOf` gives, or else values. */
  limit: number
  sizeOf?: (value: Value) => number
}

/**
 * Keeps what was read from the database, for as long as nothing has changed that it depends on. A value is stored only if
 * nothing changed from before it was read until now; and given only if nothing has since.
 */
export class RevisionCache<Value extends {}> {
  readonly #changes: ChangeFeed
  readonly #entries: LRUCache<string, Entry<Value>>

  constructor(changes: ChangeFeed, { limit, sizeOf }: KeepOptions<Value>) {
    this.#changes = changes
    this.#entries = sizeOf
      ? new LRUCache({ maxSize: limit, sizeCalculation: ({ value }, key) => sizeOf(value) + 2 * key.length + 1 })
      : new LRUCache({ max: limit })
  }

  /** The value of a key, where there is one and it is still true. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (this.#changes.isUnchanged(entry.topics, entry.since)) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** @param since is the moment before the value was read. */
  set(key: string, value: Value, since: SequenceNumber | undefined, topics: readonly Topic[]): void {
    if (since === undefined || !this.#changes.isUnchanged(topics, since)) return
    this.#entries.set(key, { value, since, topics })
  }

  /** The value of a key, read where it is not kept; what is not there is not kept. */
  async load<Found extends Value | null>(
    key: string,
    read: () => Promise<Found>,
    topicsOf: (value: Value) => readonly Topic[],
  ): Promise<Found | Value> {
    const kept = this.get(key)
    if (kept !== undefined) return kept
    const since = this.#changes.now()
    const value = await read()
    if (value !== null) this.set(key, value, since, topicsOf(value))
    return value
  }
}
