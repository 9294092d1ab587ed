import DataLoader from 'dataloader'
import type { ExportFormat, ExportWindow } from '../export-formats.ts'
import type { FeatureWindow } from '../features.ts'
import type { Dataset } from '../models.ts'
import { countedTotals, storedTotals } from '../sql/counts.ts'
import { fetchExportBatch } from '../sql/export.ts'
import { fetchExtents } from '../sql/extent.ts'
import { countFacets, type FacetField, storedFacets } from '../sql/facets.ts'
import { fetchFeaturePage, fetchFeatures } from '../sql/features.ts'
import { fetchNearbyPages, type NearbyWindow, nearbyKey } from '../sql/nearby.ts'
import { searchNearby } from '../sql/nearby-by-grid.ts'
import { fetchSearchPage, type SearchWindow } from '../sql/search.ts'
import { createBatchers } from '../sql/statement-batcher.ts'
import { fetchTile } from '../sql/tiles.ts'
import type { TileAddress } from '../tile.ts'
import { ArgumentsLoader, listLoader, recordLoader } from './batching.ts'
import { datasetLoaders } from './dataset-loaders.ts'
import { itemLoaders } from './item-loaders.ts'
import type { LoaderContext, LoaderOptions, Send } from './loader-options.ts'

/** The loaders of one request. Concurrent reads share a statement, and nothing is read twice. */
export type Loaders = ReturnType<typeof createLoaders>

/** Creates the loaders for one request. They do not check access. */
export function createLoaders(options: LoaderOptions) {
  const { prisma, sql = prisma, readLog, datasetCache, isReference = false } = options
  const totals = isReference ? countedTotals : storedTotals
  const send: Send = (sent = { returnsRevision: false }) => {
    readLog.send(sent)
    return { prisma, sql }
  }
  const reads = {
    ...options,
    sql,
    send,
    totals,
    batchers: options.batchers ?? createBatchers(sql, totals),
    isReference,
  }
  return {
    ...datasetLoaders(prisma, readLog, datasetCache),
    ...itemLoaders(reads),
    ...imageLoaders(send),
    ...placeLoaders(reads),
    ...wholeDatasetLoaders(reads),
    facets: new ArgumentsLoader((field: FacetField, datasetIds: readonly string[]) =>
      (isReference ? countFacets : storedFacets)(send().prisma, field, datasetIds),
    ),
  }
}

/** Images by id, and by item. */
function imageLoaders(send: Send) {
  return {
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
  }
}

/** Items near a point, with a name or in a box, and on a map tile. */
function placeLoaders({ send, sql, readLog, batchers, isReference }: LoaderContext) {
  return {
    nearbyPages: new ArgumentsLoader(async (window: NearbyWindow, scopes: readonly string[][]) => {
      const [scope] = scopes
      // Several searches in one request are rare. Plain PostGIS runs them in one statement; the grid needs several for each.
      if (isReference || !scope || scopes.length > 1) return fetchNearbyPages(send().sql, window, scopes)
      readLog.send({ returnsRevision: true })
      const { revisions, ...page } = await searchNearby(sql, window, scope, batchers.startNearby)
      if (revisions) readLog.verifyAll(scope, revisions)
      else readLog.send({ returnsRevision: false })
      return [page]
    }, nearbyKey),
    searchPages: new ArgumentsLoader((window: SearchWindow, scopes: readonly string[][]) =>
      Promise.all(scopes.map((scope) => fetchSearchPage(send().prisma, window, scope, { isReference }))),
    ),
    tile: (tile: TileAddress, scope: readonly string[]) => fetchTile(send().prisma, tile, scope),
  }
}

/** The features and extent of a dataset for maps, and its export. */
function wholeDatasetLoaders({ send, readLog, totals, featureCounts }: LoaderContext) {
  return {
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
