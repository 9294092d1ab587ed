import type DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import {
  type Cancellation,
  currentCancellation,
  withoutCancellation,
  withSharedCancellation,
} from '../../database/cancellation.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { DEFAULTS } from '../arguments.ts'
import { projectionKey, type RawItem } from '../item-columns.ts'
import { recordLoader } from '../snapshot/batching.ts'
import type { Totals } from './counts.ts'
import {
  fetchItemWindows,
  fetchRawItems,
  type ItemWindow,
  type ItemWindowContent,
  type OwnedWindow,
  type RawItemRow,
} from './items.ts'
import { type NearbyStart, type NearbyStartRow, startSearches } from './nearby-by-grid.ts'

/*
 * Sends the reads of concurrent requests as one statement. A round trip to PostgreSQL costs both sides more time than a page
 * of 20 items, so four pages in one round trip nearly double the throughput (test/bench). Requests share only the round trip.
 * Each has its own part of the statement. The statement is sent after all of its requests have arrived, so none gets old data. It is
 * cancelled when all of its clients have disconnected.
 */

/** Each function runs its part of a statement. */
export interface Batchers {
  /** Reads a window of an owner's list. */
  fetchWindow: (owned: OwnedWindow) => Promise<ItemWindowContent>
  /** Reads an item as JSON for clients; null if it does not exist. */
  fetchItem: (members: RawItem, id: string) => Promise<RawItemRow | null>
  /** Runs the first statement of a nearby search. It tests few points, so it does not delay the others for long. */
  startNearby: (search: NearbyStart) => Promise<NearbyStartRow>
}

export function createBatchers(sql: SqlReader, totals: Totals): Batchers {
  return {
    fetchWindow: batchStatements(
      ({ window }) => shapeOf(window),
      (windows) => fetchItemWindows(sql, windows, totals),
    ),
    fetchItem: batchItems(sql),
    startNearby: batchStatements(
      ({ window: { raw, projection } }) => projectionKey(raw ?? projection),
      (searches) => startSearches(sql, searches),
    ),
  }
}

/** Possible numbers of parts in a statement. There are few, because each number makes another prepared statement. */
const SIZES = [4, 2, 1]

/**
 * Whether an index returns the window's items in their order. Each sort has an index for lists without filters. Only the default
 * sort has indexes for lists with one filter. Other windows are slow, and would delay all windows in the same statement.
 */
export function isCheap({ offset, sort, administrativeAreaCode, categoryCode }: ItemWindow): boolean {
  const filters = [administrativeAreaCode, categoryCode].filter((code) => code !== undefined).length
  return offset === 0 && (filters === 0 || (filters === 1 && sort === DEFAULTS.sort))
}

interface Waiting<Part, Result> {
  part: Part
  /** The cancellation of the request. */
  cancellation: Cancellation | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Collects parts of statements until the event loop has read all requests that have arrived. Then it sends their statements.
 * @param shapeOf returns a key that is equal for parts with the same SQL text
 * @param fetch sends one statement, and returns a result for each part, in their order
 */
function batchStatements<Part, Result>(
  shapeOf: (part: Part) => string,
  fetch: (parts: readonly Part[]) => Promise<readonly Result[]>,
): (part: Part) => Promise<Result> {
  let waiting = new Map<string, Waiting<Part, Result>[]>()

  const flush = () => {
    const batches = [...waiting.values()]
    waiting = new Map()
    for (const batch of batches) {
      while (batch.length > 0) {
        const size = SIZES.find((n) => n <= batch.length)
        void send(batch.splice(0, size))
      }
    }
  }
  const send = async (batch: Waiting<Part, Result>[]) => {
    try {
      const results = await withSharedCancellation(
        batch.map(({ cancellation }) => cancellation),
        () => fetch(batch.map(({ part }) => part)),
      )
      batch.forEach(({ resolve, reject }, place) => {
        const result = results[place]
        if (result) resolve(result)
        else reject(new TypeError('The statement returned no row for a part'))
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  return (part) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) withoutCancellation(() => setImmediate(flush))
      const shape = shapeOf(part)
      const same = waiting.get(shape) ?? []
      waiting.set(shape, same)
      same.push({ part, cancellation: currentCancellation(), resolve, reject })
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

/** Clients choose the members. */
const MAX_SHAPES = 500

/** Collects the items that concurrent requests read with the same members. */
function batchItems(sql: SqlReader): Batchers['fetchItem'] {
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
