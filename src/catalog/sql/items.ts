import { rawSql } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { sql } from '../../sql.ts'
import { MAX_LIMIT } from '../arguments.ts'
import type { Fetched, Window } from '../page.ts'
import { arrayOf, itemsAt, jsonText, selectMembers } from '../projection.ts'
import {
  type ItemBounds,
  type ItemOrder,
  type ItemOwner,
  type ItemPosition,
  type ItemSelection,
  itemsBetween,
  itemsListed,
  orderOf,
  ownerTable,
  totalOf,
  whereBeyond,
} from './item-list.ts'
import { among, fetchTogether, select } from './select.ts'

/*
 * Reads pages of items for several owners in one statement. Prisma has no LATERAL: it would load every item of every owner. It
 * also can't walk an index to a deep page and then read only the rows of that page.
 */

/** A part of a list, and the members to read. */
export interface ItemWindow extends ItemOrder, ItemBounds, Window {
  selection: ItemSelection
  /** Number of items to skip after `after`, if `after` is a bookmark. By default the statement skips `offset` items. */
  skip?: number
  /** Whether to read the fields that a cursor contains. */
  isForCursor?: boolean
  /** Whether to return the total too. With the total, a window past the end does not walk through the list. */
  isCounted: boolean
}

/** The content of a window. */
export interface ItemWindowContent extends Fetched {
  /** Number of items in the window. */
  count: number
  /** Revision of the owner's dataset; null if the dataset does not exist any more. */
  revision: bigint | null
}

/** An owner, and a position in the order of its items. */
export type OwnerPosition = ItemOwner & ItemPosition

/** A connection reads one more item than its limit, to see whether there are more. */
const GREATEST_LIMIT = rawSql(sql`${MAX_LIMIT + 1}`)

/** Reads the same window of each owner's list, in one statement. Returns the contents in the order of the owners. */
export async function fetchItemPages(
  reader: SqlReader,
  window: ItemWindow,
  owners: readonly ItemOwner[],
): Promise<ItemWindowContent[]> {
  return reader.$queryRaw<ItemWindowContent[]>`${selectWindows(window, owners)} ORDER BY n`
}

/** A window of one owner's list. */
export interface OwnedWindow {
  window: ItemWindow
  owner: ItemOwner
}

/** Reads windows of different lists, in one statement. Returns the contents in the order of the windows. */
export function fetchItemWindows(reader: SqlReader, windows: readonly OwnedWindow[]): Promise<ItemWindowContent[]> {
  return fetchTogether<ItemWindowContent>(
    reader,
    windows.map(({ window, owner }) => selectWindows(window, [owner])),
  )
}

function selectWindows(window: ItemWindow, owners: readonly ItemOwner[]): Prisma.Sql {
  // Without OFFSET 0, PostgreSQL would read the items once for the array and once for their number.
  return Prisma.sql`
    SELECT owner.n, (SELECT revision FROM datasets WHERE id = owner.dataset_id) AS revision, list.total,
           ${jsonText(Prisma.sql`page.items`)} AS json, cardinality(page.items) AS count
      FROM ${ownerTable(owners)}
     CROSS JOIN LATERAL (SELECT ${window.isCounted ? totalOf(window.selection) : Prisma.sql`NULL::integer`} AS total) AS list
     CROSS JOIN LATERAL (SELECT ${itemsOf(window)} AS items OFFSET 0) AS page`
}

/** PostgreSQL reads a first page along the index. For a deeper page it walks only the index, and then reads the page's rows. */
function itemsOf(window: ItemWindow): Prisma.Sql {
  const { limit, offset, skip = offset, sort, isCounted, projection, isForCursor } = window
  const columns = selectMembers(projection, isForCursor ? ['datasetId', sort] : [])
  const items = itemsBetween(window)
  const inOrder = Prisma.sql`ORDER BY ${orderOf(window)}`
  if (offset === 0) {
    // With a constant limit, PostgreSQL reuses a generic plan. For a limit in a parameter it expects a tenth of all items, finds
    // the generic plan too expensive, and plans each execution anew. Planning takes a third of the response time.
    const first = select(columns, items, Prisma.sql`${inOrder} LIMIT ${GREATEST_LIMIT}`)
    return arrayOf(Prisma.sql`SELECT * FROM (${first}) AS first LIMIT ${limit}`)
  }
  const beforeEnd = isCounted ? among(items, Prisma.sql`list.total > ${offset}::bigint`) : items
  const places = select(Prisma.sql`i.id`, beforeEnd, Prisma.sql`${inOrder} LIMIT ${limit} OFFSET ${skip}::bigint`)
  return itemsAt(places, orderOf(window), projection)
}

/** The items of a list that are at a position, or on one side of it. */
export interface ItemsBeyond extends ItemOrder {
  selection: ItemSelection
  side: keyof ItemBounds
}

/** Returns for each owner whether it has an item at its position, or on that side of it. Takes one statement. */
export async function haveItemsBeyond(
  reader: SqlReader,
  { selection, side, ...order }: ItemsBeyond,
  owners: readonly OwnerPosition[],
): Promise<boolean[]> {
  const values = owners.map((owner) => owner.value)
  const ids = owners.map((owner) => owner.id)
  const position = { value: Prisma.sql`position.value`, id: Prisma.sql`position.id` }
  const items = among(itemsListed(selection), whereBeyond(order, side, position, true))
  const first = select(Prisma.sql`i.id`, items, Prisma.sql`ORDER BY ${orderOf(order)} LIMIT 1`)
  const rows = await reader.$queryRaw<{ found: boolean }[]>`
    SELECT (${first}) IS NOT NULL AS found
      FROM ${ownerTable(owners)}
      JOIN unnest(${values}::text[], ${ids}::uuid[]) WITH ORDINALITY AS position (value, id, n) USING (n)
     ORDER BY n`
  return rows.map((row) => row.found)
}
