import DataLoader from 'dataloader'
import type { TileSelection } from '../arguments.ts'
import type { ExportContent, ExportWindow } from '../export.ts'
import type { FilterValues } from '../filters.ts'
import type { Dataset, Item } from '../models.ts'
import type { Fetched, Window } from '../page.ts'
import { planSearch } from '../plan.ts'
import { type ItemProjection, projectionKey } from '../projection.ts'
import { fetchImages, type LookupRow } from '../sql/by-id.ts'
import { fetchAttributes, fetchExportBatch } from '../sql/export.ts'
import { fetchExportSizes } from '../sql/export-sizes.ts'
import { fetchExtents } from '../sql/extent.ts'
import { type FacetField, fetchFacets } from '../sql/facets.ts'
import { type FeatureWindow, fetchFeaturePage, fetchFeatures } from '../sql/features.ts'
import { countItems, type ItemOwner, type ItemSelection } from '../sql/item-list.ts'
import {
  fetchItemPages,
  haveItemsBeyond,
  type ItemsBeyond,
  type ItemWindow,
  type ItemWindowContent,
  type OwnerPosition,
} from '../sql/items.ts'
import { searchNearby } from '../sql/nearby-by-grid.ts'
import { BOOKMARK_STEP, fetchBookmarks } from '../sql/offset-bookmarks.ts'
import { fetchSearchPage, type SearchWindow } from '../sql/search.ts'
import { isCheap } from '../sql/statement-batcher.ts'
import { fetchItemsInOrder, fetchSuggestions, type Suggestion } from '../sql/suggest.ts'
import { fetchTile } from '../sql/tiles.ts'
import type { TileAddress } from '../tile.ts'
import type { ReadLog, SeenRevision, Statements } from './read-log.ts'

/** The loaders of one read. Concurrent loads share a statement, and nothing is read twice. */
export type Loaders = ReturnType<typeof createLoaders>

/** Creates the loaders of one read. They do not check access. */
export function createLoaders(options: LoaderOptions) {
  const { statements } = options
  return {
    ...itemLoaders(options),
    ...imageLoaders(options),
    ...placeLoaders(options),
    ...wholeDatasetLoaders(options),
    keyUsage: (apiKeyId: string, since: Date) =>
      statements.unverified([], ({ prisma }) =>
        prisma.keyUsageDay.findMany({ where: { apiKeyId, day: { gte: since }, requests: { gt: 0 } } }),
      ),
    facets: new ArgumentsLoader((field: FacetField, datasetIds: readonly string[]) =>
      statements.unverified(datasetIds, ({ reader }) => fetchFacets(reader, field, datasetIds)),
    ),
  }
}

function imageLoaders({ statements }: LoaderOptions) {
  return {
    imagesOfItems: new DataLoader(
      async (items: readonly Pick<Item, 'id' | 'datasetId'>[]) => {
        const datasetIds = items.map(({ datasetId }) => datasetId)
        const images = await statements.unverified(datasetIds, ({ prisma }) =>
          prisma.image.findMany({
            where: { itemId: { in: items.map(({ id }) => id) } },
            orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
          }),
        )
        const byItem = Map.groupBy(images, ({ itemId }) => itemId)
        return items.map(({ id }) => byItem.get(id) ?? [])
      },
      { cacheKeyFn: ({ id }) => id },
    ),
  }
}

/** Items near a point, with a name or in a box, and on a map tile. */
function placeLoaders({ statements, readLog }: LoaderOptions) {
  /** Logs the items of the pages. */
  const countItems = ({ offset, limit }: Window, pages: Fetched[]): Fetched[] => {
    for (const { total } of pages) readLog.countItems(Math.min(Math.max((total ?? 0) - offset, 0), limit))
    return pages
  }
  return {
    found: new ArgumentsLoader(
      async (window: SearchWindow, scopes: readonly string[][]) =>
        countItems(window, await findPages(statements, window, scopes)),
      windowKey,
    ),
    suggestions: async (suggestion: Suggestion, scope: readonly string[], projection: ItemProjection) => {
      const items = await statements.unverified(scope, async ({ reader }) =>
        fetchItemsInOrder(reader, await fetchSuggestions(reader, suggestion, scope), projection),
      )
      readLog.countItems(items.length)
      return items
    },
    tile: async (tile: TileAddress, selection: TileSelection, scope: readonly string[]) => {
      const features = await statements.unverified(scope, ({ reader }) => fetchTile(reader, tile, selection, scope))
      readLog.countItems(features.filter(({ properties }) => 'id' in properties).length)
      return features
    },
  }
}

