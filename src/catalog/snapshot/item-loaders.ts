import type { RawItem } from '../item-columns.ts'
import { countItems } from '../sql/counts.ts'
import type { ItemOrder, ItemOwner, ItemSelection } from '../sql/item-list.ts'
import {
  fetchItemPages,
  fetchItemsById,
  haveItemsBefore,
  type ItemWindow,
  type OwnerPosition,
  windowKey,
} from '../sql/items.ts'
import { BOOKMARK_STEP, fetchBookmarks } from '../sql/offset-bookmarks.ts'
import { isCheap } from '../sql/statement-batcher.ts'
import { ArgumentsLoader, recordLoader } from './batching.ts'
import type { LoaderContext } from './loader-options.ts'

/** Items by id, and the pages and counts of lists. */
export function itemLoaders(reads: LoaderContext) {
  const { sql, send, readLog, totals, batchers, isReference } = reads
  return {
    itemsById: recordLoader(
      (ids: string[]) => fetchItemsById(send().sql, ids),
      (item) => item.id,
    ),
    rawItem: (members: RawItem, id: string) => {
      readLog.send({ returnsRevision: true })
      return batchers.fetchItem({ members, id })
    },
    itemPages: new ArgumentsLoader(async (window: ItemWindow, owners: readonly ItemOwner[]) => {
      const [owner] = owners
      const isBatched = !isReference && owner !== undefined && owners.length === 1 && isCheap(window)
      const from = isBatched ? window : await startAtBookmark(reads, window, owners)
      readLog.send({ returnsRevision: true })
      const pages = isBatched
        ? [await batchers.fetchWindow({ window, owner })]
        : await fetchItemPages(sql, from, owners, totals)
      pages.forEach(({ revision }, index) => {
        readLog.verify(owners[index]?.datasetId ?? '', revision)
      })
      return pages
    }, windowKey),
    itemCounts: new ArgumentsLoader((selection: ItemSelection, owners: readonly ItemOwner[]) =>
      countItems(send().sql, selection, owners, totals),
    ),
    itemsBefore: new ArgumentsLoader((order: ItemSelection & ItemOrder, positions: readonly OwnerPosition[]) =>
      haveItemsBefore(send().sql, order, positions),
    ),
  }
}

/** Returns the same window from the bookmark before it, for a deep page of one list. */
async function startAtBookmark(
  { bookmarks, readLog, send, totals }: LoaderContext,
  window: ItemWindow,
  owners: readonly ItemOwner[],
): Promise<ItemWindow> {
  const [owner] = owners
  const revision = owner && readLog.revisionOf(owner.datasetId)
  if (!bookmarks || !owner || revision === undefined || owners.length > 1 || window.offset < BOOKMARK_STEP)
    return window
  return bookmarks.startAt(window, owner, revision, async (after, steps) => {
    const walk = { after, steps, step: BOOKMARK_STEP, totals }
    const walked = await fetchBookmarks(send({ returnsRevision: true }).sql, window, owner, walk)
    readLog.verify(owner.datasetId, walked.revision)
    return walked.revision === revision ? walked.bookmarks : []
  })
}
