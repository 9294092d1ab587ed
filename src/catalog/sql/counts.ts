import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type ItemOwner, type ItemSelection, isSelected, ownerTable } from './item-list.ts'

/*
 * The totals of lists. Triggers maintain them in the table `item_counts`, by the name of each list (migration
 * 20261121000001_counts).
 */

/** Returns SQL for the number of selected items of an owner, which is a row of the table `owner`. */
export type Totals = (selection: ItemSelection) => Prisma.Sql

/** Counts the items. */
export const countedTotals: Totals = (selection) =>
  Prisma.sql`(SELECT count(*) FROM items i WHERE ${isSelected(selection)})::integer`

/** Reads the number from `item_counts`. The table has no numbers for filtered children. They are few, so they are counted. */
export const storedTotals: Totals = (selection) => {
  const { among, administrativeAreaCode, categoryCode } = selection
  const filters = filterName('area', administrativeAreaCode) + filterName('category', categoryCode)
  if (among === 'children' && filters !== '') return countedTotals(selection)
  const list =
    among === 'children' ? Prisma.sql`'children of ' || owner.parent_item_id` : Prisma.sql`${among + filters}`
  return Prisma.sql`coalesce((
      SELECT stored.n FROM item_counts stored WHERE stored.dataset_id = owner.dataset_id AND stored.list = ${list}
    ), 0)`
}

/** The part of a list's name for a filter. The SQL function `list_name` (same migration) builds the same names. */
function filterName(filter: string, code: string | undefined): string {
  return code === undefined ? '' : ` ${filter} '${code.replaceAll("'", "''")}'`
}

/** Returns the number of selected items of each owner, in the order of the owners. Takes one statement. */
export async function countItems(
  sql: SqlReader,
  selection: ItemSelection,
  owners: readonly ItemOwner[],
  totals: Totals,
): Promise<number[]> {
  const rows = await sql.$queryRaw<{ total: number }[]>`
    SELECT ${totals(selection)} AS total FROM ${ownerTable(owners)} ORDER BY owner.n`
  return rows.map((row) => row.total)
}
