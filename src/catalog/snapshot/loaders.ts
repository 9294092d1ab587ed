import DataLoader from 'dataloader'
import type { SqlReader } from '../../database/sql-reader.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { ExportFormat, ExportWindow } from '../export-formats.ts'
import type { FeatureWindow } from '../features.ts'
import type { RawItem } from '../item-columns.ts'
import type { Dataset } from '../models.ts'
import { countedTotals, countItems, storedTotals } from '../sql/counts.ts'
import { fetchExportBatch } from '../sql/export.ts'
import { fetchExtents } from '../sql/extent.ts'
import { countFacets, type FacetField, storedFacets } from '../sql/facets.ts'
import { type FeatureCounts, fetchFeaturePage, fetchFeatures } from '../sql/features.ts'
import type { ItemOrder, ItemOwner, ItemSelection } from '../sql/item-list.ts'
import {
  fetchItemPages,
  fetchItemsById,
  haveItemsBefore,
  type ItemWindow,
  type OwnerPosition,
  windowKey,
} from '../sql/items.ts'
import { fetchNearbyPages, type NearbyWindow } from '../sql/nearby.ts'
import { searchNearby } from '../sql/nearby-by-grid.ts'
import { BOOKMARK_STEP, fetchBookmarks, type OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import { fetchSearchPage, type SearchWindow } from '../sql/search.ts'
import { type BatchedFetch, type BatchedItemFetch, batchItems, isCheap } from '../sql/statement-batcher.ts'
import { fetchTile } from '../sql/tiles.ts'
import type { TileAddress } from '../tile.ts'
import { ArgumentsLoader, listLoader, recordLoader } from './batching.ts'
import type { DatasetCache, Timed } from './dataset-cache.ts'
import type { ReadLog } from './read-log.ts'

/** The loaders of one request. Concurrent reads share a statement, and nothing is read twice. */
export type Loaders = ReturnType<typeof createLoaders>

export interface LoaderOptions {
  prisma: Prisma.TransactionClient
  /** Sends statements by themselves. By default, Prisma sends them, which it must in a transaction. */
  sql?: SqlReader
  /** Logs every statement, and the revision of every dataset that the request reads. */
  readLog: ReadLog
  /** Without a cache, each request reads its datasets from the database. */
  datasetCache?: DatasetCache | undefined
  /** Without bookmarks, a deep page walks its whole offset. */
  bookmarks?: OffsetBookmarks | undefined
  /** Without counts, as in a transaction, each page of features counts the selected items, and reads its parts in turn. */
  featureCounts?: FeatureCounts | undefined
  /** Reads pages for several requests in one statement. Without it, each request sends its own statements. */
  batchedFetch?: BatchedFetch | undefined
  /** The same for single items. */
  batchedItemFetch?: BatchedItemFetch | undefined
  /** Whether to count totals and search all points, instead of using the stored counts. For tests. */
  isReference?: boolean
}

/** Creates the loaders for one request. They do not check access. */
export function createLoaders(options: LoaderOptions) {
  const {
    prisma,
    sql = prisma,
    readLog,
    datasetCache,
    bookmarks,
    featureCounts,
    batchedFetch,
    batchedItemFetch,
    isReference = false,
  } = options
  const totals = isReference ? countedTotals : storedTotals
  const send = (options = { returnsRevision: false }) => {
    readLog.send(options)
    return { prisma, sql }
  }
  const fetchItem = batchedItemFetch ?? batchItems(sql)
  const sendBatched: BatchedFetch | undefined =
    batchedFetch &&
    ((window, owner) => {
      readLog.send({ returnsRevision: true })
      return batchedFetch(window, owner)
    })
  const startAtBookmark = async (window: ItemWindow, owners: readonly ItemOwner[]) => {
    const [owner] = owners
    const revision = owner && readLog.revisionOf(owner.datasetId)
    if (!bookmarks || !owner || revision === undefined || owners.length > 1 || window.offset < BOOKMARK_STEP)
      return window
    return bookmarks.startAt(window, owner, revision, async (after, steps) => {
      const walked = await fetchBookmarks(send({ returnsRevision: true }).sql, window, owner, {
        after,
        steps,
        step: BOOKMARK_STEP,
        totals,
      })
      readLog.verify(owner.datasetId, walked.revision)
      return walked.revision === revision ? walked.bookmarks : []
    })
  }
  return {
    ...datasetLoaders(prisma, readLog, datasetCache),
    itemsById: recordLoader(
      (ids: string[]) => fetchItemsById(send().sql, ids),
      (item) => item.id,
    ),
    rawItem: (members: RawItem, id: string) => {
      readLog.send({ returnsRevision: true })
      return fetchItem(members, id)
    },
    imagesById: recordLoader(
      (ids: string[]) => send().prisma.image.findMany({ where: { id: { in: ids } } }),
      (image) => image.id,
    ),
    imagesByItemId: listLoader(
      (ids: string[]) =>
        send().prisma.image.findMany({
          where: { itemId: { in: ids } },
          orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
        }),
      (image) => image.itemId,
    ),
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const [owner] = owners
      const pages =
        sendBatched && owner && owners.length === 1 && isCheap(window)
          ? [await sendBatched(window, owner)]
          : await fetchItemPages(
              send({ returnsRevision: true }).sql,
              await startAtBookmark(window, owners),
              owners,
              totals,
            )
      pages.forEach(({ revision }, index) => {
        readLog.verify(owners[index]?.datasetId ?? '', revision)
      })
      return pages
    }, windowKey),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      countItems(send().sql, selection, owners, totals),
    ),
    itemsBefore: new ArgumentsLoader((order: ItemSelection & ItemOrder, positions: readonly OwnerPosition[]) =>
      haveItemsBefore(send().sql, order, positions),
    ),
    nearbyPages: new ArgumentsLoader(async (window: NearbyWindow, scopes: readonly string[][]) => {
      const [scope] = scopes
      // Several searches in one request are rare. Plain PostGIS runs them in one statement; the grid needs several for each.
      if (isReference || !scope || scopes.length > 1) return fetchNearbyPages(send().sql, window, scopes)
      readLog.send({ returnsRevision: true })
      const { revisions, ...page } = await searchNearby(sql, window, scope)
      if (revisions) readLog.verifyAll(scope, revisions)
      else readLog.send({ returnsRevision: false })
      return [page]
    }),
    searchPages: new ArgumentsLoader((window: SearchWindow, scopes: readonly string[][]) =>
      Promise.all(scopes.map((scope) => fetchSearchPage(send().prisma, window, scope, { isReference }))),
    ),
    facets: new ArgumentsLoader((field: FacetField, datasetIds: readonly string[]) =>
      (isReference ? countFacets : storedFacets)(send().prisma, field, datasetIds),
    ),
    tile: (tile: TileAddress, scope: readonly string[]) => fetchTile(send().prisma, tile, scope),
    featurePage: ({ id, revision }: Dataset, window: FeatureWindow) =>
      fetchFeaturePage(
        {
          prisma: send().prisma,
          datasetId: id,
          totals,
          isConcurrent: featureCounts !== undefined,
          countOnce: (selection, count) => featureCounts?.load(revision, selection, count) ?? count(),
        },
        window,
      ),
    feature: async ({ id }: Dataset, itemId: string) => {
      const { features, count } = await fetchFeatures({ prisma: send().prisma, datasetId: id }, [itemId])
      return count === 0 ? null : features
    },
    extents: new DataLoader((datasetIds: readonly string[]) => fetchExtents(send().prisma, datasetIds)),
    exportBatch: async (datasetId: string, format: ExportFormat, window: ExportWindow) => {
      const batch = await fetchExportBatch(send({ returnsRevision: true }).prisma, datasetId, format, window)
      readLog.verify(datasetId, batch.revision)
      return batch
    },
  }
}

/** Loads datasets from the cache or the database, and logs the revision of each. */
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
  const observe = ({ value, readAtMs }: Timed<Dataset>) => {
    readLog.observe(value, readAtMs)
    // The resolvers of the dataset's items load it by id.
    byId.prime(value.id, value)
    return value
  }
  const find = async (idOrSlug: string, read: () => Promise<Dataset | null>) => {
    const found = datasetCache ? await datasetCache.one(idOrSlug, read) : await readNow(read)
    return found && observe(found)
  }
  return {
    datasets: once(async () => {
      const { value, readAtMs } = datasetCache
        ? await datasetCache.all(readAll)
        : { value: await readAll(), readAtMs: performance.now() }
      return value.map((dataset) => observe({ value: dataset, readAtMs }))
    }),
    datasetById: (id: string) => find(id, () => byId.load(id)),
    datasetBySlug: (slug: string) => find(slug, () => bySlug.load(slug)),
  }
}

async function readNow(read: () => Promise<Dataset | null>): Promise<Timed<Dataset> | null> {
  const value = await read()
  return value && { value, readAtMs: performance.now() }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
