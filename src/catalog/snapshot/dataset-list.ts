import type { ChangeFeed } from '../../database/change-feed.ts'
import { RevisionCache } from '../../database/revision-cache.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Dataset } from '../models.ts'

/** All datasets, by name, then id. One statement has read them, so they are one state of the catalog. */
export class DatasetList {
  readonly all: readonly Dataset[]
  readonly #byId: ReadonlyMap<string, Dataset>
  readonly #bySlug: ReadonlyMap<string, Dataset>

  constructor(datasets: readonly Dataset[]) {
    this.all = datasets
    this.#byId = new Map(datasets.map((dataset) => [dataset.id, dataset]))
    this.#bySlug = new Map(datasets.map((dataset) => [dataset.slug, dataset]))
  }

  /** The dataset with a UUID in lower case; undefined if there is none. */
  withId(id: string): Dataset | undefined {
    return this.#byId.get(id)
  }

  /** The dataset with a slug; undefined if there is none. */
  withSlug(slug: string): Dataset | undefined {
    return this.#bySlug.get(slug)
  }
}

/** Returns the current list of datasets. */
export type ReadDatasetList = () => Promise<DatasetList>

/** Reads the list of datasets. */
export async function readDatasetList(prisma: Prisma.TransactionClient): Promise<DatasetList> {
  return new DatasetList(await prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] }))
}

/**
 * Returns a function that reads the list, and caches it until a dataset changes. The whole list takes 1 ms for 100 datasets
 * (docs/performance.md), and datasets that are cached one by one would be several states.
 */
export function cacheDatasetList(prisma: Prisma.TransactionClient, changeFeed: ChangeFeed): ReadDatasetList {
  const cache = new RevisionCache<DatasetList>(changeFeed, { limit: 1 })
  return async () => {
    const list = await cache.load(
      'all',
      () => readDatasetList(prisma),
      () => ['datasets'],
    )
    return list ?? new DatasetList([])
  }
}
