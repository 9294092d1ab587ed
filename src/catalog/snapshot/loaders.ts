import DataLoader from 'dataloader'
import type { TileSelection } from '../arguments.ts'
import type { FilterValues } from '../filters.ts'
import { type Dataset, type Item, parseItems } from '../models.ts'
import type { Fetched, Window } from '../page.ts'
import { planSearch } from '../plan.ts'
import { type ItemProjection, projectionKey } from '../projection.ts'
import { fetchImages, fetchImagesOf, fetchInOrder, type LookupRow } from '../sql/by-id.ts'
import { fetchChanges, fetchLabels, type LogPosition } from '../sql/change-log.ts'
import { type BatchContent, type ExportWindow, fetchAttributes, fetchExportBatch } from '../sql/export.ts'
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
import { type StartRow, searchNearby } from '../sql/nearby-by-grid.ts'
import { BOOKMARK_STEP, fetchBookmarks } from '../sql/offset-bookmarks.ts'
import { fetchSearchPage, type SearchWindow } from '../sql/search.ts'
import { isCheap } from '../sql/statement-batcher.ts'
import { fetchSuggestions, type Suggestion } from '../sql/suggest.ts'
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
      statements.run(
        ({ prisma }) => prisma.keyUsageDay.findMany({ where: { apiKeyId, day: { gte: since }, requests: { gt: 0 } } }),
        () => [],
      ),
    facets: new ArgumentsLoader((field: FacetField, datasetIds: readonly string[]) =>
      fetchFacets(statements.on(datasetIds), field, datasetIds),
    ),
  }
}

