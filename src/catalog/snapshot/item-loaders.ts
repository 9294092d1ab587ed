import DataLoader from 'dataloader'
import { type ItemProjection, projectionKey } from '../projection.ts'
import { fetchImages, type LookupRow } from '../sql/by-id.ts'
import type { FeatureCounts } from '../sql/features.ts'
import { countItems, type ItemOwner, type ItemSelection, type Totals } from '../sql/item-list.ts'
import {
  fetchItemPages,
  haveItemsBeyond,
  type ItemsBeyond,
  type ItemWindow,
  type ItemWindowContent,
  type OwnerPosition,
  windowKey,
} from '../sql/items.ts'
import { BOOKMARK_STEP, fetchBookmarks, type OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import { isCheap } from '../sql/statement-batcher.ts'
import { ArgumentsLoader } from './batching.ts'
import type { ReadLog, SeenRevision, Statements } from './read-log.ts'

/** Items by id, and the pages and counts of lists. */
export function itemLoaders(options: LoaderOptions) {
  const { statements, readLog, totals } = options
  const datasetsOf = (owners: readonly ItemOwner[]) => owners.map(({ datasetId }) => datasetId)
  return {
    items: new ArgumentsLoader(async (projection: ItemProjection, ids: readonly string[]) => {
      const { scope } = readLog
      const find = (id: string) =>
        statements.verified(({ batchers }) => batchers.fetchItem({ projection, id, scope }), seenRevision)
      return logFound(readLog, await Promise.all(ids.map(find)))
    }, projectionKey),
    images: new DataLoader(async (ids: readonly string[]) => {
      const { scope } = readLog
      return statements.unverified('all', ({ sql }) => fetchImages(sql, { ids, scope }))
    }),
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

function seenRevision(found: LookupRow | null): SeenRevision[] {
  return found ? [[found.datasetId, found.revision]] : []
}

/** Logs which rows were found, and returns them. */
function logFound(readLog: ReadLog, rows: (LookupRow | null)[]): (LookupRow | null)[] {
  for (const row of rows) {
    if (!row) readLog.miss()
    else if (row.json !== null) readLog.countItems(1)
  }
  return rows
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

/** What the requests to one server share. A read in a transaction uses none of it. */
export interface SharedCaches {
  bookmarks: OffsetBookmarks
  featureCounts: FeatureCounts
}

/** What the loaders of one read use. */
export interface LoaderOptions {
  statements: Statements
  readLog: ReadLog
  totals: Totals
  shared?: SharedCaches | undefined
  /** Whether to search all points, and to send each statement by itself. For tests. */
  isReference: boolean
}
