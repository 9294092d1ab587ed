import { toBoundingBox } from '../map/box.ts'
import { runGraphQL } from '../shared/api.ts'
import { isSearch, MAX_RADIUS_METRES, type View } from './address.ts'
import { LISTED, type ListedItem } from './data.ts'
import { ROW_FIELDS, type Row, type Sort, type Table } from './table-columns.ts'

/*
 * What the list shows: the items of a dataset, the items near a point, or the results of a search.
 */

/** Places, and their number in all pages. A number that takes a count comes after the places. */
interface Page<Node> {
  nodes: Node[]
  total: Promise<number>
}

export interface Results {
  items: ListedItem[]
  total: Promise<number>
}

/** The number of items that are read at once. */
export const PAGE_SIZE = 50

/** Reads a page of a view's list. `known` is the total, if a page before has asked for it. */
export async function readResults(
  view: View,
  page: number,
  signal: AbortSignal,
  known?: Promise<number>,
): Promise<Results> {
  const { total, nodes } = await readPage<ListedItem>(view, { fields: LISTED, page }, signal, known)
  return { total, items: nodes }
}

/** Reads a page of the table of a view. */
export async function readTable(
  view: View,
  table: Table,
  signal: AbortSignal,
): Promise<{ total: Promise<number>; rows: Row[] }> {
  const fields = [...new Set([...ROW_FIELDS, ...table.fields])].join(' ')
  const { total, nodes } = await readPage<Row>(view, { fields, page: table.page, order: table }, signal)
  return { total, rows: nodes }
}

/** Reads the place that is nearest to a point, with the filters of a view; none if there is none in the greatest radius. */
export async function readNearest(
  view: View,
  point: NonNullable<View['near']>,
  signal: AbortSignal,
): Promise<ListedItem[]> {
  const near = { ...point, radius: MAX_RADIUS_METRES }
  return (await readNearby<ListedItem>({ ...view, near }, LISTED, 1, signal)).slice(0, 1)
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

async function readPage<Node>(
  view: View,
  request: PageRequest,
  signal: AbortSignal,
  known?: Promise<number>,
): Promise<Page<Node>> {
  if (!view.near && !isSearch(view)) return readItems(view, request, signal)
  const { fields, page } = request
  const nodes = await (view.near ? readNearby<Node> : readSearch<Node>)(view, fields, page, signal)
  const before = (page - 1) * PAGE_SIZE
  const isLast = nodes.length < PAGE_SIZE && (nodes.length > 0 || page === 1)
  const total = isLast ? Promise.resolve(before + nodes.length) : (known ?? readTotal(view, signal))
  // Nobody may need it.
  total.catch(() => {})
  return { nodes, total }
}

/** The database has the totals of a dataset's lists, so they come with the places. */
async function readItems<Node>(
  view: View,
  { fields, page, order }: PageRequest,
  signal: AbortSignal,
): Promise<Page<Node>> {
  const { dataset, category, area } = view
  const data = await runGraphQL<{ dataset: { items: { total: number; nodes: Node[] } } }>(
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
  const { total, nodes } = data.dataset.items
  return { total: Promise.resolve(total), nodes }
}

async function readSearch<Node>(view: View, fields: string, page: number, signal: AbortSignal): Promise<Node[]> {
  const { searchItems } = await search<{ nodes: Node[] }>(view, `nodes { ${fields} }`, page, signal)
  return searchItems.nodes
}

async function readNearby<Node>(view: View, fields: string, page: number, signal: AbortSignal): Promise<Node[]> {
  const selection = `nodes { distance item { ${fields} } }`
  const found = await searchAround<{ nodes: { distance: number; item: Node }[] }>(view, selection, page, signal)
  return found.nearbyItems.nodes.map(({ distance, item }) => ({ ...item, distance }))
}

async function readTotal(view: View, signal: AbortSignal): Promise<number> {
  if (view.near) return (await searchAround<{ total: number }>(view, 'total', 1, signal)).nearbyItems.total
  return (await search<{ total: number }>(view, 'total', 1, signal)).searchItems.total
}

function search<Found>(
  { dataset, text, within, category, area }: View,
  selection: string,
  page: number,
  signal: AbortSignal,
) {
  return runGraphQL<{ searchItems: Found }>(
    `query Search(
  $dataset: ID, $text: String, $within: BoundingBox, $category: String, $area: String, $page: Int, $limit: Int
) {
  searchItems(
    datasetId: $dataset, text: $text, within: $within, categoryCode: $category, administrativeAreaCode: $area
    page: $page, limit: $limit
  ) { ${selection} }
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
}

function searchAround<Found>(
  { dataset, near, category, area }: View,
  selection: string,
  page: number,
  signal: AbortSignal,
) {
  return runGraphQL<{ nearbyItems: Found }>(
    `query Nearby(
  $latitude: Float!, $longitude: Float!, $radius: Float, $dataset: ID, $category: String, $area: String, $page: Int, $limit: Int
) {
  nearbyItems(
    latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $dataset
    categoryCode: $category, administrativeAreaCode: $area, page: $page, limit: $limit
  ) { ${selection} }
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
}
