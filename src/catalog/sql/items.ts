import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { MAX_LIMIT } from '../arguments.ts'
import {
  ALL_ITEM_FIELDS,
  type ItemProjection,
  itemColumns,
  projectionKey,
  type RawItem,
  rawItemColumns,
} from '../item-columns.ts'
import { guardProjection, type Item, type JsonText } from '../models.ts'
import type { Totals } from './counts.ts'
import {
  type ItemBounds,
  type ItemOrder,
  type ItemOwner,
  type ItemPosition,
  type ItemSelection,
  isAtOrBeyond,
  isBetween,
  isSelected,
  orderOf,
  ownerTable,
} from './item-list.ts'

/*
 * Reads pages of items for several owners in one statement. Prisma has no LATERAL: it would load every item of every owner. It
 * also can't walk an index to a deep page and then read only the rows of that page.
 */

/** A part of a list, and what to read from it. */
export interface ItemWindow extends ItemOrder, ItemBounds {
  selection: ItemSelection
  limit: number
  /** Number of items of the list before the window. */
  offset: number
  /** Number of items to skip after `after`, if `after` is a bookmark. By default the statement skips `offset` items. */
  skip?: number
  projection: ItemProjection
  /** Replaces `projection`: PostgreSQL writes these members as JSON for clients. */
  rawItem?: RawItem | undefined
  /** Whether to read the fields that a cursor contains. */
  isForCursor?: boolean
  /** Whether to return the total too. With the total, a window past the end does not walk through the list. */
  isCounted: boolean
}

/** A text that is equal for equal windows. */
export function windowKey({ projection, rawItem, ...window }: ItemWindow): string {
  return JSON.stringify(window) + projectionKey(rawItem ?? projection)
}

/** The content of a window. */
export interface ItemWindowContent {
  nodes: Item[]
  /** The items as a JSON array for clients, if the window has `rawItem`. */
  rawJson?: string
  /** Number of items in the window. */
  count: number
  /** Null unless the window is counted. */
  total: number | null
  /** Revision of the owner's dataset; null if the dataset does not exist any more. */
  revision: bigint | null
}

/** An owner, and a position in the order of its items. */
export type OwnerPosition = ItemOwner & ItemPosition

/** A connection reads one more item than its limit, to see whether there are more. */
const GREATEST_LIMIT = Prisma.raw(String(MAX_LIMIT + 1))

/**
 * Reads items by id, in any order, each with the revision of its dataset. An item that does not exist is left out. Prisma's `findMany` would parse JSON columns, which
 * changes long numbers.
 */
export async function fetchItemsById(sql: SqlReader, ids: readonly string[]): Promise<(Item & { revision: bigint })[]> {
  return sql.$queryRaw<(Item & { revision: bigint })[]>`
    SELECT ${itemColumns(ALL_ITEM_FIELDS)}, (SELECT revision FROM datasets WHERE id = i.dataset_id) AS revision
      FROM items i WHERE i.id = ANY(${ids}::uuid[])`
}

/** An item as JSON for clients. */
export interface RawItemRow {
  id: string
  datasetId: string
  /** Revision of the dataset. */
  revision: bigint
  json: JsonText
}

/** An item, and its members that clients receive. */
export interface RawItemLookup {
  members: RawItem
  id: string
}

