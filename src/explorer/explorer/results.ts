import { runGraphQL } from '../shared/api.ts'
import { isSearch, type View } from './address.ts'
import { toBoundingBox } from './box.ts'
import { LISTED, type ListedItem } from './data.ts'
import type { Row, Sort, Table } from './table-columns.ts'

/*
 * What the list shows: the items of a dataset, the items near a point, or the results of a search.
 */

export interface Results {
  total: number
  items: ListedItem[]
}

/** The number of items that are read at once. */
export const PAGE_SIZE = 50

interface Page {
  total: number
  nodes: ListedItem[]
}

/** Reads a page of a view's list. */
export function readResults(view: View, page: number, signal: AbortSignal): Promise<Results> {
  if (view.near) return readNearby(view, page, signal)
  return isSearch(view) ? readSearch(view, page, signal) : readItems(view, page, signal)
}

async function readItems({ dataset, category, area }: View, page: number, signal: AbortSignal): Promise<Results> {
  const data = await runGraphQL<{ dataset: { items: Page } }>(
    `query Items($dataset: ID!, $category: String, $area: String, $page: Int, $limit: Int) {
  dataset(id: $dataset) {
    items(categoryCode: $category, administrativeAreaCode: $area, page: $page, limit: $limit) {
      total
      nodes { ${LISTED} }
    }
  }
}`,
    { dataset, ...(category && { category }), ...(area && { area }), page, limit: PAGE_SIZE },
    signal,
  )
  return resultsOf(data.dataset.items)
}

/** Reads a page of the table of a view. */
export async function readTable({ dataset, category, area }: View, table: Table, signal: AbortSignal) {
  const data = await runGraphQL<{ dataset: { items: { total: number; nodes: Row[] } } }>(
    `query Table(
  $dataset: ID!, $category: String, $area: String, $sort: ItemSort, $order: SortOrder, $page: Int, $limit: Int
) {
  dataset(id: $dataset) {
    items(
      categoryCode: $category, administrativeAreaCode: $area, sort: $sort, order: $order, page: $page, limit: $limit
    ) {
      total
      nodes { id ${table.fields.join(' ')} }
    }
  }
}`,
    {
      dataset,
      ...(category && { category }),
      ...(area && { area }),
      sort: enumOf(table.sort),
      order: table.isDescending ? 'DESC' : 'ASC',
      page: table.page,
      limit: PAGE_SIZE,
    },
    signal,
  )
  return { rows: data.dataset.items.nodes, total: data.dataset.items.total }
}

/** The name of a sort order in GraphQL: `updatedAt` is `UPDATED_AT`. */
export function enumOf(sort: Sort): string {
  return sort.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

async function readSearch(view: View, page: number, signal: AbortSignal): Promise<Results> {
  const { dataset, text, within, category, area } = view
  const search = `searchItems(
    text: $text, within: $within, categoryCode: $category, administrativeAreaCode: $area, page: $page, limit: $limit
  ) { total nodes { ${LISTED} } }`
  const types = '$text: String, $within: BoundingBox, $category: String, $area: String, $page: Int, $limit: Int'
  const values = {
    ...(text && { text }),
    ...(within && { within: toBoundingBox(within) }),
    ...(category && { category }),
    ...(area && { area }),
    page,
    limit: PAGE_SIZE,
  }
  if (dataset === undefined) {
    const all = await runGraphQL<{ searchItems: Page }>(`query Search(${types}) { ${search} }`, values, signal)
    return resultsOf(all.searchItems)
  }
  const one = await runGraphQL<{ dataset: { searchItems: Page } }>(
    `query Search($dataset: ID!, ${types}) { dataset(id: $dataset) { ${search} } }`,
    { dataset, ...values },
    signal,
  )
  return resultsOf(one.dataset.searchItems)
}

function resultsOf({ total, nodes }: Page): Results {
  return { total, items: nodes }
}

interface Nearby {
  nearbyItems: { total: number; nodes: { distance: number; item: ListedItem }[] }
}

async function readNearby(view: View, page: number, signal: AbortSignal): Promise<Results> {
  const { dataset, near, category, area } = view
  const { nearbyItems } = await runGraphQL<Nearby>(
    `query Nearby(
  $latitude: Float!, $longitude: Float!, $radius: Float, $dataset: ID, $category: String, $area: String, $page: Int, $limit: Int
) {
  nearbyItems(
    latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $dataset
    categoryCode: $category, administrativeAreaCode: $area, page: $page, limit: $limit
  ) {
    total
    nodes { distance item { ${LISTED} } }
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
  return { total: nearbyItems.total, items: nearbyItems.nodes.map(({ distance, item }) => ({ ...item, distance })) }
}
