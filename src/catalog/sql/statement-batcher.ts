import { withoutCancellation } from '../../database/cancellation.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { fetchItemWindows, type ItemOwner, type ItemWindow, type ItemWindowContent, type Totals } from './items.ts'

/*
 * Lets requests that come at the same time share a statement. A page of 20 takes PostgreSQL less time than the round trip to
 * it takes both sides, so four pages in one trip are nearly twice as many a second (test/bench). Nothing is shared but the trip:
 * each request has its own part of the statement, sent after it was asked for.
 */

/** Reads a window of an owner's items. */
export type BatchedFetch = (window: ItemWindow, owner: ItemOwner) => Promise<ItemWindowContent>

interface Waiting {
  window: ItemWindow
  owner: ItemOwner
  resolve: (content: ItemWindowContent) => void
  reject: (error: unknown) => void
}

/** Windows in a statement: few numbers, as each is a text of its own to be prepared. */
const SIZES = [4, 2, 1]

/** Whether a window is read in order by an index from its first item on, so that none has to wait for another. */
export function isCheap({ offset, sort, administrativeAreaCode, categoryCode }: ItemWindow): boolean {
  const filters = [administrativeAreaCode, categoryCode].filter((code) => code !== undefined).length
  return offset === 0 && (filters === 0 || (filters === 1 && sort === 'name'))
}

/** Collects the windows that are asked for until the event loop has taken in all that has arrived. */
export function batchStatements(prisma: Prisma.TransactionClient, totals: Totals): BatchedFetch {
  let waiting = new Map<string, Waiting[]>()

  const flush = () => {
    const shapes = [...waiting.values()]
    waiting = new Map()
    for (const windows of shapes) {
      while (windows.length > 0) {
        const size = SIZES.find((n) => n <= windows.length)
        void send(windows.splice(0, size))
      }
    }
  }
  const send = async (windows: Waiting[]) => {
    try {
      const contents = await fetchItemWindows(prisma, windows, totals)
      windows.forEach(({ resolve, reject }, place) => {
        const content = contents[place]
        if (content) resolve(content)
        else reject(new TypeError('A window has no answer'))
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

/** Windows of one shape have the same text, but for its parameters. */
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
  return JSON.stringify([among, sort, order, isForCursor, isCounted, given, projection, rawItem])
}
