import { Prisma } from '../../generated/prisma/client.ts'
import { type ItemOwner, type ItemSelection, isSelected, ownerTable } from './item-list.ts'

/*
 * How many items a list has. Triggers maintain the numbers in the table `item_counts` (migration 20261121000001_counts),
 * under the name of each list.
 */

/** SQL for the number of items of the table `owner`. */
export type Totals = (selection: ItemSelection) => Prisma.Sql

/** Counts the items. */
export const countedTotals: Totals = (selection) =>
  Prisma.sql`(SELECT count(*) FROM items i WHERE ${isSelected(selection)})::integer`

/** Looks the number up in `item_counts`. The table has no numbers for children with a filter: they are few, and counted. */
export const storedTotals: Totals = (selection) => {
  const { among, administrativeAreaCode, categoryCode } = selection
  const filters = filterName('area', administrativeAreaCode) + filterName('category', categoryCode)
  if (among === 'children' && filters !== '') return countedTotals(selection)
  const list =
    among === 'children' ? Prisma.sql`'children of ' || owner.parent_item_id` : Prisma.sql`${among + filters}`
  return Prisma.sql`coalesce((
      SELECT kept.n FROM item_counts kept WHERE kept.dataset_id = owner.dataset_id AND kept.list = ${list}
    ), 0)`
}

/** A filter in the name of a list. The SQL function `list_name` (migration 20261121000001_counts) makes the same names. */
function filterName(filter: string, code: string | undefined): string {
  return code === undefined ? '' : ` ${filter} '${code.replaceAll("'", "''")}'`
}

/** How many items each owner has, in one statement. */
export async function countItems(
  prisma: Prisma.TransactionClient,
  selection: ItemSelection,
  owners: readonly ItemOwner[],
  totals: Totals,
): Promise<number[]> {
  const rows = await prisma.$queryRaw<{ total: number }[]>`
    SELECT ${totals(selection)} AS total FROM ${ownerTable(owners)} ORDER BY owner.n`
  return rows.map((row) => row.total)
}
