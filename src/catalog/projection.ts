import { ALL_ITEM_FIELDS, type ItemProjection, type RawItem, type RawNearby } from './item-columns.ts'

/** The requested parts of a list. */
export interface ListProjection {
  /** The fields of the items. Without `nodes` and `rawJson`, no items are read. */
  nodes?: ItemProjection
  /** Instead of `nodes`: PostgreSQL writes the items as JSON for the client. */
  rawJson?: RawItem
  /** The same for items near a point. */
  rawNearby?: RawNearby
  /** Whether to return the total. */
  total: boolean
}

/** Default projection: every field, and the total. */
export const DEFAULT_LIST_PROJECTION: ListProjection = { nodes: ALL_ITEM_FIELDS, total: true }
