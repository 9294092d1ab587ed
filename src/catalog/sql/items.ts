import { Prisma } from '../../generated/prisma/client.ts'
import { type ItemSort, MAX_LIMIT, type SortOrder } from '../arguments.ts'
import { type ItemProjection, itemColumns, type RawItem, rawItemColumns } from '../item-columns.ts'
import type { Item } from '../models.ts'

/*
 * Pages of items, for many owners in one statement. Prisma has no LATERAL: it would load every item of every owner; nor
 * can it walk an index to a deep page and fetch only the rows of that page.
 */

/** Whose items: a dataset's, or those of one parent in it. */
export interface ItemOwner {
  datasetId: string
  parentItemId: string | null
}

/** Which of the owner's items. */
export interface ItemSelection {
  /** Of a dataset all items or its root items; of a parent its children. */
  among: 'all' | 'roots' | 'children'
  administrativeAreaCode?: string | undefined
  categoryCode?: string | undefined
}

export interface ItemOrder {
  sort: ItemSort
  order: SortOrder
}

/** The place of an item in an order: its value there (a name, or an ISO moment), and its id. */
export interface ItemPosition {
  value: string
  id: string
}

/** What lies between two positions, both left out. */
export interface ItemBounds {
  after?: ItemPosition | undefined
  before?: ItemPosition | undefined
}

export interface ItemWindow extends ItemSelection, ItemOrder, ItemBounds {
  limit: number
  offset: number
  /** How many of the offset are left to pass over where `after` has come so far. */
  passOver?: number
  projection: ItemProjection
  /** Where PostgreSQL is to write the items as they go out, instead of those wanted. */
  rawItem?: RawItem | undefined
  /** Whether cursors will be made of the items. */
  isForCursor?: boolean
  /** Whether to say how many there are in all. A window behind the end is found to be empty without walking there. */
  isCounted: boolean
}

/** A part of a list, and what its statement tells besides. */
export interface ItemWindowContent {
  nodes: Item[]
  /** The items as they go out, a JSON array, where they were asked for so. */
  rawJson?: string
  /** Where it was asked for. */
  total: number | null
  /** Of the owner's dataset; null when that is gone. */
  revision: bigint | null
}

/** An owner, and a position in the order of its items. */
export type OwnerPosition = ItemOwner & ItemPosition

const SORT_COLUMN: Record<ItemSort, Prisma.Sql> = {
  name: Prisma.sql`i.name`,
  createdAt: Prisma.sql`i.created_at`,
  updatedAt: Prisma.sql`i.updated_at`,
}

/** A connection asks for one more, to see whether there is one. */
const GREATEST_LIMIT = Prisma.raw(String(MAX_LIMIT + 1))

/** The window of each owner's items, in order, in one statement that sees one state of the database. */
export async function fetchItemPages(
  prisma: Prisma.TransactionClient,
  window: ItemWindow,
  owners: readonly ItemOwner[],
  totals: Totals,
): Promise<ItemWindowContent[]> {
  const rows = await prisma.$queryRaw<WindowRow[]>`${selectWindows(window, owners, totals)} ORDER BY n`
  return rows.map((row) => contentOf(row, window))
}

/** A window of an owner's list. */
export interface OwnedWindow {
  window: ItemWindow
  owner: ItemOwner
}

/** Several windows of any lists, in one statement. */
export async function fetchItemWindows(
  prisma: Prisma.TransactionClient,
  windows: readonly OwnedWindow[],
  totals: Totals,
): Promise<ItemWindowContent[]> {
  const selects = windows.map(
    ({ window, owner }, place) =>
      Prisma.sql`SELECT ${place}::integer AS place, one.* FROM (${selectWindows(window, [owner], totals)}) AS one`,
  )
  const rows = await prisma.$queryRaw<(WindowRow & { place: number })[]>(Prisma.join(selects, ' UNION ALL '))
  const content = ({ place, ...row }: (typeof rows)[number]) => windows[place] && contentOf(row, windows[place].window)
  return rows.sort((a, b) => a.place - b.place).flatMap((row) => content(row) ?? [])
}

interface WindowRow {
  revision: bigint | null
  total: number | null
  nodes: string | null
}

function contentOf({ revision, total, nodes }: WindowRow, { rawItem }: ItemWindow): ItemWindowContent {
  if (rawItem) return { revision, total, nodes: [], rawJson: nodes ?? '[]' }
  return { revision, total, nodes: nodes === null ? [] : JSON.parse(nodes) }
}

