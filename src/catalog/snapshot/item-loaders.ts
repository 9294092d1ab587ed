import type { RawItem } from '../item-columns.ts'
import { countItems } from '../sql/counts.ts'
import type { ItemOwner, ItemSelection } from '../sql/item-list.ts'
import {
  fetchItemPages,
  fetchItemsById,
  haveItemsBeyond,
  type ItemsBeyond,
  type ItemWindow,
  type ItemWindowContent,
  type OwnerPosition,
  windowKey,
} from '../sql/items.ts'
import { BOOKMARK_STEP, fetchBookmarks } from '../sql/offset-bookmarks.ts'
import { isCheap } from '../sql/statement-batcher.ts'
import { ArgumentsLoader, recordLoader } from './batching.ts'
import type { LoaderOptions } from './loader-options.ts'
import type { SeenRevision } from './read-log.ts'

/** Items by id, and the pages and counts of lists. */
export function itemLoaders(options: LoaderOptions) {
  const { statements, readLog, totals } = options
  const datasetsOf = (owners: readonly ItemOwner[]) => owners.map(({ datasetId }) => datasetId)
  return {
    itemsById: recordLoader(
      async (ids: string[]) => {
        const items = await statements.verified(
          ({ sql }) => fetchItemsById(sql, ids),
          (found) => found.map(({ datasetId, revision }): SeenRevision => [datasetId, revision]),
        )
        if (items.length < ids.length) readLog.miss()
        readLog.countItems(items.length)
        return items
      },
      (item) => item.id,
    ),
    rawItem: async (members: RawItem, id: string) => {
      const item = await statements.verified(
        ({ batchers }) => batchers.fetchItem({ members, id }),
        (found) => (found ? [[found.datasetId, found.revision]] : []),
      )
      if (item) readLog.countItems(1)
      else readLog.miss()
      return item
    },
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const pages = await readPages(options, window, owners)
      // A connection reads one more item than it shows.
      const { limit, isForCursor = false } = window
      for (const { count } of pages) readLog.countItems(Math.min(count, isForCursor ? limit - 1 : limit))
      return pages
    }, windowKey),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      statements.unverified(datasetsOf(owners), ({ sql }) => countItems(sql, selection, owners, totals)),
    ),
    itemsBeyond: new ArgumentsLoader((list: ItemsBeyond, positions: readonly OwnerPosition[]) =>
      statements.unverified(datasetsOf(positions), ({ sql }) => haveItemsBeyond(sql, list, positions)),
    ),
  }
}

async function readPages(options: LoaderOptions, window: ItemWindow, owners: readonly ItemOwner[]) {
  const { statements, totals, isReference } = options
  const [owner] = owners
  const seenIn = (pages: ItemWindowContent[]) =>
    pages.map(({ revision }, n): SeenRevision => [owners[n]?.datasetId ?? '', revision])
  if (!isReference && owner && owners.length === 1 && isCheap(window))
    return statements.verified(async ({ batchers }) => [await batchers.fetchWindow({ window, owner })], seenIn)
  const from = await startAtBookmark(options, window, owners)
  return statements.verified(({ sql }) => fetchItemPages(sql, from, owners, totals), seenIn)
}

/** Returns the same window from the bookmark before it, for a deep page of one list. */
async function startAtBookmark(
  { shared, readLog, statements, totals }: LoaderOptions,
  window: ItemWindow,
  owners: readonly ItemOwner[],
): Promise<ItemWindow> {
  const [owner] = owners
  const revision = owner && readLog.revisionOf(owner.datasetId)
  if (!shared || !owner || revision == null || owners.length > 1 || window.offset < BOOKMARK_STEP) return window
  return shared.bookmarks.startAt(window, owner, revision, (after, steps) =>
    statements.verified(
      ({ sql }) => fetchBookmarks(sql, window, owner, { after, steps, step: BOOKMARK_STEP, totals }),
      (walked) => [[owner.datasetId, walked.revision]],
    ),
  )
}
