import { type Bounds, boxAroundAll } from '../map/box.ts'
import { runGraphQL } from '../shared/api.ts'

/*
 * The datasets that the key may access, and where their places lie.
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
  /** The box of its places; none without places. */
  extent: Extent | null
}

/** The fields of a dataset in the list. */
export const DATASET_FIELDS = 'id slug name description status visibility accessTier attribution'

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
