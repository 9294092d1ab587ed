import { LRUCache } from 'lru-cache'
import type { ItemOwner, ItemPosition, ItemWindow } from './items.ts'

/*
 * The places of every 500th item of a list, as bookmarks: a deep page goes on from the mark before it, and passes over 500
 * items at the most instead of all. The first that asks for a page so deep has the list walked once, by its index alone. Marks are of one
 * revision of the dataset, and the statement that uses them tells whether it still is (reading.ts).
 */

/** A mark stands after every so many items. */
export const MARK_STEP = 500

const MAX_BYTES = 32 * 1024 * 1024
/** Of a mark, beside its text. */
const MARK_BYTES = 150

/** Walks a list on from its last mark, and gives the marks of so many steps, or fewer at its end. */
export type WalkList = (after: ItemPosition | undefined, steps: number) => Promise<ItemPosition[]>

export class PageMarks {
  readonly #lists = new LRUCache<string, ItemPosition[]>({
    maxSize: MAX_BYTES,
    sizeCalculation: (marks, key) =>
      2 * key.length + marks.reduce((sum, { value }) => sum + MARK_BYTES + 2 * value.length, 1),
  })

  /** The same window, told from the mark before it. */
  async approach(window: ItemWindow, owner: ItemOwner, revision: bigint, walk: WalkList): Promise<ItemWindow> {
    const { limit: _, offset, wanted: __, isCounted: ___, ...list } = window
    const steps = Math.floor(offset / MARK_STEP)
    const key = JSON.stringify([owner, list, String(revision)])
    let marks = this.#lists.get(key) ?? []
    if (marks.length < steps) {
      marks = [...marks, ...(await walk(marks.at(-1), steps - marks.length))]
      this.#lists.set(key, marks)
    }
    const used = Math.min(steps, marks.length)
    const after = marks[used - 1]
    return after ? { ...window, after, passOver: offset - used * MARK_STEP } : window
  }
}
