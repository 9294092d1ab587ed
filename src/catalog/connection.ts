import { DEFAULTS } from './arguments.ts'
import {
  type DatasetConnectionArguments,
  encodeCursor,
  encodeDatasetCursor,
  type ItemConnectionArguments,
} from './cursor.ts'
import { type Dataset, type Item, parseItems } from './models.ts'
import { type Fetched, once } from './page.ts'
import { type ListProjection, NO_ITEMS } from './projection.ts'
import { placeAfter, placeOf } from './snapshot/dataset-list.ts'
import type { ItemBounds, ItemPosition, ItemSelection } from './sql/item-list.ts'
import type { ItemsBeyond, ItemWindow } from './sql/items.ts'

/** An object of a connection. */
export interface Edge<Node> {
  node: Node
  /** The position of the object in the list. */
  cursor: () => string
}

/**
 * A slice of a list (GraphQL Cursor Connections, https://relay.dev/graphql/connections.htm). It starts at the position of a cursor, not at
 * an offset, so every slice costs the same.
 */
export interface Connection<Node> {
  edges: () => Promise<Edge<Node>[]>
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
): Connection<Item> {
  const backward = last !== undefined
  const limit = last ?? first ?? DEFAULTS.limit
  // The last items of a list are the first items of the opposite order, reversed.
  const window = backward ? { order: OPPOSITE[order], after: before, before: after } : { order, after, before }
  const details = { projection: projection.nodes ?? NO_ITEMS, isForCursor: true, isCounted: projection.total }
  // One item above the limit shows whether there are more items.
  const fetch = once(() => source.fetch({ selection, ...window, ...details, sort, limit: limit + 1, offset: 0 }))
  const fetchNodes = once(async () => parseItems((await fetch()).json))
  const edges = async () => {
    const ahead = (await fetchNodes()).slice(0, limit)
    const items = backward ? ahead.reverse() : ahead
    return items.map((node) => ({ node, cursor: () => encodeCursor(node, sort) }))
  }
  const hasBeyond = async (side: keyof ItemBounds, position: ItemPosition | undefined) =>
    position !== undefined && source.hasBeyond({ selection, sort, order: window.order, side }, position)
  // No item is between a cursor and the page, so the other items are at the cursor or beyond it.
  const hasMoreAhead = async () => (await fetchNodes()).length > limit || hasBeyond('after', window.before)
  const hasMoreBehind = () => hasBeyond('before', window.after)
  return {
    edges,
    hasNextPage: backward ? hasMoreBehind : hasMoreAhead,
    hasPreviousPage: backward ? hasMoreAhead : hasMoreBehind,
    totalCount: async () => (projection.nodes ? (await fetch()).total : null) ?? source.count(),
  }
}

/** Creates a connection of the datasets of a sorted list. */
export function connectDatasets(
  all: readonly Dataset[],
  { first, last, after, before }: DatasetConnectionArguments,
): Connection<Dataset> {
  const end = before ? placeOf(before, all) : all.length
  const start = after ? placeAfter(after, all) : 0
  const limit = last ?? first ?? DEFAULTS.limit
  const [from, to] = last === undefined ? [start, Math.min(end, start + limit)] : [Math.max(start, end - limit), end]
  const page = all.slice(from, to)
  return {
    edges: async () => page.map((node) => ({ node, cursor: () => encodeDatasetCursor(node) })),
    hasNextPage: async () => to < all.length,
    hasPreviousPage: async () => from > 0,
    totalCount: async () => all.length,
  }
}
