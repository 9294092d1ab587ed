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

/** The fields of an item in a list. */
export const LISTED = 'id datasetId name categoryCode administrativeAreaCode latitude longitude thumbnailUrl'