/** Reads a window of the found items of each scope. */
async function findPages(
  statements: Statements,
  window: SearchWindow,
  scopes: readonly string[][],
): Promise<Fetched[]> {
  const plan = planSearch(window)
  if (plan.way !== 'grid') {
    const fetch = (scope: string[]) =>
      statements.unverified(scope, ({ reader }) => fetchSearchPage(reader, window, scope))
    return Promise.all(scopes.map(fetch))
  }
  const nearby = { ...window, circle: plan.circle }
  const searchIn = (scope: string[]) =>
    searchNearby(nearby, scope, {
      start: (search) =>
        statements.verified(
          ({ batchers }) => batchers.startNearby(search),
          ({ revisions }) => revisionsOf(scope, revisions),
        ),
      refine: (run) => statements.unverified(scope, ({ reader }) => run(reader)),
    })
  return Promise.all(scopes.map(searchIn))
}

function windowKey<Rest extends object>({ projection, ...rest }: Rest & { projection: ItemProjection }): string {
  return `${JSON.stringify(rest)} ${projectionKey(projection)}`
}

/** The revision of each dataset of a scope, from the pairs of id and revision that a statement returned as JSON. */
function revisionsOf(scope: readonly string[], json: string): SeenRevision[] {
  const pairs: [id: string, revision: string][] = JSON.parse(json)
  const seen = new Map(pairs)
  return scope.map((id) => {
    const revision = seen.get(id)
    return [id, revision === undefined ? null : BigInt(revision)]
  })
}

/** The features and extent of a dataset for maps, and its export. */
function wholeDatasetLoaders({ statements, readLog }: LoaderOptions) {
  return {
    featurePage: async ({ id }: Dataset, window: FeatureWindow) => {
      const page = await statements.unverified([id], ({ reader, featureCounts }) =>
        fetchFeaturePage({ reader, datasetId: id, counts: featureCounts }, window),
      )
      readLog.countItems(page.count)
      return page
    },
    feature: ({ id }: Dataset, itemId: string) =>
      statements.unverified([id], async ({ reader }) => {
        const { features, count } = await fetchFeatures({ reader, datasetId: id }, [itemId])
        readLog.countItems(count)
        return count === 0 ? null : features
      }),
    extents: new DataLoader((datasetIds: readonly string[]) =>
      statements.unverified(datasetIds, ({ reader }) => fetchExtents(reader, datasetIds)),
    ),
    exportSizes: new DataLoader((datasetIds: readonly string[]) =>
      statements.unverified(datasetIds, ({ reader }) => fetchExportSizes(reader, datasetIds)),
    ),
    attributes: (datasetId: string, filters: FilterValues, limit: number) =>
      statements.unverified([datasetId], ({ reader }) => fetchAttributes(reader, datasetId, filters, limit)),
    exportBatch: async (datasetId: string, content: ExportContent, window: ExportWindow) => {
      const batch = await statements.verified(
        ({ reader }) => fetchExportBatch(reader, datasetId, content, window),
        ({ revision }) => [[datasetId, revision]],
      )
      readLog.countItems(batch.count)
      return batch
    },
  }
}