/** Reads items with the same members as JSON for clients, in the order of the lookups; null for an item that does not exist. */
export async function fetchRawItems(sql: SqlReader, lookups: readonly RawItemLookup[]): Promise<(RawItemRow | null)[]> {
  const members = lookups[0]?.members ?? []
  const ids = lookups.map(({ id }) => id)
  const rows = await sql.$queryRaw<RawItemRow[]>`
    SELECT i.id, i.dataset_id AS "datasetId", (SELECT revision FROM datasets WHERE id = i.dataset_id) AS revision,
           (SELECT row_to_json(item) FROM (SELECT ${rawItemColumns(members)}) AS item)::text AS json
      FROM items i WHERE i.id = ANY(${ids}::uuid[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** Reads the same window of each owner's list, in one statement. Returns the contents in the order of the owners. */
export async function fetchItemPages(
  sql: SqlReader,
  window: ItemWindow,
  owners: readonly ItemOwner[],
  totals: Totals,
): Promise<ItemWindowContent[]> {
  const rows = await sql.$queryRaw<WindowRow[]>`${selectWindows(window, owners, totals)} ORDER BY n`
  return rows.map((row) => contentOf(row, window))
}

/** A window of one owner's list. */
export interface OwnedWindow {
  window: ItemWindow
  owner: ItemOwner
}

/** Reads windows of different lists, in one statement. Returns the contents in the order of the windows. */
export async function fetchItemWindows(
  sql: SqlReader,
  windows: readonly OwnedWindow[],
  totals: Totals,
): Promise<ItemWindowContent[]> {
  const selects = windows.map(
    ({ window, owner }, place) =>
      Prisma.sql`SELECT ${place}::integer AS place, one.* FROM (${selectWindows(window, [owner], totals)}) AS one`,
  )
  const rows = await sql.$queryRaw<(WindowRow & { place: number })[]>(Prisma.join(selects, ' UNION ALL '))
  const content = ({ place, ...row }: (typeof rows)[number]) => windows[place] && contentOf(row, windows[place].window)
  return rows.sort((a, b) => a.place - b.place).flatMap((row) => content(row) ?? [])
}

interface WindowRow {
  revision: bigint | null
  total: number | null
  count: number
  /** A JSON array. */
  nodes: string
}

function contentOf({ nodes, ...facts }: WindowRow, { rawItem }: ItemWindow): ItemWindowContent {
  if (rawItem) return { ...facts, nodes: [], rawJson: nodes }
  const items: Item[] = JSON.parse(nodes)
  return { ...facts, nodes: items.map(guardProjection) }
}

function selectWindows(window: ItemWindow, owners: readonly ItemOwner[], totals: Totals): Prisma.Sql {
  // array_to_json writes as JSON.stringify does; json_agg puts spaces between the items. Without OFFSET 0, PostgreSQL would read the
  // items once for the array and once for their number.
  return Prisma.sql`
    SELECT owner.n, (SELECT revision FROM datasets WHERE id = owner.dataset_id) AS revision, list.total,
           array_to_json(page.items)::text AS nodes, cardinality(page.items) AS count
      FROM ${ownerTable(owners)}
     CROSS JOIN LATERAL (SELECT ${window.isCounted ? totals(window.selection) : Prisma.sql`NULL::integer`} AS total) AS list
     CROSS JOIN LATERAL (SELECT ARRAY(SELECT page FROM (${selectWindow(window)}) AS page) AS items OFFSET 0) AS page`
}

/** PostgreSQL reads a first page along the index. For a deeper page it walks only the index, and then reads the page's rows. */
function selectWindow(window: ItemWindow): Prisma.Sql {
  const { selection, limit, offset, skip = offset, sort, isCounted, projection, rawItem, isForCursor } = window
  const columns = rawItem ? rawItemColumns(rawItem) : itemColumns(projection, isForCursor ? ['datasetId', sort] : [])
  const among = Prisma.sql`FROM items i WHERE ${isSelected(selection)} AND ${isBetween(window)}`
  if (offset === 0) {
    // With a constant limit, PostgreSQL reuses a generic plan. For a limit in a parameter it expects a tenth of all items, finds
    // the generic plan too expensive, and plans each execution anew. Planning takes a third of the response time.
    return Prisma.sql`SELECT * FROM (SELECT ${columns} ${among} ORDER BY ${orderOf(window)} LIMIT ${GREATEST_LIMIT}) AS first LIMIT ${limit}`
  }
  const isBeforeEnd = isCounted ? Prisma.sql`list.total > ${offset}::bigint` : Prisma.sql`true`
  return Prisma.sql`
    SELECT ${columns}
      FROM (SELECT i.id ${among} AND ${isBeforeEnd}
             ORDER BY ${orderOf(window)} LIMIT ${limit} OFFSET ${skip}::bigint) AS place
      JOIN items i ON i.id = place.id
     ORDER BY ${orderOf(window)}`
}

/** Which items: those of a list that are at a position, or on one side of it. */
export interface ItemsBeyond extends ItemOrder {
  selection: ItemSelection
  side: keyof ItemBounds
}

/** Returns for each owner whether it has an item at its position, or on that side of it. Takes one statement. */
export async function haveItemsBeyond(
  sql: SqlReader,
  { selection, side, ...order }: ItemsBeyond,
  owners: readonly OwnerPosition[],
): Promise<boolean[]> {
  const values = owners.map((owner) => owner.value)
  const ids = owners.map((owner) => owner.id)
  const position = { value: Prisma.sql`position.value`, id: Prisma.sql`position.id` }
  const rows = await sql.$queryRaw<{ found: boolean }[]>`
    SELECT (SELECT i.id FROM items i
             WHERE ${isSelected(selection)} AND ${isAtOrBeyond(order, side, position)}
             ORDER BY ${orderOf(order)} LIMIT 1) IS NOT NULL AS found
      FROM ${ownerTable(owners)}
      JOIN unnest(${values}::text[], ${ids}::uuid[]) WITH ORDINALITY AS position (value, id, n) USING (n)
     ORDER BY n`
  return rows.map((row) => row.found)
}
