import { toBoundingBox } from '../map/box.ts'
import { runGraphQL } from '../shared/api.ts'
import { isSearch, type View } from './address.ts'
import { LISTED, type ListedItem } from './data.ts'
import { ROW_FIELDS, type Row, type Sort, type Table } from './table-columns.ts'

/*
 * What the list shows: the items of a dataset, the items near a point, or the results of a search.
 */

export interface Results {
  total: number
  items: ListedItem[]
}

/** The number of items that are read at once. */
export const PAGE_SIZE = 50

/** Reads a page of a view's list. */
export async function readResults(view: View, page: number, signal: AbortSignal): Promise<Results> {
  const { total, nodes } = await readPage<ListedItem>(view, { fields: LISTED, page }, signal)
  return { total, items: nodes }
}

/** Reads a page of the table of a view. */
export async function readTable(
  view: View,
  table: Table,
  signal: AbortSignal,
): Promise<{ total: number; rows: Row[] }> {
  const fields = [...new Set([...ROW_FIELDS, ...table.fields])].join(' ')
  const { total, nodes } = await readPage<Row>(view, { fields, page: table.page, order: table }, signal)
  return { total, rows: nodes }
}

/** The name of a sort order in GraphQL: `updatedAt` is `UPDATED_AT`. */
export function enumOf(sort: Sort): string {
  return sort.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** What a page has: the GraphQL fields of its items, and the order if the list has one to choose. */
interface PageRequest {
  fields: string
  page: number
  order?: Pick<Table, 'sort' | 'isDescending'>
}

interface Page<Node> {
  total: number
  nodes: Node[]
}

function readPage<Node>(view: View, request: PageRequest, signal: AbortSignal): Promise<Page<Node>> {
  if (view.near) return readNearby(view, request, signal)
  return isSearch(view) ? readSearch(view, request, signal) : readItems(view, request, signal)
}

async function readItems<Node>(view: View, { fields, page, order }: PageRequest, signal: AbortSignal) {
  const { dataset, category, area } = view
  const data = await runGraphQL<{ dataset: { items: Page<Node> } }>(
    `query Items(
  $dataset: ID!, $category: String, $area: String, $sort: ItemSort, $order: SortOrder, $page: Int, $limit: Int
) {
  dataset(id: $dataset) {
    items(
      categoryCode: $category, administrativeAreaCode: $area, sort: $sort, order: $order, page: $page, limit: $limit
    ) {
      total
      nodes { ${fields} }
    }
  }
}`,
    {
      dataset,
      ...(category && { category }),
      ...(area && { area }),
      ...(order && { sort: enumOf(order.sort), order: order.isDescending ? 'DESC' : 'ASC' }),
      page,
      limit: PAGE_SIZE,
    },
    signal,
  )
  return data.dataset.items
}

async function readSearch<Node>(view: View, { fields, page }: PageRequest, signal: AbortSignal): Promise<Page<Node>> {
  const { dataset, text, within, category, area } = view
  const { searchItems } = await runGraphQL<{ searchItems: Page<Node> }>(
    `query Search(
  $dataset: ID, $text: String, $within: BoundingBox, $category: String, $area: String, $page: Int, $limit: Int
) {
  searchItems(
    datasetId: $dataset, text: $text, within: $within, categoryCode: $category, administrativeAreaCode: $area
    page: $page, limit: $limit
  ) {
    total
    nodes { ${fields} }
  }
}`,
    {
      ...(dataset && { dataset }),
      ...(text && { text }),
      ...(within && { within: toBoundingBox(within) }),
      ...(category && { category }),
      ...(area && { area }),
      page,
      limit: PAGE_SIZE,
    },
    signal,
  )
  return searchItems
}

async function readNearby<Node>(view: View, { fields, page }: PageRequest, signal: AbortSignal) {
  const { dataset, near, category, area } = view
  const { nearbyItems } = await runGraphQL<{ nearbyItems: Page<{ distance: number; item: Node }> }>(
    `query Nearby(
  $latitude: Float!, $longitude: Float!, $radius: Float, $dataset: ID, $category: String, $area: String, $page: Int, $limit: Int
) {
  nearbyItems(
    latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $dataset
    categoryCode: $category, administrativeAreaCode: $area, page: $page, limit: $limit
  ) {
    total
    nodes { distance item { ${fields} } }
  }
}`,
    {
      ...near,
      ...(dataset && { dataset }),
      ...(category && { category }),
      ...(area && { area }),
      page,
      limit: PAGE_SIZE,
    },
    signal,
  )
  const { total, nodes } = nearbyItems
  return { total, nodes: nodes.map(({ distance, item }) => ({ ...item, distance })) }
}
