import type { ChangeFeed, SequenceNumber } from '../../database/change-feed.ts'
import { RevisionCache } from '../../database/revision-cache.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Dataset } from '../models.ts'

interface Index {
  byId: ReadonlyMap<string, Dataset>
  bySlug: ReadonlyMap<string, Dataset>
}

const indexOf = (datasets: readonly Dataset[]): Index => ({
  byId: new Map(datasets.map((dataset) => [dataset.id, dataset])),
  bySlug: new Map(datasets.map((dataset) => [dataset.slug, dataset])),
})

/** Datasets by id; undefined if they do not exist any more. */
type Replaced = ReadonlyMap<string, Dataset | undefined>

/** Above this number of replaced datasets, a list makes a new index, which takes 10 ms for 10,000 datasets. */
const MAX_REPLACED = 100

/** All datasets, by name, then id, in one state of the catalog. */
export class DatasetList {
  readonly all: readonly Dataset[]
  /** The index of an earlier list. */
  readonly #index: Index
  /** The datasets that have changed since that list. */
  readonly #replaced: Replaced

  constructor(all: readonly Dataset[], index = indexOf(all), replaced: Replaced = new Map()) {
    this.all = all
    this.#index = index
    this.#replaced = replaced
  }

  /** The dataset with a UUID in lower case; undefined if there is none. */
  withId(id: string): Dataset | undefined {
    return this.#replaced.has(id) ? this.#replaced.get(id) : this.#index.byId.get(id)
  }

  /** The dataset with a slug; undefined if there is none. */
  withSlug(slug: string): Dataset | undefined {
    for (const dataset of this.#replaced.values()) if (dataset?.slug === slug) return dataset
    const dataset = this.#index.bySlug.get(slug)
    return dataset && !this.#replaced.has(dataset.id) ? dataset : undefined
  }

  /** The list with new rows of some datasets. A dataset without a row does not exist any more. */
  replace(ids: readonly string[], rows: readonly Dataset[]): DatasetList {
    const all = [...this.all]
    const replaced = new Map(this.#replaced)
    for (const id of new Set(ids)) {
      const old = this.withId(id)
      if (old) all.splice(placeOf(old, all), 1)
      replaced.set(id, undefined)
    }
    for (const row of rows) {
      all.splice(placeOf(row, all), 0, row)
      replaced.set(row.id, row)
    }
    return replaced.size > MAX_REPLACED ? new DatasetList(all) : new DatasetList(all, this.#index, replaced)
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

/** Under constant changes, the whole list is read after this number of reads of changed datasets. */
const MAX_PARTIAL_READS = 3

/** A list, and the sequence number of the change feed from before it was read. */
interface CachedList {
  list: DatasetList
  since: SequenceNumber | undefined
  /** The list before, and the datasets that were read again; undefined if all were. */
  replaced?: { since: SequenceNumber; ids: readonly string[] }
}

/**
 * Returns a function that reads the list, and caches it until a dataset changes. Then one statement reads only the changed datasets,
 * because the whole list takes 60 ms for 10,000 datasets. The feed then announces all changes that the statement can have seen. If they
 * concern no other dataset, the new list is one state. Otherwise it reads again, in the end the whole list.
 */
export function cacheDatasetList(prisma: Prisma.TransactionClient, changeFeed: ChangeFeed): ReadDatasetList {
  const cache = new RevisionCache<CachedList>(changeFeed, { limit: 1 })
  let last: CachedList | undefined
  const read = async (calls: number): Promise<CachedList> => {
    const since = changeFeed.latest()
    // Without a number, nothing is announced after the read, so nothing shows that the list is one state.
    const isComplete = since !== undefined && calls < MAX_PARTIAL_READS
    const ids = isComplete && last?.since !== undefined ? changeFeed.changedSince(last.since) : undefined
    if (last?.since === undefined || ids === undefined) return { since, list: await readDatasetList(prisma) }
    const { list } = last
    const replaced = { since: last.since, ids }
    const rows = await prisma.dataset.findMany({ where: { id: { in: [...ids] } } })
    return { since, list: list.replace(ids, rows), replaced }
  }
  const isOneState = ({ replaced }: CachedList) =>
    replaced === undefined || changeFeed.changedSince(replaced.since)?.length === replaced.ids.length
  return async () => {
    const found = await cache.load('all', read, () => ['datasets'], isOneState)
    if (found === null) return new DatasetList([])
    last = found
    return found.list
  }
}