function selectWindows(window: ItemWindow, owners: readonly ItemOwner[], totals: Totals): Prisma.Sql {
  const page = Prisma.sql`(${selectWindow(window)}) AS page`
  const nodes = window.rawItem
    ? // Of json_agg and this only this one writes as JSON.stringify does, without spaces.
      Prisma.sql`SELECT array_to_json(ARRAY(SELECT page FROM ${page}))`
    : Prisma.sql`SELECT json_agg(page) FROM ${page}`
  return Prisma.sql`
    SELECT owner.n, (SELECT revision FROM datasets WHERE id = owner.dataset_id) AS revision, list.total,
           (${nodes})::text AS nodes
      FROM ${ownerTable(owners)}
     CROSS JOIN LATERAL (SELECT ${window.isCounted ? totals(window) : Prisma.sql`NULL::integer`} AS total) AS list`
}

/** The first page is read as it is walked; of a deeper one only the index is, and then the rows of the page are fetched. */
function selectWindow(window: ItemWindow): Prisma.Sql {
  const { limit, offset, passOver = offset, sort, isCounted, projection, rawItem, isForCursor } = window
  const columns = rawItem ? rawItemColumns(rawItem) : itemColumns(projection, isForCursor ? ['datasetId', sort] : [])
  const among = Prisma.sql`FROM items i WHERE ${isSelected(window)} AND ${isBetween(window)}`
  if (offset === 0) {
    // The planner knows the greatest limit: else it would reckon with a tenth of all items, find no plan good enough to be
    // kept, and plan the statement anew each time at a third of what the answer takes.
    return Prisma.sql`SELECT * FROM (SELECT ${columns} ${among} ORDER BY ${orderOf(window)} LIMIT ${GREATEST_LIMIT}) AS first LIMIT ${limit}`
  }
  const isThere = isCounted ? Prisma.sql`list.total > ${offset}::bigint` : Prisma.sql`true`
  return Prisma.sql`
    SELECT ${columns}
      FROM (SELECT i.id ${among} AND ${isThere}
             ORDER BY ${orderOf(window)} LIMIT ${limit} OFFSET ${passOver}::bigint) AS place
      JOIN items i ON i.id = place.id
     ORDER BY ${orderOf(window)}`
}

/** The places of every so many items of an owner's list from a position on, if it is longer than the window's offset. */
export async function fetchBookmarks(
  prisma: Prisma.TransactionClient,
  window: ItemWindow,
  owner: ItemOwner,
  { after, steps, step, totals }: { after: ItemPosition | undefined; steps: number; step: number; totals: Totals },
): Promise<{ revision: bigint | null; bookmarks: ItemPosition[] }> {
  const value = window.sort === 'name' ? Prisma.sql`i.name` : Prisma.sql`${SORT_COLUMN[window.sort]} AT TIME ZONE 'UTC'`
  const [row] = await prisma.$queryRaw<{ revision: bigint | null; bookmarks: string | null }[]>`
    SELECT (SELECT revision FROM datasets WHERE id = owner.dataset_id) AS revision, (
             SELECT json_agg(json_build_object('value', value, 'id', id) ORDER BY n) FROM (
               SELECT value, id, row_number() OVER () AS n FROM (
                 SELECT ${value} AS value, i.id FROM items i
                  WHERE ${isSelected(window)} AND ${isBetween({ ...window, after })} AND list.total > ${window.offset}::bigint
                  ORDER BY ${orderOf(window)} LIMIT ${steps * step}::bigint
               ) AS walked
             ) AS numbered WHERE n % ${step}::bigint = 0
           )::text AS bookmarks
      FROM ${ownerTable([owner])}
     CROSS JOIN LATERAL (SELECT ${totals(window)} AS total) AS list`
  return { revision: row?.revision ?? null, bookmarks: JSON.parse(row?.bookmarks ?? '[]') }
}

