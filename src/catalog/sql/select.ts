import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type BoundingBox, cellsOfRange, rangesOf } from '../box.ts'
import { coverOf, isBeyondMap } from '../circle.ts'
import { type FilterValues, splitFilters, whereFilters } from '../filters.ts'
import type { Window } from '../page.ts'
import { itemsAt, jsonText } from '../projection.ts'
import type { Circle, Selection } from '../selection.ts'
import type { CellRange } from '../tile.ts'

/*
 * Selects items. In the SQL, `i` is the table of items. All doors select items by the conditions of this file.
 */

/** UUIDs of the datasets to search. */
export type Scope = readonly string[]

/** Items: the tables of FROM, one of which is `i`, and a condition. */
export interface Items {
  from: Prisma.Sql
  where: Prisma.Sql
}

/** SQL for a SELECT of items. `rest` is what follows its conditions. */
export function select(columns: Prisma.Sql, { from, where }: Items, rest = Prisma.empty): Prisma.Sql {
  return Prisma.sql`SELECT ${columns} FROM ${from} WHERE ${where} ${rest}`
}

/** Runs statements that return a row each as one. Returns the rows in the order of the statements. */
export async function fetchTogether<Row>(reader: SqlReader, statements: readonly Prisma.Sql[]) {
  const selects = statements.map((one, n) => Prisma.sql`SELECT ${n}::integer AS place, one.* FROM (${one}) AS one`)
  const rows = await reader.$queryRaw<(Row & { place: number })[]>(Prisma.join(selects, ' UNION ALL '))
  return rows.sort((a, b) => a.place - b.place).map(({ place: _, ...row }) => row)
}

/** Those of the items that match a condition too. */
export function among({ from, where }: Items, ...conditions: readonly Prisma.Sql[]): Items {
  return { from, where: allOf([where, ...conditions]) }
}

/** SQL condition: every condition is true. */
export function allOf(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join([...conditions], ' AND ')
}

/** All items of the datasets. */
export function itemsOf(scope: Scope): Items {
  return { from: Prisma.sql`items i`, where: Prisma.sql`i.dataset_id = ${anyOf(scope)}` }
}

/** SQL on the right of `dataset_id =`. */
export function anyOf(scope: Scope): Prisma.Sql {
  return Prisma.sql`ANY (${[...scope]}::uuid[])`
}

/**
 * The items in the cells of a row of the table `part` (first, "end") that have the values of filters, through the index on dataset,
 * cell and codes. Without OFFSET 0 the planner would use the index of a filter, and read all matching items for each part.
 * @param dataset SQL on the right of `dataset_id =`
 */
export function itemsOfPart(filters: FilterValues, dataset = Prisma.sql`part.dataset_id`): Items {
  const { codes, texts } = splitFilters(filters)
  const from = Prisma.sql`(
    SELECT * FROM items i
     WHERE i.dataset_id = ${dataset} AND i.tile_cell >= part.first AND i.tile_cell < part."end"
       AND ${whereFilters(codes)} OFFSET 0
  ) AS i`
  return { from, where: whereFilters(texts) }
}

/** The same of each row. `parts` is the table `part`. */
export function itemsOfParts(parts: Prisma.Sql, filters: FilterValues, dataset?: Prisma.Sql): Items {
  const { from, where } = itemsOfPart(filters, dataset)
  return { from: Prisma.sql`${parts} CROSS JOIN LATERAL ${from}`, where }
}

/**
 * SQL condition: the item matches every member of the selection.
 * @param words are the folded words of its text; a text without words finds nothing
 */
export function whereSelected(selection: Omit<Selection, 'text'>, words?: readonly string[]): Prisma.Sql {
  const { within, circle, updatedFrom, updatedTo } = selection
  const conditions = [whereFilters(selection), ...(words ?? []).map(whereWord)]
  if (words?.length === 0) conditions.push(Prisma.sql`false`)
  if (within) conditions.push(whereInBox(within))
  if (circle) conditions.push(whereInCircle(circle))
  if (updatedFrom) conditions.push(Prisma.sql`i.updated_at >= ${updatedFrom.toISOString()}::timestamptz`)
  if (updatedTo) conditions.push(Prisma.sql`i.updated_at <= ${updatedTo.toISOString()}::timestamptz`)
  return allOf(conditions)
}

