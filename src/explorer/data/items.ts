/*
 * The places that the explorer shows in lists.
 */

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
