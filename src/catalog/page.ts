import { type Item, parseItems, type RawJson, WrittenItems } from './models.ts'
import { type ItemProjection, NO_ITEMS, withoutSpaces } from './projection.ts'

/** A page of a list of items. Each function reads its part from the database; the loaders read a part only once. */
export interface Page<Node extends Item = Item> {
  page: number
  limit: number
  nodes: () => Promise<Node[]>
  /** Number of items on all pages. */
  total: () => Promise<number>
}

/** A part of a list, and what to read of each item. */
export interface Window {
  /** Number of items of the list before the window. */
  offset: number
  limit: number
  projection: ItemProjection
}

/** The result of one statement: a part of a list as a JSON array. The total is null unless it was requested. */
export interface Fetched {
  json: RawJson
  total: number | null
}

interface PageSource {
  page: number
  limit: number
  /** The requested members of the items; undefined if only the total is. The statement of the items returns the total too. */
  projection: ItemProjection | undefined
  fetch: (offset: number, projection: ItemProjection) => Promise<Fetched>
  count: () => Promise<number>
}

/** Creates a page. One statement reads the items and the total if the query requests both. */
export function createPage<Node extends Item = Item>({
  page,
  limit,
  projection,
  fetch,
  count,
}: PageSource): Page<Node> {
  const read = once(() => fetch((page - 1) * limit, projection ?? NO_ITEMS))
  return {
    page,
    limit,
    nodes: once(async () => {
      if (!projection) throw new TypeError('The page has no nodes')
      const { json } = await read()
      return projection.form === 'records'
        ? parseItems<Node>(json)
        : new WrittenItems<Node>(withoutSpaces(json, projection))
    }),
    total: async () => (projection ? (await read()).total : null) ?? count(),
  }
}

/** A function that is called at most once. */
export function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => {
    value ??= read()
    return value
  }
}
