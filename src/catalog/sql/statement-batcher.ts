import type DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import { withoutCancellation } from '../../database/cancellation.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { DEFAULTS } from '../arguments.ts'
import { projectionKey, type RawItem } from '../item-columns.ts'
import { recordLoader } from '../snapshot/batching.ts'
import type { Totals } from './counts.ts'
import type { ItemOwner } from './item-list.ts'
import { fetchItemWindows, fetchRawItems, type ItemWindow, type ItemWindowContent, type RawItemRow } from './items.ts'

/*
 * Sends the reads of concurrent requests as one statement. A round trip to PostgreSQL costs both sides more time than a page
 * of 20 items, so four pages in one round trip nearly double the throughput (test/bench). Requests share only the round trip.
 * Each has its own part of the statement. The statement is sent after all of its requests have arrived, so none gets old data.
 */

/** Reads a window of an owner's list. */
export type BatchedFetch = (window: ItemWindow, owner: ItemOwner) => Promise<ItemWindowContent>

interface Waiting {
  window: ItemWindow
  owner: ItemOwner
  resolve: (content: ItemWindowContent) => void
  reject: (error: unknown) => void
}

/** Possible numbers of windows in a statement. There are few, because each number makes another prepared statement. */
const SIZES = [4, 2, 1]

/**
 * Whether an index returns the window's items in their order. Each sort has an index for lists without filters. Only the default
 * sort has indexes for lists with one filter. Other windows are slow, and would delay all windows in the same statement.
 */
export function isCheap({ offset, sort, administrativeAreaCode, categoryCode }: ItemWindow): boolean {
  const filters = [administrativeAreaCode, categoryCode].filter((code) => code !== undefined).length
  return offset === 0 && (filters === 0 || (filters === 1 && sort === DEFAULTS.sort))
}

/** Collects windows until the event loop has read all requests that have arrived. Then it sends their statements. */
export function batchStatements(sql: SqlReader, totals: Totals): BatchedFetch {
  let waiting = new Map<string, Waiting[]>()

  const flush = () => {
    const batches = [...waiting.values()]
    waiting = new Map()
    for (const windows of batches) {
      while (windows.length > 0) {
        const size = SIZES.find((n) => n <= windows.length)
        void send(windows.splice(0, size))
      }
    }
  }
  const send = async (windows: Waiting[]) => {
    try {
      const contents = await fetchItemWindows(sql, windows, totals)
      windows.forEach(({ resolve, reject }, place) => {
        const content = contents[place]
        if (content) resolve(content)
        else reject(new TypeError('The statement returned no row for a window'))
      })
    } catch (error) {
      for (const { reject } of windows) reject(error)
    }
  }
  return (window, owner) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) withoutCancellation(() => setImmediate(flush))
      const shape = shapeOf(window)
      const same = waiting.get(shape) ?? []
      waiting.set(shape, same)
      same.push({ window, owner, resolve, reject })
    })
}

/** Returns a key that is equal for windows with the same SQL text. They differ only in its parameters. */
function shapeOf({
  among,
  sort,
  order,
  projection,
  rawItem,
  isForCursor,
  isCounted,
  after,
  before,
  ...filters
}: ItemWindow): string {
  const { administrativeAreaCode, categoryCode } = filters
  const given = [after, before, administrativeAreaCode, categoryCode].map((value) => value !== undefined)
  return [among, sort, order, isForCursor, isCounted, given, projectionKey(rawItem ?? projection)].join()
}

/** Reads an item as JSON for clients; null if it does not exist. */
export type BatchedItemFetch = (members: RawItem, id: string) => Promise<RawItemRow | null>

/** Clients choose the members. */
const MAX_SHAPES = 500

/** Collects the items that concurrent requests read with the same members, as `batchStatements` does for windows. */
export function batchItems(sql: SqlReader): BatchedItemFetch {
  const loaders = new LRUCache<string, DataLoader<string, RawItemRow | null>>({ max: MAX_SHAPES })
  return (members, id) => {
    const shape = projectionKey(members)
    const loader =
      loaders.get(shape) ??
      recordLoader(
        (ids: string[]) => fetchRawItems(sql, members, ids),
        (item) => item.id,
        { cache: false, batchScheduleFn: (flush) => withoutCancellation(() => setImmediate(flush)) },
      )
    loaders.set(shape, loader)
    return loader.load(id)
  }
}
