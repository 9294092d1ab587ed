import type { ChangeFeed, SequenceNumber } from '../../database/change-feed.ts'
import { RevisionCache } from '../../database/revision-cache.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Dataset } from '../models.ts'

/** All datasets, by name, then id, in one state of the catalog. */
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

  /** The list with new rows of some datasets. A dataset without a row does not exist any more. */
  replace(ids: readonly string[], rows: readonly Dataset[]): DatasetList {
    const replaced = new Set(ids)
    const all = this.all.filter(({ id }) => !replaced.has(id))
    for (const row of rows) all.splice(placeOf(row, all), 0, row)
    return new DatasetList(all)
  }
}

/** The number of datasets in a sorted list that come before a dataset. */
function placeOf(dataset: Dataset, all: readonly Dataset[]): number {
  let [start, end] = [0, all.length]
  while (start < end) {
    const middle = (start + end) >> 1
    const other = all[middle]
    if (other && comparePlaces(other, dataset) < 0) start = middle + 1
    else end = middle
  }
  return start
}

/** Compares names by code point, as PostgreSQL does with the collation "C", and then ids. */
function comparePlaces(a: Dataset, b: Dataset): number {
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

/** A list, and the sequence number of the change feed from before it was read. */
interface CachedList {
  list: DatasetList
  since: SequenceNumber | undefined
  /** The list before, and the datasets that were read again; undefined if all were. */
  replaced?: { since: SequenceNumber; ids: readonly string[] }
}

/**
 * Returns a function that reads the list, and caches it until a dataset changes. Then one statement reads only the datasets that have changed,
 * because the whole list takes 60 ms for 10,000 datasets. All changes that this statement can see are announced afterwards. If they are
 * changes of the datasets that it read, it would have seen the others as they are in the list, so the new list is one state. If not, the
 * whole list is read.
 */
export function cacheDatasetList(prisma: Prisma.TransactionClient, changeFeed: ChangeFeed): ReadDatasetList {
  const cache = new RevisionCache<CachedList>(changeFeed, { limit: 1 })
  let last: CachedList | undefined
  const read = async (isAgain: boolean): Promise<CachedList> => {
    const since = changeFeed.latest()
    // Without a number, nothing is announced after the read, so nothing shows that the list is one state.
    const isComplete = since !== undefined && !isAgain
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
