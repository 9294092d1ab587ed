import { type Item, Prisma } from '../generated/prisma/client.ts'
import type { ItemSort, SortOrder } from './arguments.ts'

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

export type ItemWindow = ItemSelection & ItemOrder & ItemBounds & { limit: number; offset: number }

/** An owner, and a position in the order of its items. */
export type OwnerPosition = ItemOwner & ItemPosition

/** The columns of an item of the table `i`, named as Prisma names them. */
export const ITEM_COLUMNS = Prisma.sql`
  i.id, i.dataset_id AS "datasetId", i.external_id AS "externalId", i.name, i.description,
  i.administrative_area_code AS "administrativeAreaCode", i.category_code AS "categoryCode",
  i.parent_item_id AS "parentItemId", i.street_address AS "streetAddress", i.address_region AS "addressRegion",
  i.address_locality AS "addressLocality", i.postal_code AS "postalCode", i.road_address AS "roadAddress",
  i.jibun_address AS "jibunAddress", i.latitude, i.longitude, i.thumbnail_url AS "thumbnailUrl",
  i.contact_name AS "contactName", i.telephone, i.email, i.url, i.opening_hours AS "openingHours",
  i.extra_attributes AS "extraAttributes", i.created_at AS "createdAt", i.updated_at AS "updatedAt"`

const SORT_COLUMN: Record<ItemSort, Prisma.Sql> = {
  name: Prisma.sql`i.name`,
  createdAt: Prisma.sql`i.created_at`,
  updatedAt: Prisma.sql`i.updated_at`,
}

/** The window of each owner's items, in order, in one statement. */
export async function fetchItemPages(
  prisma: Prisma.TransactionClient,
  window: ItemWindow,
  owners: readonly ItemOwner[],
): Promise<Item[][]> {
  const rows = await prisma.$queryRaw<(Item & { owner: number })[]>`
    SELECT owner.n::integer AS owner, ${ITEM_COLUMNS}
      FROM ${ownerTable(owners)}
     CROSS JOIN LATERAL (
            SELECT i.id FROM items i
             WHERE ${isSelected(window)} AND ${isBetween(window)}
             ORDER BY ${orderOf(window)}
             LIMIT ${window.limit} OFFSET ${window.offset}::bigint
          ) AS page
      JOIN items i ON i.id = page.id
     ORDER BY ${orderOf(window)}`
  const pages = owners.map((): Item[] => [])
  for (const { owner, ...item } of rows) pages[owner - 1]?.push(item)
  return pages
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
    SELECT EXISTS (SELECT FROM items i
                    WHERE ${isSelected(selection)} AND ${isBeyond(selection, 'before', position)}) AS found
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
): Promise<number[]> {
  const rows = await prisma.$queryRaw<{ total: number }[]>`
    SELECT (SELECT count(*) FROM items i WHERE ${isSelected(selection)})::integer AS total
      FROM ${ownerTable(owners)}
     ORDER BY owner.n`
  return rows.map((row) => row.total)
}

function ownerTable(owners: readonly ItemOwner[]): Prisma.Sql {
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
