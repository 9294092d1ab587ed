import type { BoundingBox } from './box.ts'
import type { FilterValues } from './filters.ts'

/** A circle on the spheroid: centre in degrees, radius in metres. */
export interface Circle {
  latitude: number
  longitude: number
  radius: number
}

/** Selects the items that match every member. Without members, it selects all. */
export interface Selection extends FilterValues {
  /** Each of its words is in the name or the keywords (sql/search.ts). */
  text?: string | undefined
  within?: BoundingBox | undefined
  circle?: Circle | undefined
  /** The item's `updatedAt` is not before this time. */
  updatedFrom?: Date | undefined
  /** The item's `updatedAt` is not after this time. */
  updatedTo?: Date | undefined
}

/** Returns the category of a selection by nothing else, whose items are counted in tiles; undefined for other selections. */
export function onlyCategory(selection: Selection): string | undefined {
  const given = Object.values(selection).filter((member) => member !== undefined)
  return given.length === 1 ? selection.categoryCode : undefined
}
