import type { ChangeFeed } from '../../database/change-feed.ts'
import { RevisionCache } from '../../database/revision-cache.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Dataset } from '../models.ts'

/** All datasets, by name, then id, in one state of the catalog. */
export class DatasetList {
  readonly all: readonly Dataset[]
  readonly #byId: ReadonlyMap<string, Dataset>
  readonly #bySlug: ReadonlyMap<string, Dataset>

  constructor(all: readonly Dataset[]) {
    this.all = all
    this.#byId = new Map(all.map((dataset) => [dataset.id, dataset]))
    this.#bySlug = new Map(all.map((dataset) => [dataset.slug, dataset]))
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

/** The place of a dataset in the list. */
export type DatasetPosition = Pick<Dataset, 'name' | 'id'>

/** The number of datasets in a sorted list that come before a position. */
export function placeOf(position: DatasetPosition, all: readonly DatasetPosition[]): number {
  let [start, end] = [0, all.length]
  while (start < end) {
    const middle = (start + end) >> 1
    const other = all[middle]
    if (other && comparePlaces(other, position) < 0) start = middle + 1
    else end = middle
  }
  return start
}

/** The number of datasets in a sorted list that do not come after a position. */
export function placeAfter(position: DatasetPosition, all: readonly DatasetPosition[]): number {
  const place = placeOf(position, all)
  const found = all[place]
  return found && comparePlaces(found, position) === 0 ? place + 1 : place
}

/** Compares names by code point, as PostgreSQL does with the collation "C", and then ids. */
function comparePlaces(a: DatasetPosition, b: DatasetPosition): number {
  return (
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
  )
}

/** Returns the current list of datasets. */
type ReadDatasetList = () => Promise<DatasetList>

/** Reads the list of datasets in one statement. */
export async function readDatasetList(prisma: Prisma.TransactionClient): Promise<DatasetList> {
  return new DatasetList(await prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] }))
}

/** Returns a function that reads the list, and caches it until a dataset changes. It takes 60 ms for 10,000 datasets. */
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
