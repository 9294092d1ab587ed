import { Prisma } from '../../generated/prisma/client.ts'
import { CATEGORY_ZOOMS, COUNTED_ZOOMS } from '../tile.ts'
import { allOf, anyOf, type Items, type Scope } from './select.ts'

/* The stored counts of the items in tiles, of which each row is `t` in the SQL. Triggers maintain them (prisma/functions/count_tiles.sql). */

/** What is counted: all items, the items by category, or those of one category. */
export type Counted = 'items' | 'categories' | { categoryCode: string }

/** The zooms of the counted tiles. */
export const zoomsOf = (counted: Counted): readonly number[] => (counted === 'items' ? COUNTED_ZOOMS : CATEGORY_ZOOMS)

/** The counts (t.dataset_id, t.cell, t.n, t.sum_x, t.sum_y, and t.category_code except of all items) of the tiles of a zoom. */
export function countsOf(counted: Counted, scope: Scope, zoom: number): Items {
  const where = Prisma.sql`t.dataset_id = ${anyOf(scope)} AND t.level = ${zoom}::smallint`
  if (counted === 'items') return { from: Prisma.sql`tile_counts t`, where }
  const isCategory = counted === 'categories' ? [] : [Prisma.sql`t.category_code = ${counted.categoryCode}`]
  return { from: Prisma.sql`tile_category_counts t`, where: allOf([where, ...isCategory]) }
}