function whereWord(word: string): Prisma.Sql {
  return Prisma.sql`(${whereInName(word)} OR strpos(i.folded_keywords, ${word}) > 0)`
}

/** SQL condition: the folded name has the word. */
export function whereInName(word: string): Prisma.Sql {
  return Prisma.sql`strpos(i.folded_name, ${word}) > 0`
}

/** SQL condition: the item is in the box. Text keeps the decimals of the box: PostgreSQL would round a float. */
export function whereInBox({ west, south, east, north }: BoundingBox): Prisma.Sql {
  const degrees = (value: number) => Prisma.sql`${String(value)}::text::numeric`
  const isEast = Prisma.sql`i.longitude >= ${degrees(west)}`
  const isWest = Prisma.sql`i.longitude <= ${degrees(east)}`
  const whereBetween = west <= east ? Prisma.sql`${isEast} AND ${isWest}` : Prisma.sql`(${isEast} OR ${isWest})`
  return Prisma.sql`i.latitude >= ${degrees(south)} AND i.latitude <= ${degrees(north)} AND ${whereBetween}`
}

/** SQL condition: the item is in the circle. ST_DWithin and ST_Distance on the WGS 84 spheroid decide (docs/rest.md). */
export function whereInCircle(circle: Circle): Prisma.Sql {
  return Prisma.sql`ST_DWithin(i.location, ${centreOf(circle)}, ${circle.radius}::float8)`
}

/**
 * SQL condition: the item is in a tile that may be in the circle, or beyond the edge of the map if the circle is. PostgreSQL chooses between the index
 * on cells and another one, by the number of items that it expects in each.
 */
export function whereNear(circle: Circle): Prisma.Sql {
  if (isBeyondMap(circle)) return Prisma.sql`abs(i.latitude) > 85`
  const { z, tiles } = coverOf(circle, { most: 64, lastZoom: 20 })
  const isIn = ({ first, end }: CellRange) =>
    Prisma.sql`i.tile_cell >= ${String(first)}::bigint AND i.tile_cell < ${String(end)}::bigint`
  return Prisma.sql`${NEVER_PREPARE} (${Prisma.join(
    rangesOf(tiles).map((range) => isIn(cellsOfRange(range, z))),
    ' OR ',
  )})`
}

/** SQL for the centre, as a PostGIS geography. In a subquery, so that PostgreSQL computes it once and not for each item. */
function centreOf({ latitude, longitude }: Circle): Prisma.Sql {
  return Prisma.sql`(SELECT ST_SetSRID(ST_MakePoint(${longitude}::float8, ${latitude}::float8), 4326)::geography)`
}

/** SQL for a table `hit` (id, distance) of those of the items that are in the circle, for WITH. */
export function hitsInCircle(circle: Circle, items: Items): Prisma.Sql {
  const columns = Prisma.sql`i.id, ST_Distance(i.location, ${centreOf(circle)}) AS distance`
  return Prisma.sql`hit AS MATERIALIZED (${select(columns, among(items, whereInCircle(circle)))})`
}

/** SQL for the number of rows of `hit`. */
export const TOTAL_OF_HITS = Prisma.sql`(SELECT count(*) FROM hit)::integer`

/** The orders of hits: nearest first, or best first and then by name. */
const ORDERS = { distance: Prisma.sql`place.distance, place.id`, name: Prisma.sql`place.rank, place.name, place.id` }

/**
 * SQL for the items of a window of the table `hit` (id, and the columns of the order), as JSON text.
 * @param hits is the table
 */
export function pageOfHits(
  { limit, offset, projection }: Window,
  order: keyof typeof ORDERS,
  hits = Prisma.sql`hit`,
): Prisma.Sql {
  // In subqueries, so that PostgreSQL finds a plan for all limits no worse than one for this limit, and does not plan each search anew.
  const places = Prisma.sql`
    SELECT * FROM ${hits} AS place ORDER BY ${ORDERS[order]} LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
  return jsonText(itemsAt(places, ORDERS[order], projection, order === 'distance' ? ['distance'] : []))
}
