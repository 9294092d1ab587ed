import type { ChangeFeed } from '../../database/change-feed.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { SORTS } from '../sorts.ts'
import { ItemCache } from './item-cache.ts'
import { type ItemOwner, type ItemPosition, itemsBetween, orderOf, ownerTable, totalOf } from './item-list.ts'
import type { ItemWindow } from './items.ts'
import { among, select } from './select.ts'

/*
 * A bookmark is the position of every 500th item of a list. A deep page starts at the last bookmark before it, and skips fewer
 * than 500 items instead of all items before it. The first request for a deep page walks the index of the list once and stores
 * the bookmarks. They belong to one revision of the dataset. A statement that uses a bookmark returns the revision that it saw,
 * and snapshot/read-log.ts compares the two. So a wrong bookmark can't become part of a response.
 */

/** Number of items from one bookmark to the next. */
export const BOOKMARK_STEP = 500

const MAX_BYTES = 32 * 1024 * 1024
/** Estimated memory for a bookmark without its text. */
const BOOKMARK_BYTES = 150

/** Bookmarks of a list, and the revision of the dataset that they belong to. */
interface Bookmarks {
  revision: bigint | null
  bookmarks: readonly ItemPosition[]
}

/** Walks a list from a position or from its start. Returns the next `steps` bookmarks, or fewer at the end of the list. */
type WalkList = (after: ItemPosition | undefined, steps: number) => Promise<Bookmarks>

/** The bookmarks of lists, in memory. */
export class OffsetBookmarks {
  readonly #lists: ItemCache<Bookmarks>

  constructor(changeFeed: ChangeFeed) {
    this.#lists = new ItemCache(changeFeed, {
      limit: MAX_BYTES,
      sizeOf: ({ bookmarks }) => bookmarks.reduce((sum, { value }) => sum + BOOKMARK_BYTES + 2 * value.length, 1),
    })
  }

  /**
   * Returns the same window with `after` and `skip`, so that it starts at the last bookmark before it. Uses and stores only bookmarks
   * of this revision.
   */
  async startAt(window: ItemWindow, owner: ItemOwner, revision: bigint, walk: WalkList): Promise<ItemWindow> {
    const { selection, sort, order, offset } = window
    const steps = Math.floor(offset / BOOKMARK_STEP)
    const list = [owner.parentItemId, selection, sort, order]
    const known = this.#lists.lookup([owner.datasetId], list, (stored) => stored.revision === revision)
    let bookmarks = known.value?.bookmarks ?? []
    if (bookmarks.length < steps) {
      const walked = await walk(bookmarks.at(-1), steps - bookmarks.length)
      if (walked.revision !== revision) return window
      bookmarks = [...bookmarks, ...walked.bookmarks]
      known.store({ revision, bookmarks })
    }
    const used = Math.min(steps, bookmarks.length)
    const after = bookmarks[used - 1]
    return after ? { ...window, after, skip: offset - used * BOOKMARK_STEP } : window
  }
}

/**
 * Reads the next bookmarks of an owner's list after the start of a window, and the revision of the dataset.
 * @returns no bookmarks if the window's offset is past the end of the list; no revision if the dataset does not exist
 */
export async function fetchBookmarks(
  reader: SqlReader,
  window: ItemWindow,
  owner: ItemOwner,
  steps: number,
): Promise<Bookmarks> {
  const { column, valueAsText } = SORTS[window.sort]
  const walked = select(
    Prisma.sql`${column} AS value, i.id`,
    among(itemsBetween(window), Prisma.sql`list.total > ${window.offset}::bigint`),
    Prisma.sql`ORDER BY ${orderOf(window)} LIMIT ${steps * BOOKMARK_STEP}::bigint`,
  )
  const [row] = await reader.$queryRaw<{ revision: bigint | null; bookmarks: string | null }[]>`
    SELECT (SELECT revision FROM datasets WHERE id = owner.dataset_id) AS revision, (
             SELECT json_agg(json_build_object('value', ${valueAsText}, 'id', id) ORDER BY n) FROM (
               SELECT value, id, row_number() OVER () AS n FROM (
                 ${walked}) AS walked
             ) AS numbered WHERE n % ${BOOKMARK_STEP}::bigint = 0
           )::text AS bookmarks
      FROM ${ownerTable([owner])}
     CROSS JOIN LATERAL (SELECT ${totalOf(window.selection)} AS total) AS list`
  return { revision: row?.revision ?? null, bookmarks: JSON.parse(row?.bookmarks ?? '[]') }
}
