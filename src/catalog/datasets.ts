import type { Changes } from '../database/changes.ts'
import { Kept } from '../database/kept.ts'
import type { Dataset } from './records.ts'

/** What was read, and when that had been done, in milliseconds of `performance.now`. */
export interface Known<Value> {
  value: Value
  knownAt: number
}

/** Datasets in memory, for as long as nothing changes about them; by UUID, by slug, and the list of all. */
export interface KeptDatasets {
  one: (idOrSlug: string, read: () => Promise<Dataset | null>) => Promise<Known<Dataset> | null>
  all: (read: () => Promise<Dataset[]>) => Promise<Known<Dataset[]>>
}

const KEPT_DATASETS = 10_000

/** Keeps datasets that were read. */
export function keepDatasets(changes: Changes): KeptDatasets {
  const single = new Kept<Known<Dataset>>(changes, { limit: KEPT_DATASETS })
  const list = new Kept<Known<Dataset[]>>(changes, { limit: 1 })
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
