import { DEFAULTS } from './arguments.ts'
import { encodeCursor, type ItemConnectionArguments } from './cursor.ts'
import { type Item, parseItems } from './models.ts'
import { type Fetched, once } from './page.ts'
import { type ListProjection, NO_ITEMS } from './projection.ts'
import type { ItemBounds, ItemPosition, ItemSelection } from './sql/item-list.ts'
import type { ItemsBeyond, ItemWindow } from './sql/items.ts'

/**
 * A slice of a list of items (GraphQL Cursor Connections, https://relay.dev/graphql/connections.htm). It starts at the
 * position of a cursor, not at an offset, so every slice costs the same.
 */
export interface ItemConnection {
  nodes: () => Promise<Item[]>
  cursorOf: (item: Item) => string
  hasNextPage: () => Promise<boolean>
  hasPreviousPage: () => Promise<boolean>
  totalCount: () => Promise<number>
}

/** The reads from which a connection is built. */
interface ConnectionSource {
  fetch: (window: ItemWindow) => Promise<Fetched>
  /** Whether the whole list has an item at a position, or on that side of it. */
  hasBeyond: (list: ItemsBeyond, position: ItemPosition) => Promise<boolean>
  count: () => Promise<number>
}

const OPPOSITE = { asc: 'desc', desc: 'asc' } as const

/** Creates a connection of items. Nothing is read until its functions are called. */
export function createConnection(
  selection: ItemSelection,
  { first, last, after, before, sort, order }: ItemConnectionArguments,
  projection: ListProjection,
  source: ConnectionSource,
): ItemConnection {
  const backward = last !== undefined
  const limit = last ?? first ?? DEFAULTS.limit
  // The last items of a list are the first items of the opposite order, reversed.
  const window = backward ? { order: OPPOSITE[order], after: before, before: after } : { order, after, before }
  const details = { projection: projection.nodes ?? NO_ITEMS, isForCursor: true, isCounted: projection.total }
  // One item above the limit shows whether there are more items.
  const fetch = once(() => source.fetch({ selection, ...window, ...details, sort, limit: limit + 1, offset: 0 }))
  const fetchNodes = once(async () => parseItems((await fetch()).json))
  const nodes = async () => {
    const ahead = (await fetchNodes()).slice(0, limit)
    return backward ? ahead.reverse() : ahead
  }
  const hasBeyond = async (side: keyof ItemBounds, position: ItemPosition | undefined) =>
    position !== undefined && source.hasBeyond({ selection, sort, order: window.order, side }, position)
  // No item is between a cursor and the page, so the other items are at the cursor or beyond it.
  const hasMoreAhead = async () => (await fetchNodes()).length > limit || hasBeyond('after', window.before)
  const hasMoreBehind = () => hasBeyond('before', window.after)
  return {
    nodes,
    cursorOf: (item) => encodeCursor(item, sort),
    hasNextPage: backward ? hasMoreBehind : hasMoreAhead,
    hasPreviousPage: backward ? hasMoreAhead : hasMoreBehind,
    totalCount: async () => (projection.nodes ? (await fetch()).total : null) ?? source.count(),
  }
}
