import type { BoundingBox } from './box.ts'
import { isBeyondMap } from './circle.ts'
import { type FilterValues, givenFilters, splitFilters } from './filters.ts'
import type { Circle, Selection } from './selection.ts'

/*
 * Which way a selection is read. All ways find the same items in the same order, at different costs. Each function is pure: it decides by
 * the selection, the window, and the sizes from the database. test/catalog/plan.test.ts has a table of cases.
 */

/** Numbers of items: of the selection, and of those that another way reads, by default all items of the datasets. */
export interface Sizes {
  total: number
  size: number
}

/**
 * How a search finds its items:
 * - `grid`: a circle on the map with filters alone, by the counts of its tiles (sql/nearby-by-grid.ts)
 * - `circle`: another circle, by the index of cells or of grams, or by that of locations near the poles
 * - `words`: a text, by the words in names and keywords
 * - `box`: a box, by the counts of its tiles (sql/box.ts)
 * - `none`: there is neither a text nor a place, and it finds nothing
 */
type SearchPlan =
  | { way: 'grid' | 'circle'; circle: Circle }
  | { way: 'words'; text: string }
  | { way: 'box'; within: BoundingBox }
  | { way: 'none' }

/** Chooses the way of a search. */
export function planSearch({ circle, text, within, updatedFrom, updatedTo }: Selection): SearchPlan {
  if (circle) {
    const isAlone = [text, within, updatedFrom, updatedTo].every((member) => member === undefined)
    return { way: isAlone && !isBeyondMap(circle) ? 'grid' : 'circle', circle }
  }
  if (text !== undefined) return { way: 'words', text }
  return within ? { way: 'box', within } : { way: 'none' }
}

/** So few items, in a box or with a code, are all read. */
export const FEW_IN_BOX = 1_000

/**
 * How a page of a box with more items is found:
 * - `cells`: among the items in its cells that have the codes of the filters
 * - `codes`: among all items with the codes, if they are few
 * - `names`: by a walk in the order of names
 * @param sizes `total` is the number of items in the box, `size` that of the items of the datasets with the codes
 * @param isCounted is whether `total` is the number of the selected items
 */
export function planBox(
  { total, size }: Sizes,
  { offset, limit }: { offset: number; limit: number },
  isCounted: boolean,
): 'cells' | 'codes' | 'names' {
  if (size <= Math.max(FEW_IN_BOX, total / 10)) return 'codes'
  return isCounted && ((offset + limit) * size) / total < total ? 'names' : 'cells'
}

/** Whether a page in order of id is found sooner by a walk over all items than by reading and sorting the selected ones. */
export function walksIds({ total, size }: Sizes, limit: number): boolean {
  return limit * size <= total * total || total === size
}

/** If the tiles of a circle have at most this many points, or the filters match no more, one statement tests all of them. */
export const FEW_POINTS = 2_000

/** The items of a circle are many if its tiles have more than this share of all items. */
const LARGE_SHARE = 1 / 20

/**
 * Whether the matching items of a circle are counted by reading all matching items of the datasets at once, in the order of the table. The
 * index on cells has the codes, so filters by codes count in it. Other filters read the items of the tiles, which costs more if these are many.
 * @param points is the number of points in the tiles of the circle
 */
export function countsAtOnce(filters: FilterValues, { points, size }: { points: number; size: number }): boolean {
  return points > size * LARGE_SHARE && givenFilters(splitFilters(filters).texts).length > 0
}

/**
 * Whether a text is compared with each name of a part of the items, and not found by the index of grams. A comparison takes some 1 µs, and the
 * index 0.3 µs for each item that has the rarest gram.
 * @param share is the share of all items that has the rarest gram of the text
 */
export function comparesNames({ total, size }: Sizes, share: number): boolean {
  return total <= 0.3 * share * size
}
