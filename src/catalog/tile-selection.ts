import type { BoundingBox } from './box.ts'
import type { Circle } from './circle.ts'
import type { FilterValues } from './filters.ts'

/** Which items a tile shows: those that match every member. Without members, all. */
export interface TileSelection extends FilterValues {
  /** As in the search (sql/search.ts). */
  text?: string | undefined
  within?: BoundingBox | undefined
  circle?: Circle | undefined
}
