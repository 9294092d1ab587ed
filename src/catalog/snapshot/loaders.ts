import type { Prisma } from '../../generated/prisma/client.ts'
import type { Dataset } from '../models.ts'
import { countedTotals, countItems, storedTotals } from '../sql/counts.ts'
import type { ItemOrder, ItemOwner, ItemSelection } from '../sql/item-list.ts'
import { fetchItemPages, fetchItemsById, haveItemsBefore, type ItemWindow, type OwnerPosition } from '../sql/items.ts'
import { fetchNearbyPages, type NearbyWindow } from '../sql/nearby.ts'
import { searchNearby } from '../sql/nearby-by-grid.ts'
import { BOOKMARK_STEP, fetchBookmarks, type OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import { type BatchedFetch, isCheap } from '../sql/statement-batcher.ts'
import { fetchTile } from '../sql/tiles.ts'
import type { TileAddress } from '../tile.ts'
import { ArgumentsLoader, listLoader, recordLoader } from './batching.ts'
import type { DatasetCache, Known } from './dataset-cache.ts'
import type { ReadLog } from './read-log.ts'

/** All reads of one request. Concurrent reads share a statement, and nothing is read twice. */
export type Loaders = ReturnType<typeof createLoaders>

export interface LoaderOptions {
  prisma: Prisma.TransactionClient
  /** Records every statement, and every dataset that the request observes. */
  readLog: ReadLog
  /** Without it datasets are read from the database. */
  datasetCache?: DatasetCache | undefined
  /** Without them a deep page walks its whole offset. */
  bookmarks?: OffsetBookmarks | undefined
  /** Reads pages of several requests in one statement. Without it each request sends its own. */
  batchedFetch?: BatchedFetch | undefined
  /** Counts totals and searches all points, instead of using the stored counts. */
  isReference?: boolean
}

/** Creates the loaders for one request. They do not check access. */
export function createLoaders(options: LoaderOptions) {
  const { prisma, readLog, datasetCache, bookmarks, batchedFetch, isReference = false } = options
  const totals = isReference ? countedTotals : storedTotals
  const send = (isStamped = false) => {
    readLog.send({ isStamped })
    return prisma
  }
  const sendBatched: BatchedFetch | undefined =
    batchedFetch &&
    ((window, owner) => {
      readLog.send({ isStamped: true })
      return batchedFetch(window, owner)
    })
  const approach = async (window: ItemWindow, owners: readonly ItemOwner[]) => {
    const [owner] = owners
    const revision = owner && readLog.revisionOf(owner.datasetId)
    if (!bookmarks || !owner || revision === undefined || owners.length > 1 || window.offset < BOOKMARK_STEP)
      return window
    return bookmarks.approach(window, owner, revision, async (after, steps) => {
      const walked = await fetchBookmarks(send(true), window, owner, { after, steps, step: BOOKMARK_STEP, totals })
      readLog.verify(owner.datasetId, walked.revision)
      return walked.revision === revision ? walked.bookmarks : []
    })
  }
  return {
    ...datasetLoaders(prisma, readLog, datasetCache),
    itemsById: recordLoader(
      (ids: string[]) => fetchItemsById(send(), ids),
      (item) => item.id,
    ),
    imagesById: recordLoader(
      (ids: string[]) => send().image.findMany({ where: { id: { in: ids } } }),
      (image) => image.id,
    ),
    imagesByItemId: listLoader(
      (ids: string[]) =>
        send().image.findMany({ where: { itemId: { in: ids } }, orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }] }),
      (image) => image.itemId,
    ),
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const [owner] = owners
      const pages =
        sendBatched && owner && owners.length === 1 && isCheap(window)
          ? [await sendBatched(window, owner)]
          : await fetchItemPages(send(true), await approach(window, owners), owners, totals)
      pages.forEach(({ revision }, index) => {
        readLog.verify(owners[index]?.datasetId ?? '', revision)
      })
      return pages
    }),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      countItems(send(), selection, owners, totals),
    ),
    itemsBefore: new ArgumentsLoader((order: ItemSelection & ItemOrder, positions: readonly OwnerPosition[]) =>
      haveItemsBefore(send(), order, positions),
    ),
    nearbyPages: new ArgumentsLoader(async (window: NearbyWindow, scopes: readonly string[][]) => {
      const [scope] = scopes
      // Several searches in one request are rare. Plain PostGIS does them in one statement; the grid takes several for each.
      if (isReference || !scope || scopes.length > 1) return fetchNearbyPages(send(), window, scopes)
      return [await searchNearby(send(), window, scope)]
    }),
    tile: (tile: TileAddress, scope: readonly string[]) => fetchTile(send(), tile, scope),
  }
}

/** Loads datasets from the cache, or else from the database, and logs the revision of each. */
function datasetLoaders(prisma: Prisma.TransactionClient, readLog: ReadLog, datasetCache: DatasetCache | undefined) {
  const byId = recordLoader(
    (ids: string[]) => prisma.dataset.findMany({ where: { id: { in: ids } } }),
    (dataset) => dataset.id,
  )
  const bySlug = recordLoader(
    (slugs: string[]) => prisma.dataset.findMany({ where: { slug: { in: slugs } } }),
    (dataset) => dataset.slug,
  )
  const readAll = () => prisma.dataset.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] })
  const observe = ({ value, knownAt }: Known<Dataset>) => {
    readLog.observe(value, knownAt)
    // Resolvers of its items load it again, by id.
    byId.prime(value.id, value)
    return value
  }
  const find = async (name: string, read: () => Promise<Dataset | null>) => {
    const found = datasetCache ? await datasetCache.one(name, read) : await knownNow(read)
    return found && observe(found)
  }
  return {
    datasets: once(async () => {
      const { value, knownAt } = datasetCache
        ? await datasetCache.all(readAll)
        : { value: await readAll(), knownAt: performance.now() }
      return value.map((dataset) => observe({ value: dataset, knownAt }))
    }),
    datasetById: (id: string) => find(id, () => byId.load(id)),
    datasetBySlug: (slug: string) => find(slug, () => bySlug.load(slug)),
  }
}

async function knownNow(read: () => Promise<Dataset | null>): Promise<Known<Dataset> | null> {
  const value = await read()
  return value && { value, knownAt: performance.now() }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
