import { type ItemMembers, type WantedItem, WHOLE_ITEM } from './item-fields.ts'

/** What is wanted of a list: which fields of its nodes, where those are wanted at all, and whether the total. */
export interface WantedList {
  nodes?: WantedItem
  /** Where the nodes are wanted as they go out, and not to be looked at. */
  written?: ItemMembers
  total: boolean
}

/** For who has not said: every field, and the total. */
export const WHOLE_LIST: WantedList = { nodes: WHOLE_ITEM, total: true }
