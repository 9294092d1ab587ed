import { type Bounds, boxAroundAll } from '../map/box.ts'
import { runGraphQL } from '../shared/api.ts'
import { parseExactJson } from '../shared/exact-json.ts'

/*
 * The datasets and the items that the explorer shows, read by GraphQL.
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
  datasetId: string
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
  externalId: string | null
  keywords: string[]
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

/** The fields of an item in a list. */
export const LISTED = 'id datasetId name categoryCode administrativeAreaCode latitude longitude thumbnailUrl'

/** The fields of a dataset in the list. */
export const DATASET_FIELDS = 'id slug name description status visibility accessTier attribution'

/** Reads the datasets that the key may access, with the number of their items. */
export async function readDatasets(signal: AbortSignal): Promise<Dataset[]> {
  const { datasets } = await runGraphQL<{ datasets: { nodes: Dataset[] } }>(
    `query Datasets {
  datasets {
    nodes { ${DATASET_FIELDS} items(limit: 1) { total } }
  }
}`,
    {},
    signal,
  )
  return datasets.nodes
}

/** The facts of a dataset, for its page. */
export const FACTS = `license publisher contact termsUrl sourceUrl sourceDate updateFrequency createdAt updatedAt
    extent { west south east north }
    exportSizes { format bytes isExact }`

/** The dataset that an address names by its slug or by its UUID, in any letter case as in the API. */
export function findDataset(datasets: readonly Dataset[], { dataset }: { dataset?: string | undefined }) {
  return datasets.find(({ slug, id }) => slug === dataset || id === dataset?.toLowerCase())
}

export interface Extent {
  west: number
  south: number
  east: number
  north: number
}

/** Reads the box of the items of a dataset, or of all datasets; undefined if there are no items. Its east may be greater than 180. */
export async function readExtent(dataset: string | undefined, signal: AbortSignal): Promise<Bounds | undefined> {
  const fields = 'extent { west south east north }'
  const { datasets, one } = await runGraphQL<{
    datasets?: { nodes: { extent: Extent | null }[] }
    one?: { extent: Extent | null } | null
  }>(
    dataset === undefined
      ? `query Extents { datasets { nodes { ${fields} } } }`
      : `query Extent($dataset: ID!) { one: dataset(id: $dataset) { ${fields} } }`,
    { dataset },
    signal,
  )
  const extents = (datasets?.nodes ?? [one]).flatMap((each) => each?.extent ?? [])
  if (extents.length === 0) return undefined
  return boxAroundAll(extents.map(({ west, south, east, north }) => [west, south, east, north]))
}

/** The fields of an item with everything around it. */
export const DETAILS = `${LISTED}
    externalId keywords description streetAddress addressRegion addressLocality postalCode roadAddress jibunAddress
    contactName telephone email url openingHours extraAttributes createdAt updatedAt
    dataset { id slug name attribution }
    parent { id name }
    children(limit: 100) { total nodes { id name categoryCode } }
    images { originalUrl cdnUrl thumbnailMediumUrl altText isPrimary }`

/** Reads one item with everything around it. */
export async function readItem(id: string, signal: AbortSignal): Promise<Item | null> {
  const { item } = await runGraphQL<{ item: Item | null }>(
    `query Item($id: ID!) {\n  item(id: $id) {\n    ${DETAILS}\n  }\n}`,
    { id },
    signal,
    parseExactJson,
  )
  return item
}
