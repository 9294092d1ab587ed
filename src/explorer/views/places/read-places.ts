import { isSearch, MAX_RADIUS_METRES, type View } from '../../data/address.ts'
import { ask } from '../../data/api-request.ts'
import type { ListedItem } from '../../data/datasets.ts'
import type { Row } from '../../data/table-columns.ts'
import { PAGE_SIZE, type PlacesData, placesRequest, totalRequest } from './request.ts'

/*
 * Reads what the list shows.
 */

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
  const items = nodesOf(data)
  if (data.dataset) return { items, total: Promise.resolve(data.dataset.items.total) }
  const first = page ?? view.table?.page ?? 1
  const isLast = items.length < PAGE_SIZE && (items.length > 0 || first === 1)
  const total = isLast ? Promise.resolve((first - 1) * PAGE_SIZE + items.length) : (known ?? readTotal(view, signal))
  // Nobody may need it.
  total.catch(() => {})
  return { items, total }
}

/** Returns the places of an answer, with their distances. */
function nodesOf<Node>({ dataset, searchItems, nearbyItems }: PlacesData<Node>): Node[] {
  if (nearbyItems) return nearbyItems.nodes.map(({ distance, item }) => ({ ...item, distance }))
  return (dataset?.items ?? searchItems)?.nodes ?? []
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
