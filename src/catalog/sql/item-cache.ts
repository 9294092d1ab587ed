import type { ChangeFeed, Topic } from '../../database/change-feed.ts'
import { type CacheOptions, RevisionCache } from '../../database/revision-cache.ts'

/** The cached value of a lookup, and the function that stores a new one. */
interface Known<Value> {
  value: Value | undefined
  store: (value: Value) => void
}

/**
 * Caches what was read from the items of datasets. There is no lookup without the datasets: they are in the key, so no caller gets what
 * was read for one with other datasets, and a change of any of them ends the value.
 */
export class ItemCache<Value extends {}> {
  readonly #values: RevisionCache<Value>

  constructor(changeFeed: ChangeFeed, options: CacheOptions<Value>) {
    this.#values = new RevisionCache(changeFeed, options)
  }

  /** Looks up what was read from the datasets. `question` says what; `isUsableBy` says whether the caller may get a value. */
  lookup(datasetIds: readonly string[], question: unknown, isUsableBy?: (value: Value) => boolean): Known<Value> {
    const { value, store } = this.#values.lookup(JSON.stringify([datasetIds, question]), isUsableBy)
    const topics = datasetIds.map((id): Topic => `dataset ${id}`)
    return { value, store: (read) => store(read, topics) }
  }
}
