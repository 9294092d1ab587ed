import type { Selection } from './selection.ts'

/*
 * The items of a dataset as GeoJSON features (RFC 7946), in order of id.
 */

/** Which items of a dataset are selected. */
export type FeatureSelection = Omit<Selection, 'text' | 'circle'>

/** A part of the selected items: those after an id or after a number of items, and their maximum number. */
export interface FeatureWindow extends FeatureSelection {
  after?: string | undefined
  offset?: number | undefined
  limit: number
  /** Called with the estimated size of the page in bytes, before its features are read. It may throw. */
  reserve?: (bytes: number) => void
}

export interface FeaturePage {
  /** Texts of GeoJSON features, joined with commas. A text is never empty. */
  features: readonly string[]
  /** Number of features on the page. It can be less than the limit before the end, because the size of a page is limited. */
  count: number
  /** Number of selected items on all pages. */
  total: number
  /** The id after which the next page starts; undefined on the last page. */
  next: string | undefined
}

/**
 * The box and the time interval that contain all items of a dataset: degrees, and `updatedAt`. West is greater than east if the box
 * crosses the antimeridian, which it does if it is then at most 180 degrees wide.
 */
export interface Extent {
  west: number
  south: number
  east: number
  north: number
  from: Date
  to: Date
}
