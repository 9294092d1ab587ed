import { LRUCache } from 'lru-cache'
import type { ItemOwner, ItemPosition, ItemWindow } from './items.ts'

/*
 * The places of every 500th item of a list, as bookmarks: a deep page goes on from the mark before it, and passes over 500
 * items at the most instead of all. The first that asks for a page so deep has the list walked once, by its index alone. Marks are of one
 * revision of the dataset, and the statement that uses them tells whether it still is (reading.ts).
 */

/** A mark stands after every so many items. */
export const BOOKMARK_STEP = 500

const MAX_BYTES = 32 * 1024 * 1024
/** Of a mark, beside its text. */
const BOOKMARK_BYTES = 150

/** Walks a list on from its last mark, and gives the marks of so many steps, or fewer at its end. */
export type WalkList = (after: ItemPosition | undefined, steps: number) => Promise<ItemPosition[]>

export class OffsetBookmarks {
  readonly #lists = new LRUCache<string, ItemPosition[]>({
    maxSize: MAX_BYTES,
    sizeCalculation: (bookmarks, key) =>
      2 * key.length + bookmarks.reduce((sum, { value }) => sum + BOOKMARK_BYTES + 2 * value.length, 1),
  })

  /** The same window, told from the mark before it. */
  async approach(window: ItemWindow, owner: ItemOwner, revision: bigint, walk: WalkList): Promise<ItemWindow> {
    const { limit: _, offset, projection: __, isCounted: ___, ...list } = window
    const steps = Math.floor(offset / BOOKMARK_STEP)
    const key = JSON.stringify([owner, list, String(revision)])
    let bookmarks = this.#lists.get(key) ?? []
    if (bookmarks.length < steps) {
      bookmarks = [...bookmarks, ...(await walk(bookmarks.at(-1), steps - bookmarks.length))]
      this.#lists.set(key, bookmarks)
    }
    const used = Math.min(steps, bookmarks.length)
    const after = bookmarks[used - 1]
    return after ? { ...window, after, passOver: offset - used * BOOKMARK_STEP } : window
  }
}
