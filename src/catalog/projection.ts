import { ALL_ITEM_FIELDS, type ItemProjection, type RawItem } from './item-columns.ts'

/** What is wanted of a list: which fields of its nodes, where those are wanted at all, and whether the total. */
export interface ListProjection {
  nodes?: ItemProjection
  /** Where the nodes are wanted as they go out, and not to be looked at. */
  rawJson?: RawItem
  total: boolean
}

/** For who has not said: every field, and the total. */
export const DEFAULT_LIST_PROJECTION: ListProjection = { nodes: ALL_ITEM_FIELDS, total: true }
