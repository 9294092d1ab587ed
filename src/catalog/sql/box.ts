import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type BoundingBox, cellsOfRange, divide, type NumberedTile, type NumberRange, WORLD } from '../box.ts'
import { type FilterValues, givenFilters, splitFilters } from '../filters.ts'
import { type CellRange, cellRange } from '../tile.ts'
import { among, anyOf, type Items, itemsOfParts, type Scope, select, whereInBox } from './select.ts'
import { countsOf, zoomsOf } from './tile-counts.ts'

/*
 * How many items, or items of a category, are in a box. Tiles inside the box are counted already; on its border, the decimals of each
 * item decide. A border tile with many items is divided again.
 */

/** Items of a tile that are compared with the box one by one. */
const FEW_ITEMS = 200

/** The items in a box: their number, and where they are. */
export interface BoxContent {
  total: number
  /** Ranges of cells with all of the items, and few others. */
  cells: CellRange[]
}

/** Counts the items in a box, by default those of all categories. */
export async function countInBox(
  reader: SqlReader,
  box: BoundingBox,
  scope: Scope,
  categoryCode?: string,
): Promise<BoxContent> {
  const counted = categoryCode === undefined ? 'items' : { categoryCode }
  const zooms = zoomsOf(counted)
  const cells: CellRange[] = []
  const small: NumberedTile[] = []
  let total = 0
  let heavy: NumberedTile[] = [WORLD]
  for (const zoom of zooms) {
    const { inside, border } = divide(box, heavy, zoom)
    const counts = await fetchCounts(reader, countsOf(counted, scope, zoom), inside, border)
    total += counts.inside
    cells.push(...inside.map((range) => cellsOfRange(range, zoom)))
    const isHeavy = ({ number }: NumberedTile) => (counts.border.get(number) ?? 0) > FEW_ITEMS && zoom !== zooms.at(-1)
    small.push(...border.filter((tile) => counts.border.has(tile.number) && !isHeavy(tile)))
    heavy = border.filter(isHeavy)
    if (heavy.length === 0) break
  }
  const borderCells = small.map(cellRange)
  if (borderCells.length > 0)
    total += await countOnBorder(reader, box, itemsInCells(borderCells, scope, { categoryCode }))
  return { total, cells: [...cells, ...borderCells] }
}

async function fetchCounts(
  reader: SqlReader,
  counts: Items,
  inside: readonly NumberRange[],
  border: readonly NumberedTile[],
): Promise<{ inside: number; border: Map<number, number> }> {
  const isPart = Prisma.sql`t.cell >= part.first AND t.cell < part."end"`
  const isOnBorder = Prisma.sql`t.cell = ANY (${border.map(({ number }) => String(number))}::text[]::bigint[])`
  const [row] = await reader.$queryRaw<{ inside: number; border: string | null }[]>`
    SELECT (SELECT coalesce(sum(tile.n), 0)::integer FROM ${partTable(inside)}
             CROSS JOIN LATERAL (${select(Prisma.sql`sum(t.n) AS n`, among(counts, isPart))}) AS tile) AS inside,
           (SELECT json_agg(json_build_array(tile.cell, tile.n))::text FROM (
              ${select(Prisma.sql`t.cell, sum(t.n) AS n`, among(counts, isOnBorder), Prisma.sql`GROUP BY t.cell`)}
           ) AS tile) AS border`
  return { inside: row?.inside ?? 0, border: new Map(JSON.parse(row?.border ?? '[]')) }
}

async function countOnBorder(reader: SqlReader, box: BoundingBox, items: Items): Promise<number> {
  const inBox = among(items, whereInBox(box))
  const [row] = await reader.$queryRaw<{ total: number }[]>(select(Prisma.sql`count(*)::integer AS total`, inBox))
  return row?.total ?? 0
}

/** The items in the cells that have the codes among the filters. */
export function itemsInCells(cells: readonly CellRange[], scope: Scope, filters: FilterValues = {}): Items {
  const { codes } = splitFilters(filters)
  const planning = givenFilters(codes).length > 0 ? NEVER_PREPARE : Prisma.empty
  return itemsOfParts(Prisma.sql`${planning} ${partTable(cells)}`, codes, anyOf(scope))
}

/** The table `part` (first, "end"). */
function partTable(ranges: readonly { first: number | bigint; end: number | bigint }[]): Prisma.Sql {
  const firsts = ranges.map(({ first }) => String(first))
  const ends = ranges.map(({ end }) => String(end))
  return Prisma.sql`unnest(${firsts}::text[]::bigint[], ${ends}::text[]::bigint[]) AS part (first, "end")`
}