/** Whether each owner has items before a position, in one statement. */
export async function haveItemsBefore(
  prisma: Prisma.TransactionClient,
  selection: ItemSelection & ItemOrder,
  owners: readonly OwnerPosition[],
): Promise<boolean[]> {
  const values = owners.map((owner) => owner.value)
  const ids = owners.map((owner) => owner.id)
  const position = { value: Prisma.sql`position.value`, id: Prisma.sql`position.id` }
  const rows = await prisma.$queryRaw<{ found: boolean }[]>`
    SELECT (SELECT i.id FROM items i
             WHERE ${isSelected(selection)} AND ${isBeyond(selection, 'before', position)}
             ORDER BY ${orderOf(selection)} LIMIT 1) IS NOT NULL AS found
      FROM ${ownerTable(owners)}
      JOIN unnest(${values}::text[], ${ids}::uuid[]) WITH ORDINALITY AS position (value, id, n) USING (n)
     ORDER BY n`
  return rows.map((row) => row.found)
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

/** An expression for how many items the `owner` has: looked up where they are kept, or counted. */
export type Totals = (selection: ItemSelection) => Prisma.Sql

export const countedTotals: Totals = (selection) =>
  Prisma.sql`(SELECT count(*) FROM items i WHERE ${isSelected(selection)})::integer`

/** The database keeps how many there are of each list that can be asked for, but of children under a filter. */
export const storedTotals: Totals = (selection) => {
  const { among, administrativeAreaCode, categoryCode } = selection
  const filters = named('area', administrativeAreaCode) + named('category', categoryCode)
  if (among === 'children' && filters !== '') return countedTotals(selection)
  const list =
    among === 'children' ? Prisma.sql`'children of ' || owner.parent_item_id` : Prisma.sql`${among + filters}`
  return Prisma.sql`coalesce((
      SELECT kept.n FROM item_counts kept WHERE kept.dataset_id = owner.dataset_id AND kept.list = ${list}
    ), 0)`
}

/** A filter in the name of a list, as the database's list_name has it. */
function named(filter: string, code: string | undefined): string {
  return code === undefined ? '' : ` ${filter} '${code.replaceAll("'", "''")}'`
}

/** One owner is given as it is, which the planner likes better than a list of one. */
function ownerTable(owners: readonly ItemOwner[]): Prisma.Sql {
  const [owner] = owners
  if (owner && owners.length === 1) {
    return Prisma.sql`(SELECT ${owner.datasetId}::uuid AS dataset_id, ${owner.parentItemId}::uuid AS parent_item_id, 1 AS n) AS owner`
  }
  const datasetIds = owners.map((owner) => owner.datasetId)
  const parentItemIds = owners.map((owner) => owner.parentItemId)
  return Prisma.sql`unnest(${datasetIds}::uuid[], ${parentItemIds}::uuid[])
                      WITH ORDINALITY AS owner (dataset_id, parent_item_id, n)`
}

function isSelected({ among, administrativeAreaCode, categoryCode }: ItemSelection): Prisma.Sql {
  const conditions = [Prisma.sql`i.dataset_id = owner.dataset_id`]
  if (among === 'roots') conditions.push(Prisma.sql`i.parent_item_id IS NULL`)
  if (among === 'children') conditions.push(Prisma.sql`i.parent_item_id = owner.parent_item_id`)
  if (administrativeAreaCode) conditions.push(Prisma.sql`i.administrative_area_code = ${administrativeAreaCode}`)
  if (categoryCode) conditions.push(Prisma.sql`i.category_code = ${categoryCode}`)
  return Prisma.join(conditions, ' AND ')
}

function isBetween({ after, before, ...order }: ItemOrder & ItemBounds): Prisma.Sql {
  const conditions = [Prisma.sql`true`]
  if (after) conditions.push(isBeyond(order, 'after', bound(after)))
  if (before) conditions.push(isBeyond(order, 'before', bound(before)))
  return Prisma.join(conditions, ' AND ')
}

/** Compares rows as a whole, which an index on the same columns can answer. */
function isBeyond(
  { sort, order }: ItemOrder,
  side: keyof ItemBounds,
  { value, id }: Record<keyof ItemPosition, Prisma.Sql>,
) {
  const position = sort === 'name' ? Prisma.sql`(${value}::text, ${id})` : Prisma.sql`(${value}::timestamptz, ${id})`
  const item = Prisma.sql`(${SORT_COLUMN[sort]}, i.id)`
  const isGreater = (order === 'asc') === (side === 'after')
  return isGreater ? Prisma.sql`${item} > ${position}` : Prisma.sql`${item} < ${position}`
}

function bound({ value, id }: ItemPosition) {
  return { value: Prisma.sql`${value}`, id: Prisma.sql`${id}::uuid` }
}

function orderOf({ sort, order }: ItemOrder): Prisma.Sql {
  const column = SORT_COLUMN[sort]
  return order === 'asc' ? Prisma.sql`${column}, i.id` : Prisma.sql`${column} DESC, i.id DESC`
}
