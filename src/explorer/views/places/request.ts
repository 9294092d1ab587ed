import { isSearch, MAX_RADIUS_METRES, tableOf, type View } from '../../data/address.ts'
import { type ApiRequest, ask, operation, passed, restPath, type Values } from '../../data/api-request.ts'
import { LISTED, type ListedItem } from '../../data/datasets.ts'
import { enumOf, ROW_FIELDS, type Row } from '../../data/table-columns.ts'
import { toBoundingBox } from '../../map/box.ts'

/*
 * The request for places: those of a dataset, those near a point, or those that a search has found; as a list or as a table.
 */

/** The number of places that are read at once. */
export const PAGE_SIZE = 50

/** Only one of the lists is there. */
export interface Lists<Node> {
  items?: { total?: number; nodes: Node[] }
  searchItems?: { total?: number; nodes: Node[] }
  nearbyItems?: { total?: number; nodes: { distance: number; item: Node }[] }
}

/** What the answer has. */
interface PlacesData<Node> extends Lists<Node> {
  dataset?: { items: { total: number; nodes: Node[] } }
}

/** Returns the request for a page of the places of a view. */
export function placesRequest<Node>(view: View, page?: number): ApiRequest<PlacesData<Node>> {
  const number = page ?? tableOf(view)?.page
  if (view.near) return nearbyRequest(view, view.near, number)
  return isSearch(view) ? searchRequest(view, number) : itemsRequest(view, number)
}

/** Returns the request for the number of places that a search or a circle has found. It takes a count, and the places do not. */
function totalRequest({ table: _, ...view }: View): ApiRequest<PlacesData<never>> {
  const { path, variables } = placesRequest(view)
  const { limit: __, withTotal: ___, ...counted } = variables
  const field = view.near ? 'nearbyItems' : 'searchItems'
  const query = operation('Total', counted, `  ${field}(${passed(Object.keys(counted))}) { total }`)
  return { path, query, variables: counted }
}

function itemsRequest<Node>(view: View, page?: number): ApiRequest<PlacesData<Node>> {
  const { dataset = '', category, area } = view
  const table = tableOf(view)
  const list = {
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
    ...(page && { page }),
    limit: PAGE_SIZE,
  }
  const order = table && { sort: table.sort, order: table.isDescending ? 'desc' : 'asc' }
  const inOrder = table ? `sort: ${enumOf(table.sort)}, order: ${order?.order.toUpperCase()}, ` : ''
  const variables = { dataset, ...list }
  return {
    path: restPath(`/v1/datasets/${encodeURIComponent(dataset)}/items`, { ...list, ...order }),
    query: operation(
      table ? 'Table' : 'Items',
      variables,
      `  dataset(id: $dataset) {
    name
    attribution
    items(${inOrder}${passed(Object.keys(list))}) {
      total
      nodes { ${fieldsOf(view)} }
    }
  }`,
    ),
    variables,
  }
}

function searchRequest<Node>(view: View, page?: number): ApiRequest<PlacesData<Node>> {
  const { text, within } = view
  const given = selection(view, page)
  const variables = { ...(text && { text }), ...(within && { within: toBoundingBox(within) }), ...given }
  const parameters = { ...(text && { text }), ...(within && { within: within.join() }), ...given }
  return {
    path: restPath('/search', parameters),
    ...counted('Search', 'searchItems', variables, `nodes { ${fieldsOf(view)} }`),
  }
}

function nearbyRequest<Node>(view: View, near: NonNullable<View['near']>, page?: number): ApiRequest<PlacesData<Node>> {
  const variables = { ...near, ...selection(view, page) }
  // The route of the specification has no filters.
  const path = view.category || view.area ? '/search' : '/v1/dataset-items/nearby'
  const nodes = `nodes { distance item { ${fieldsOf(view)} } }`
  return { path: restPath(path, variables), ...counted('Nearby', 'nearbyItems', variables, nodes) }
}

/** An operation whose total can be left out, because it takes a count. */
function counted(name: string, field: string, variables: Values, nodes: string) {
  const all = { ...variables, withTotal: true }
  const list = `  ${field}(${passed(Object.keys(variables))}) {\n    total @include(if: $withTotal)\n    ${nodes}\n  }`
  return { query: operation(name, all, list), variables: all }
}

/** The fields of a place in the list, or in the table. */
function fieldsOf(view: View): string {
  const table = tableOf(view)
  return table ? [...new Set([...ROW_FIELDS, ...table.fields])].join(' ') : LISTED
}

/** The arguments that searches and nearby searches share. */
function selection({ dataset, category, area }: View, page?: number) {
  return {
    ...(dataset && { datasetId: dataset }),
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
    ...(page && { page }),
    limit: PAGE_SIZE,
  }
}

/** Places, and their number in all pages. A number that takes a count comes after the places. */
export interface Page<Node> {
  items: Node[]
  total: Promise<number>
}

/** Reads a page of a view's list. `known` is the total, if a page before has asked for it. */
export async function readPlaces<Node extends ListedItem | Row = ListedItem>(
  view: View,
  page: number | undefined,
  signal: AbortSignal,
  known?: Promise<number>,
): Promise<Page<Node>> {
  const isCounted = view.near !== undefined || isSearch(view)
  const data = await ask(placesRequest<Node>(view, page), signal, isCounted ? { withTotal: false } : {})
  const { nodes: items } = listOf({ ...data, ...data.dataset })
  if (data.dataset) return { items, total: Promise.resolve(data.dataset.items.total) }
  const first = page ?? view.table?.page ?? 1
  const isLast = items.length < PAGE_SIZE && (items.length > 0 || first === 1)
  const total = isLast ? Promise.resolve((first - 1) * PAGE_SIZE + items.length) : (known ?? readTotal(view, signal))
  // Nobody may need it.
  total.catch(() => {})
  return { items, total }
}

/** Returns the list that an answer has, with the distances of the places. */
export function listOf<Node>({ items, searchItems = items, nearbyItems }: Lists<Node>): {
  total?: number
  nodes: Node[]
} {
  if (!nearbyItems) return searchItems ?? { nodes: [] }
  return { ...nearbyItems, nodes: nearbyItems.nodes.map(({ distance, item }) => ({ ...item, distance })) }
}

async function readTotal(view: View, signal: AbortSignal): Promise<number> {
  const { searchItems, nearbyItems } = await ask(totalRequest(view), signal)
  return (searchItems ?? nearbyItems)?.total ?? 0
}

/** Reads the place that is nearest to a point, with the filters of a view; none if there is none in the greatest radius. */
export async function readNearest(
  { table: _, ...view }: View,
  point: NonNullable<View['near']>,
  signal: AbortSignal,
): Promise<ListedItem[]> {
  const near = { ...point, radius: MAX_RADIUS_METRES }
  return (await readPlaces({ ...view, near }, undefined, signal)).items.slice(0, 1)
}