function imageLoaders({ statements }: LoaderOptions) {
  return {
    imagesOfItems: new DataLoader(
      async (items: readonly Pick<Item, 'id' | 'datasetId'>[]) => {
        const reader = statements.on(items.map(({ datasetId }) => datasetId))
        const images = await fetchImagesOf(
          reader,
          items.map(({ id }) => id),
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
  /** Logs the items of the pages. A page without a total is full. */
  const countItems = ({ offset, limit }: Window, pages: Fetched[]): Fetched[] => {
    for (const { total } of pages) readLog.countItems(Math.min(Math.max((total ?? Infinity) - offset, 0), limit))
    return pages
  }
  return {
    found: new ArgumentsLoader(
      async (window: SearchWindow, scopes: readonly string[][]) =>
        countItems(window, await findPages(statements, window, scopes)),
      windowKey,
    ),
    suggestions: async (suggestion: Suggestion, scope: readonly string[], projection: ItemProjection) => {
      const reader = statements.on(scope)
      const ids = await fetchSuggestions(reader, suggestion, scope)
      const items = ids.length === 0 ? [] : parseItems(await fetchInOrder(reader, ids, projection))
      readLog.countItems(items.length)
      return items
    },
    tile: async (tile: TileAddress, selection: TileSelection, scope: readonly string[]) => {
      const features = await fetchTile(statements.on(scope), tile, selection, scope)
      readLog.countItems(features.filter(({ properties }) => 'id' in properties).length)
      return features
    },
  }
}

/** Reads a window of the found items of each scope. The total of a text is kept as long as the change feed names no dataset of the scope. */
async function findPages(
  statements: Statements,
  window: SearchWindow,
  scopes: readonly string[][],
): Promise<Fetched[]> {
  const plan = planSearch(window)
  const find = (scope: string[]) =>
    plan.way === 'grid'
      ? searchNearby(statements.on(scope), { ...window, circle: plan.circle }, scope, (search) =>
          statements.run(({ batchers }) => batchers.startSearch(search), seenRevisions(scope)),
        )
      : fetchSearchPage(statements.on(scope), window, scope)
  const count = async (scope: string[]) => {
    const known = statements.textTotals?.lookup(scope, windowKey(window))
    if (known?.value !== undefined) {
      // The read log knows by a statement whether the total is of the state of the list.
      await statements.on(scope).$queryRaw`SELECT true`
      return { json: '[]', total: known.value }
    }
    const found = await find(scope)
    if (found.total !== null) known?.store(found.total)
    return found
  }
  return Promise.all(scopes.map(plan.way === 'words' && window.limit === 0 ? count : find))
}

function windowKey<Rest extends object>({ projection, ...rest }: Rest & { projection: ItemProjection }): string {
  return `${JSON.stringify(rest)} ${projectionKey(projection)}`
}

/** The features and extent of a dataset for maps, and its export. */
function wholeDatasetLoaders({ statements, readLog }: LoaderOptions) {
  return {
    featurePage: async ({ id }: Dataset, window: FeatureWindow) => {
      const counts = statements.featureCounts
      const page = await fetchFeaturePage({ reader: statements.on([id]), datasetId: id, counts }, window)
      readLog.countItems(page.count)
      return page
    },
    feature: async ({ id }: Dataset, itemId: string) => {
      const { features, count } = await fetchFeatures({ reader: statements.on([id]), datasetId: id }, [itemId])
      readLog.countItems(count)
      return count === 0 ? null : features
    },
    extents: new DataLoader((datasetIds: readonly string[]) => fetchExtents(statements.on(datasetIds), datasetIds)),
    exportSizes: new DataLoader((datasetIds: readonly string[]) =>
      fetchExportSizes(statements.on(datasetIds), datasetIds),
    ),
    attributes: (datasetId: string, filters: FilterValues, limit: number) =>
      fetchAttributes(statements.on([datasetId]), datasetId, filters, limit),
    exportBatch: async (datasetId: string, content: BatchContent, window: ExportWindow) => {
      const batch = await fetchExportBatch(statements.on([datasetId]), datasetId, content, window)
      readLog.countItems(batch.count)
      return batch
    },
    changes: async (datasetId: string, after: LogPosition, limit: number) => {
      const batch = await fetchChanges(statements.on([datasetId]), datasetId, after, limit)
      readLog.countItems(batch?.count ?? 0)
      return batch
    },
    labels: (datasetId: string) => fetchLabels(statements.on([datasetId]), datasetId),
  }
}

/** Items by id, and the pages and counts of lists. */
function itemLoaders(options: LoaderOptions) {
  const { statements, readLog } = options
  return {
    items: new ArgumentsLoader(async (projection: ItemProjection, ids: readonly string[]) => {
      const { scope } = readLog
      const find = (id: string) =>
        statements.run(({ batchers }) => batchers.fetchItem({ projection, id, scope }), seenRevision)
      const found = await Promise.all(ids.map(find))
      for (const row of found) if (row && row.json !== null) readLog.countItems(1)
      if (found.includes(null)) await statements.miss()
      return found
    }, projectionKey),
    images: new DataLoader((ids: readonly string[]) =>
      fetchImages(statements.on('all'), { ids, scope: readLog.scope }),
    ),
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const pages = await readPages(options, window, owners)
      // A connection reads one more item than it shows.
      const { limit, isForCursor = false } = window
      for (const { count } of pages) readLog.countItems(Math.min(count, isForCursor ? limit - 1 : limit))
      return pages
    }, windowKey),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      countItems(statements.on(datasetsOf(owners)), selection, owners),
    ),
    itemsBeyond: new ArgumentsLoader((list: ItemsBeyond, positions: readonly OwnerPosition[]) =>
      haveItemsBeyond(statements.on(datasetsOf(positions)), list, positions),
    ),
  }
}

function seenRevision(found: LookupRow | null): SeenRevision[] {
  return found ? [[found.datasetId, found.revision]] : []
}

/** The revisions in the row of a nearby search. */
const seenRevisions =
  (scope: readonly string[]) =>
  ({ revisions }: StartRow): SeenRevision[] => {
    const texts: (string | null)[] = JSON.parse(revisions ?? '[]')
    return texts.map((revision, n) => [scope[n] ?? '', revision === null ? null : BigInt(revision)])
  }

function datasetsOf(owners: readonly ItemOwner[]): string[] {
  return owners.map(({ datasetId }) => datasetId)
}

async function readPages(
  { statements, readLog }: LoaderOptions,
  window: ItemWindow,
  owners: readonly ItemOwner[],
): Promise<ItemWindowContent[]> {
  const [owner] = owners
  const only = owners.length === 1 ? owner : undefined
  const revision = only && readLog.revisionOf(only.datasetId)
  return statements.run(
    async ({ reader, batchers, bookmarks }) => {
      if (only && isCheap(window)) return [await batchers.fetchWindow({ window, owner: only })]
      if (!bookmarks || !only || revision == null || window.offset < BOOKMARK_STEP)
        return fetchItemPages(reader, window, owners)
      const from = await bookmarks.startAt(window, only, revision, (after, steps) =>
        fetchBookmarks(reader, { ...window, after }, only, steps),
      )
      return fetchItemPages(reader, from, owners)
    },
    (pages) => pages.map(({ revision }, n) => [owners[n]?.datasetId ?? '', revision]),
  )
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
