import type { ChangeFeed } from '../../database/change-feed.ts'
import { RevisionCache } from '../../database/revision-cache.ts'
import type { Dataset } from '../models.ts'
import { totalRevision } from './read-log.ts'

/** A value, and the time when its read ended, in milliseconds of `performance.now`. */
export interface Timed<Value> {
  value: Value
  readAtMs: number
}

/** Caches datasets by UUID and by slug, and the list of all datasets. A changed dataset is read again. */
export interface DatasetCache {
  /** Returns a dataset. Calls `read` if the cache does not have it. */
  one: (idOrSlug: string, read: () => Promise<Timed<Dataset> | null>) => Promise<Timed<Dataset> | null>
  /** Returns all datasets. Calls `read` if the cache does not have the list. */
  all: (read: () => Promise<Timed<Dataset[]>>) => Promise<Timed<Dataset[]>>
}

const MAX_CACHED_DATASETS = 10_000

/** Creates an empty cache. While the change feed is down, it caches nothing. */
export function createDatasetCache(changeFeed: ChangeFeed): DatasetCache {
  const single = new RevisionCache<Timed<Dataset>>(changeFeed, { limit: MAX_CACHED_DATASETS })
  const list = new RevisionCache<Timed<Dataset[]>>(changeFeed, { limit: 1 })
  return {
    one: (idOrSlug, read) => single.load(idOrSlug, read, ({ value }) => [`dataset ${value.id}`], revisionOf),
    all: (read) => list.load('all', read, () => ['datasets'], revisionOfAll),
  }
}

const revisionOf = ({ value }: Timed<Dataset>): bigint => value.revision

const revisionOfAll = ({ value }: Timed<Dataset[]>): bigint => totalRevision(value.map(({ revision }) => revision))
