import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { ItemListArguments, PageArguments, SortOrder } from '../arguments.ts'
import { FILTERS, type Filter, type FilterValues, givenFilters, pickFilters, whereFilters } from '../filters.ts'
import type { Dataset } from '../models.ts'
import { type ItemSort, SORTS } from '../sorts.ts'
import { allOf, among, type Items, select } from './select.ts'

/*
 * A list of items: its owner, selection, order and bounds, and the SQL for each. In the SQL, `i` is the table of items and
 * `owner` is the table of owners.
 */

/** A dataset, or a parent item in it. */
export interface ItemOwner {
  datasetId: string
  parentItemId: string | null
}

/** Which items of the owner the list contains. */
export interface ItemSelection extends FilterValues {
  /** All items of the dataset, its root items, or the children of the parent item. */
  among: 'all' | 'roots' | 'children'
}

export interface ItemOrder {
  sort: ItemSort
  order: SortOrder
}

/** The position of an item in an order: the text of its value (see `Sort`), and its id. */
export interface ItemPosition {
  value: string
  id: string
}

/** Positions of a list. Only what is between them is selected, without what is at them. */
export interface Bounds<Position> {
  after?: Position | undefined
  before?: Position | undefined
}
export type ItemBounds = Bounds<ItemPosition>

/** A whole list of items. */
export interface ItemList extends ItemOrder {
  owner: ItemOwner
  selection: ItemSelection
}

/** Returns the owner and the selection of a dataset's list. */
export function selectItems(
  { id }: Dataset,
  args: Omit<ItemListArguments, keyof PageArguments>,
): Pick<ItemList, 'owner' | 'selection'> {
  const { parentItemId = null } = args
  const among = args.parentItemId === undefined ? 'all' : parentItemId === null ? 'roots' : 'children'
  return { owner: { datasetId: id, parentItemId }, selection: { among, ...pickFilters(args) } }
}

/**
 * SQL for the table `owner` (dataset_id, parent_item_id, n), where n counts from 1. One owner becomes a row of constants, which
 * PostgreSQL plans better than unnest.
 */
export function ownerTable(owners: readonly ItemOwner[]): Prisma.Sql {
  const [owner] = owners
  if (owner && owners.length === 1) {
    return Prisma.sql`(SELECT ${owner.datasetId}::uuid AS dataset_id, ${owner.parentItemId}::uuid AS parent_item_id, 1 AS n) AS owner`
  }
  const datasetIds = owners.map((owner) => owner.datasetId)
  const parentItemIds = owners.map((owner) => owner.parentItemId)
  return Prisma.sql`unnest(${datasetIds}::uuid[], ${parentItemIds}::uuid[])
                      WITH ORDINALITY AS owner (dataset_id, parent_item_id, n)`
}

const AMONG = {
  all: [],
  roots: [Prisma.sql`i.parent_item_id IS NULL`],
  children: [Prisma.sql`i.parent_item_id = owner.parent_item_id`],
}

/** The items of `owner` in the selection. */
export function itemsListed(selection: ItemSelection): Items {
  const where = [Prisma.sql`i.dataset_id = owner.dataset_id`, ...AMONG[selection.among], whereFilters(selection)]
  return { from: Prisma.sql`items i`, where: allOf(where) }
}

/** Those of the items that are between the bounds. */
export function itemsBetween(window: ItemOrder & ItemBounds & { selection: ItemSelection }): Items {
  const { selection, after, before } = window
  const bounds = [after && whereBeyond(window, 'after', after), before && whereBeyond(window, 'before', before)]
  return among(itemsListed(selection), ...bounds.filter((bound) => bound !== undefined))
}

/** A position of parameters, or of columns of the statement. */
type SqlPosition = { [Name in keyof ItemPosition]: ItemPosition[Name] | Prisma.Sql }

/** SQL condition: the item comes after or before a position, or is there too. A row comparison can use the index of the sort. */
export function whereBeyond(
  { sort, order }: ItemOrder,
  side: keyof ItemBounds,
  { value, id }: SqlPosition,
  isOrThere = false,
): Prisma.Sql {
  const { column, sqlType } = SORTS[sort]
  const isGreater = (order === 'asc') === (side === 'after')
  const operator = isGreater ? Prisma.sql`>` : Prisma.sql`<`
  const orThere = isOrThere ? Prisma.sql`=` : Prisma.empty
  return Prisma.sql`(${column}, i.id) ${operator}${orThere} (${value}::${sqlType}, ${id}::uuid)`
}

/** SQL for the expressions of ORDER BY. */
export function orderOf({ sort, order }: ItemOrder): Prisma.Sql {
  const { column } = SORTS[sort]
  return order === 'asc' ? Prisma.sql`${column}, i.id` : Prisma.sql`${column} DESC, i.id DESC`
}

/* The totals of lists. Triggers maintain them in the table `item_counts`, by the name of each list (prisma/functions/count_items.sql). */

/**
 * SQL for the number of selected items of an owner, which is a row of the table `owner`. It counts the items of a list that `item_counts`
 * does not have.
 */
export function totalOf(selection: ItemSelection): Prisma.Sql {
  const list = storedList(selection)
  if (!list) return Prisma.sql`(${select(Prisma.sql`count(*)`, itemsListed(selection))})::integer`
  return Prisma.sql`coalesce((
      SELECT stored.n FROM item_counts stored WHERE stored.dataset_id = owner.dataset_id AND stored.list = ${list}
    ), 0)`
}

/** Whether `item_counts` has the total. It has none for filtered children, and none for filters that are not counted. */
export function hasStoredTotal(selection: ItemSelection): boolean {
  return storedList(selection) !== undefined
}

/** SQL for the name of a list in `item_counts`. The SQL function `list_name` builds the same names. */
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
  reader: SqlReader,
  selection: ItemSelection,
  owners: readonly ItemOwner[],
): Promise<number[]> {
  const rows = await reader.$queryRaw<{ total: number }[]>`
    SELECT ${totalOf(selection)} AS total FROM ${ownerTable(owners)} ORDER BY owner.n`
  return rows.map((row) => row.total)
}
