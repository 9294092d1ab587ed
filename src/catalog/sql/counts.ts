import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { FILTERS, type Filter, givenFilters } from '../filters.ts'
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

/** Reads the number from `item_counts`, or counts the items of a list that the table does not have. */
export const storedTotals: Totals = (selection) => {
  const list = storedList(selection)
  if (!list) return countedTotals(selection)
  return Prisma.sql`coalesce((
      SELECT stored.n FROM item_counts stored WHERE stored.dataset_id = owner.dataset_id AND stored.list = ${list}
    ), 0)`
}

/** Whether `item_counts` has the total. It has none for filtered children, and none for filters that are not counted. */
export function hasStoredTotal(selection: ItemSelection): boolean {
  return storedList(selection) !== undefined
}

/** SQL for the name of a list in `item_counts`. The SQL function `list_name` (same migration) builds the same names. */
function storedList(selection: ItemSelection): Prisma.Sql | undefined {
  const filters = givenFilters(selection)
  if (selection.among === 'children')
    return filters.length === 0 ? Prisma.sql`'children of ' || owner.parent_item_id` : undefined
  let list: string = selection.among
  for (const [filter, value] of filters) {
    const { countedAs }: Filter = FILTERS[filter]
    if (countedAs === undefined) return undefined
    list += ` ${countedAs} '${value.replaceAll("'", "''")}'`
  }
  return Prisma.sql`${list}`
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