/** Items by id, and the pages and counts of lists. */
function itemLoaders(options: LoaderOptions) {
  const { statements, readLog } = options
  const datasetsOf = (owners: readonly ItemOwner[]) => owners.map(({ datasetId }) => datasetId)
  return {
    items: new ArgumentsLoader(async (projection: ItemProjection, ids: readonly string[]) => {
      const { scope } = readLog
      const find = (id: string) =>
        statements.verified(({ batchers }) => batchers.fetchItem({ projection, id, scope }), seenRevision)
      return logFound(readLog, await Promise.all(ids.map(find)))
    }, projectionKey),
    images: new DataLoader(async (ids: readonly string[]) => {
      const { scope } = readLog
      return statements.unverified('all', ({ reader }) => fetchImages(reader, { ids, scope }))
    }),
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const pages = await readPages(options, window, owners)
      // A connection reads one more item than it shows.
      const { limit, isForCursor = false } = window
      for (const { count } of pages) readLog.countItems(Math.min(count, isForCursor ? limit - 1 : limit))
      return pages
    }, windowKey),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      statements.unverified(datasetsOf(owners), ({ reader }) => countItems(reader, selection, owners)),
    ),
    itemsBeyond: new ArgumentsLoader((list: ItemsBeyond, positions: readonly OwnerPosition[]) =>
      statements.unverified(datasetsOf(positions), ({ reader }) => haveItemsBeyond(reader, list, positions)),
    ),
  }
}

function seenRevision(found: LookupRow | null): SeenRevision[] {
  return found ? [[found.datasetId, found.revision]] : []
}

/** Logs which rows were found, and returns them. */
function logFound(readLog: ReadLog, rows: (LookupRow | null)[]): (LookupRow | null)[] {
  for (const row of rows) {
    if (!row) readLog.miss()
    else if (row.json !== null) readLog.countItems(1)
  }
  return rows
}

async function readPages(
  { statements, readLog }: LoaderOptions,
  window: ItemWindow,
  owners: readonly ItemOwner[],
): Promise<ItemWindowContent[]> {
  const [owner] = owners
  const only = owners.length === 1 ? owner : undefined
  const seenIn = (pages: ItemWindowContent[]) =>
    pages.map(({ revision }, n): SeenRevision => [owners[n]?.datasetId ?? '', revision])
  if (only && isCheap(window))
    return statements.verified(async ({ batchers }) => [await batchers.fetchWindow({ window, owner: only })], seenIn)
  const revision = only && readLog.revisionOf(only.datasetId)
  return statements.verified(async ({ reader, bookmarks }) => {
    if (!bookmarks || !only || revision == null || window.offset < BOOKMARK_STEP)
      return fetchItemPages(reader, window, owners)
    const from = await bookmarks.startAt(window, only, revision, (after, steps) =>
      fetchBookmarks(reader, { ...window, after }, only, steps),
    )
    return fetchItemPages(reader, from, owners)
  }, seenIn)
}

/** What the loaders of one read use. */
interface LoaderOptions {
  statements: Statements
  readLog: ReadLog
}

/**
 * Loads values that depend on a key and on arguments. Concurrent loads with equal arguments share a call of `find`. So a
 * GraphQL field with arguments takes one statement for each alias, not one for each parent record.
 */
export class ArgumentsLoader<Arguments, Key, Value> {
  readonly #find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>
  readonly #keyOf: (args: Arguments) => string
  readonly #loaders = new Map<string, DataLoader<Key, Value, string>>()

  /**
   * @param find returns a value for each key, in the order of the keys
   * @param keyOf returns a text that is equal for equal arguments
   */
  constructor(
    find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>,
    keyOf: (args: Arguments) => string = JSON.stringify,
  ) {
    this.#find = find
    this.#keyOf = keyOf
  }

  load(args: Arguments, key: Key): Promise<Value> {
    const argumentsKey = this.#keyOf(args)
    let loader = this.#loaders.get(argumentsKey)
    if (!loader) {
      loader = new DataLoader((keys) => this.#find(args, keys), { cacheKeyFn: (key) => JSON.stringify(key) })
      this.#loaders.set(argumentsKey, loader)
    }
    return loader.load(key)
  }
}
