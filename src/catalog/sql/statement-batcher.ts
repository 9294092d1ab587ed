import {
  type Cancellation,
  currentCancellation,
  outsideRequests,
  withSharedCancellation,
} from '../../database/cancellation.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { DEFAULTS } from '../arguments.ts'
import { type FilterValues, givenFilters, type ItemFilter } from '../filters.ts'
import { type ItemProjection, NO_ITEMS, projectionKey } from '../projection.ts'
import { fetchItems, type LookupRow } from './by-id.ts'
import { hasStoredTotal } from './item-list.ts'
import { fetchItemWindows, type ItemWindow, type ItemWindowContent, type OwnedWindow } from './items.ts'
import { type SearchStart, type StartRow, startSearches } from './nearby-by-grid.ts'
import type { Scope } from './select.ts'

/*
 * Sends the reads of concurrent requests as one statement. A round trip to PostgreSQL costs both sides more time than a page
 * of 20 items, so four pages in one round trip nearly double the throughput (test/bench). Requests share only the round trip.
 * Each has its own part of the statement. The statement is sent after all of its requests have arrived, so none gets old data. It is
 * cancelled when all of its clients have disconnected.
 */

/** An item to look up, its members to read, and the datasets that the key may access. */
interface ItemLookup {
  id: string
  projection: ItemProjection
  scope: Scope
}

/** Each function runs its part of a statement. */
export interface Batchers {
  /** Reads a window of an owner's list. */
  fetchWindow: (owned: OwnedWindow) => Promise<ItemWindowContent>
  /** Reads an item; null if it does not exist. */
  fetchItem: (lookup: ItemLookup) => Promise<LookupRow | null>
  /** Runs the first statement of a nearby search. */
  startSearch: (search: SearchStart) => Promise<StartRow>
}

export function createBatchers(reader: SqlReader): Batchers {
  return {
    fetchWindow: batchStatements(
      ({ window }) => shapeOf(window),
      (windows) => fetchItemWindows(reader, windows),
    ),
    fetchItem: batchStatements(
      ({ projection, scope }) => `${scope.join()} ${projectionKey(projection)}`,
      (lookups) => fetchItemsOf(reader, lookups),
      (waiting) => waiting,
    ),
    startSearch: batchStatements(
      ({ window }) => `${namesOf(window)} ${projectionKey(window.projection)}`,
      (searches) => startSearches(reader, searches),
    ),
  }
}

/** Lookups with the same projection and scope. */
function fetchItemsOf(reader: SqlReader, lookups: readonly ItemLookup[]): Promise<(LookupRow | null)[]> {
  const { projection = NO_ITEMS, scope = [] } = lookups[0] ?? {}
  const ids = lookups.map(({ id }) => id)
  return fetchItems(reader, { ids, scope }, projection)
}

/** The number of parts in the next statement. There are few numbers, because each makes another prepared statement. */
const fewSizes = (waiting: number) => [4, 2].find((size) => size <= waiting) ?? 1

/**
 * Whether an index returns the window's items in their order, and nothing is counted. Each sort has an index for lists without
 * filters. Only the default sort has indexes for lists with one filter. Other windows are slow, and would delay all windows in the
 * same statement.
 */
export function isCheap({ selection, offset, sort, isCounted }: ItemWindow): boolean {
  const filters = givenFilters(selection).length
  const hasIndex = filters === 0 || (filters === 1 && sort === DEFAULTS.sort)
  return offset === 0 && hasIndex && (!isCounted || hasStoredTotal(selection))
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
 * @param sizeOf returns the number of parts in the next statement
 */
function batchStatements<Part, Result>(
  shapeOf: (part: Part) => string,
  fetch: (parts: readonly Part[]) => Promise<readonly Result[]>,
  sizeOf: (waiting: number) => number = fewSizes,
): (part: Part) => Promise<Result> {
  let waiting = new Map<string, Waiting<Part, Result>[]>()

  const flush = () => {
    const batches = [...waiting.values()]
    waiting = new Map()
    for (const batch of batches) {
      while (batch.length > 0) void send(batch.splice(0, sizeOf(batch.length)))
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
        if (result === undefined) reject(new TypeError('The statement returned no row for a part'))
        else resolve(result)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  return (part) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) outsideRequests(() => setImmediate(flush))
      const shape = shapeOf(part)
      const same = waiting.get(shape) ?? []
      waiting.set(shape, same)
      same.push({ part, cancellation: currentCancellation(), resolve, reject })
    })
}

/** Returns a key that is equal for windows with the same SQL text. They differ only in its parameters. */
function shapeOf({ selection, sort, order, after, before, isForCursor, isCounted, projection }: ItemWindow): string {
  const bounds = `${after !== undefined} ${before !== undefined}`
  const list = `${selection.among} ${namesOf(selection)} ${sort} ${order} ${bounds}`
  return `${list} ${isForCursor === true} ${isCounted} ${projectionKey(projection)}`
}

function namesOf(filters: FilterValues): ItemFilter[] {
  return givenFilters(filters).map(([filter]) => filter)
}
