import type { ChangeFeed } from '../../database/change-feed.ts'
import { RevisionCache } from '../../database/revision-cache.ts'
import type { Dataset } from '../models.ts'

/** A value, and the time when its read ended, in milliseconds of `performance.now`. */
export interface Known<Value> {
  value: Value
  knownAt: number
}

/** Datasets in memory by UUID and by slug, and the list of all. A change to a dataset removes it. */
export interface DatasetCache {
  one: (idOrSlug: string, read: () => Promise<Dataset | null>) => Promise<Known<Dataset> | null>
  all: (read: () => Promise<Dataset[]>) => Promise<Known<Dataset[]>>
}

const MAX_CACHED_DATASETS = 10_000

/** Creates an empty cache. While the change feed is down, it caches nothing. */
export function createDatasetCache(changeFeed: ChangeFeed): DatasetCache {
  const single = new RevisionCache<Known<Dataset>>(changeFeed, { limit: MAX_CACHED_DATASETS })
  const list = new RevisionCache<Known<Dataset[]>>(changeFeed, { limit: 1 })
  return {
    one: (idOrSlug, read) =>
      single.load(
        idOrSlug,
        async () => {
          const value = await read()
          return value && { value, knownAt: performance.now() }
        },
        ({ value }) => [`dataset ${value.id}`],
      ),
    all: (read) =>
      list.load(
        'all',
        async () => ({ value: await read(), knownAt: performance.now() }),
        () => ['datasets'],
      ),
  }
}
