import { runGraphQL } from '../shared/api.ts'
import type { View } from './address.ts'

/*
 * What the explorer reads, by GraphQL.
 */

export interface Dataset {
  id: string
  slug: string
  name: string
  description: string | null
  status: string
  visibility: string
  accessTier: string | null
  attribution: string
  items: { total: number }
}

/** An item in a list. */
export interface ListedItem {
  id: string
  name: string
  categoryCode: string
  administrativeAreaCode: string
  latitude: string
  longitude: string
  thumbnailUrl: string | null
  /** Metres from the searched point, in nearby results. */
  distance?: number
}

export interface Picture {
  originalUrl: string
  cdnUrl: string
  thumbnailMediumUrl: string
  altText: string
  isPrimary: boolean
}

export interface Item extends ListedItem {
  description: string
  streetAddress: string
  addressRegion: string | null
  addressLocality: string | null
  postalCode: string | null
  roadAddress: string | null
  jibunAddress: string | null
  contactName: string
  telephone: string
  email: string | null
  url: string
  openingHours: string | null
  extraAttributes: Record<string, unknown>
  createdAt: string
  updatedAt: string
  dataset: { id: string; slug: string; name: string; attribution: string }
  parent: { id: string; name: string } | null
  children: { total: number; nodes: { id: string; name: string; categoryCode: string }[] }
  images: Picture[]
}

/** A code, and how many items of the dataset have it. */
export interface Facet {
  code: string
  total: number
}

export interface Results {
  total: number
  items: ListedItem[]
  /** The codes of the dataset; none in nearby results. */
  categories?: Facet[]
  areas?: Facet[]
}

export const PAGE_SIZE = 50

const LISTED = 'id name categoryCode administrativeAreaCode latitude longitude thumbnailUrl'

/** Reads the datasets that the key may access, with the number of their items. */
export async function readDatasets(signal: AbortSignal): Promise<Dataset[]> {
  const { datasets } = await runGraphQL<{ datasets: { nodes: Dataset[] } }>(
    `query Datasets {
  datasets {
    nodes { id slug name description status visibility accessTier attribution items(limit: 1) { total } }
  }
}`,
    {},
    signal,
  )
  return datasets.nodes
}

/** Reads one item with everything around it. */
export async function readItem(id: string, signal: AbortSignal): Promise<Item | null> {
  const { item } = await runGraphQL<{ item: Item | null }>(
    `query Item($id: ID!) {
  item(id: $id) {
    ${LISTED} description streetAddress addressRegion addressLocality postalCode roadAddress jibunAddress
    contactName telephone email url openingHours extraAttributes createdAt updatedAt
    dataset { id slug name attribution }
    parent { id name }
    children(limit: 100) { total nodes { id name categoryCode } }
    images { originalUrl cdnUrl thumbnailMediumUrl altText isPrimary }
  }
}`,
    { id },
    signal,
  )
  return item
}

/** Reads a page of what a view lists: the items near a point, or those of a dataset. */
export function readResults(view: View, page: number, signal: AbortSignal): Promise<Results> {
  return view.near ? readNearby(view, page, signal) : readItems(view, page, signal)
}

interface Items {
  dataset: { items: { total: number; nodes: ListedItem[] }; categories: Facet[]; administrativeAreas: Facet[] }
}

async function readItems({ dataset, category, area }: View, page: number, signal: AbortSignal): Promise<Results> {
  const data = await runGraphQL<Items>(
    `query Items($dataset: ID!, $category: String, $area: String, $page: Int, $limit: Int) {
  dataset(id: $dataset) {
    items(categoryCode: $category, administrativeAreaCode: $area, page: $page, limit: $limit) {
      total
      nodes { ${LISTED} }
    }
    categories { code total }
    administrativeAreas { code total }
  }
}`,
    { dataset, ...(category && { category }), ...(area && { area }), page, limit: PAGE_SIZE },
    signal,
  )
  const { items, categories, administrativeAreas: areas } = data.dataset
  return { total: items.total, items: items.nodes, categories, areas }
}

interface Nearby {
  nearbyItems: { total: number; nodes: { distance: number; item: ListedItem }[] }
}

async function readNearby({ dataset, near }: View, page: number, signal: AbortSignal): Promise<Results> {
  const { nearbyItems } = await runGraphQL<Nearby>(
    `query Nearby($latitude: Float!, $longitude: Float!, $radius: Float, $dataset: ID, $page: Int, $limit: Int) {
  nearbyItems(
    latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $dataset, page: $page, limit: $limit
  ) {
    total
    nodes { distance item { ${LISTED} } }
  }
}`,
    { ...near, ...(dataset && { dataset }), page, limit: PAGE_SIZE },
    signal,
  )
  return { total: nearbyItems.total, items: nearbyItems.nodes.map(({ distance, item }) => ({ ...item, distance })) }
}
