import type { ItemListArguments, NearbyArguments, PageArguments, SearchArguments } from './arguments.ts'
import { pickFilters } from './filters.ts'
import { ALL_ITEM_FIELDS, type ItemProjection } from './item-columns.ts'
import type { Dataset, Item } from './models.ts'
import { createPage, type Page } from './page.ts'
import type { ListProjection } from './projection.ts'
import type { Loaders } from './snapshot/loaders.ts'
import type { ItemOrder, ItemOwner, ItemSelection } from './sql/item-list.ts'
import type { NearbyItem, NearbyWindow } from './sql/nearby.ts'
import type { SearchWindow } from './sql/search.ts'
import type { CircleSearch } from './sql/search-in-circle.ts'

const NO_FIELDS: ItemProjection = { fields: [] }

/** A whole list of items. */
export interface ItemList extends ItemOrder {
  owner: ItemOwner
  selection: ItemSelection
}

/** Returns the owner and the selection of a dataset's list. */
export function selectItems(
  { id }: Dataset,
  args: Omit<ItemListArguments, keyof PageArguments>,
): Pick<ItemList, 'owner' | 'selection'> {
  const { parentItemId = null } = args
  const among = args.parentItemId === undefined ? 'all' : parentItemId === null ? 'roots' : 'children'
  return { owner: { datasetId: id, parentItemId }, selection: { among, ...pickFilters(args) } }
}

/** Creates a page of a list of items. Nothing is read until its functions are called. */
export function createItemPage(
  loaders: Loaders,
  { owner, selection, sort, order }: ItemList,
  { page, limit }: PageArguments,
  projection: ListProjection,
): Page<Item> {
  const { nodes, rawJson, total } = projection
  const window = { selection, sort, order, limit, ...partsOf(projection) }
  return createPage({
    page,
    limit,
    hasNodes: nodes !== undefined || rawJson !== undefined,
    // With the total, the statement does not walk the index to a page past the end.
    fetch: (offset) => loaders.itemPages.load({ ...window, offset, isCounted: total || offset > 0 }, owner),
    count: () => loaders.itemCounts.load(selection, owner),
  })
}

/** The parts of each item that a statement reads. */
function partsOf({ nodes = ALL_ITEM_FIELDS, rawJson }: ListProjection) {
  return rawJson ? { rawItem: rawJson, projection: NO_FIELDS } : { projection: nodes }
}

/** Creates a page of the items with a name or in a box. `scope` holds the UUIDs of the datasets. */
export function createSearchPage(
  loaders: Loaders,
  scope: string[],
  { page, limit, ...search }: Omit<SearchArguments, 'datasetId'>,
  projection: ListProjection,
): Page<Item> {
  const fetch = (window: Omit<SearchWindow, keyof typeof search>) =>
    loaders.searchPages.load({ ...search, ...window }, scope)
  return createPage({
    page,
    limit,
    hasNodes: projection.nodes !== undefined || projection.rawJson !== undefined,
    fetch: (offset) => fetch({ limit, offset, ...partsOf(projection) }),
    count: async () => (await fetch({ limit: 0, offset: 0, projection: NO_FIELDS })).total ?? 0,
  })
}

/** An item that a search finds, and its distance from the point of the search in metres. Without a point it is null. */
export interface FoundItem {
  item: Item
  distance: number | null
}

/** Creates a page of found items from one of a search without a point. */
export function withoutDistance(page: Page<Item>): Page<FoundItem> {
  return { ...page, nodes: async () => (await page.nodes()).map((item) => ({ item, distance: null })) }
}

/** Creates a page of the items that a search finds in a circle, nearest first. `scope` holds the UUIDs of the datasets. */
export function createCircleSearchPage(
  loaders: Loaders,
  scope: string[],
  { page, limit, ...search }: CircleSearch & PageArguments,
  { nodes }: ListProjection,
): Page<NearbyItem> {
  const fetch = (offset: number, size: number, projection: ItemProjection) =>
    loaders.circleSearchPages.load({ ...search, offset, limit: size, projection }, scope)
  return createPage({
    page,
    limit,
    hasNodes: nodes !== undefined,
    fetch: (offset) => fetch(offset, limit, nodes ?? ALL_ITEM_FIELDS),
    count: async () => (await fetch(0, 0, NO_FIELDS)).total ?? 0,
  })
}

/** Creates a page of the matching items in a circle, nearest first. `scope` holds the UUIDs of the datasets. */
export function createNearbyPage(
  loaders: Loaders,
  scope: string[],
  { page, limit, ...selection }: Omit<NearbyArguments, 'datasetId'>,
  { nodes, rawNearby }: ListProjection,
): Page<NearbyItem> {
  const fetch = (window: Omit<NearbyWindow, keyof typeof selection>) =>
    loaders.nearbyPages.load({ ...selection, ...window }, scope)
  const parts = rawNearby ? { raw: rawNearby, projection: NO_FIELDS } : { projection: nodes ?? ALL_ITEM_FIELDS }
  return createPage({
    page,
    limit,
    hasNodes: nodes !== undefined || rawNearby !== undefined,
    fetch: (offset) => fetch({ limit, offset, ...parts }),
    // A search for one item returns the total too.
    count: async () => (await fetch({ limit: 1, offset: 0, projection: NO_FIELDS })).total ?? 0,
  })
}
