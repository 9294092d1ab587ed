import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Share, TileSelection } from '../arguments.ts'
import { comparesNames, type Sizes } from '../plan.ts'
import { onlyCategory, type Selection } from '../selection.ts'
import {
  bitsBelowCluster,
  CATEGORY_ZOOMS,
  type CellRange,
  COUNTED_ZOOMS,
  cellRange,
  countedZoomFor,
  MAX_FEATURES,
  MAX_SHARES,
  positionInTile,
  rangeAtZoom,
  type TileAddress,
  type TileFeature,
} from '../tile.ts'
import { among, type Items, itemsOf, type Scope, select, whereSelected } from './select.ts'
import { type Counted, countsOf, zoomsOf } from './tile-counts.ts'
import { foldText, whereWith } from './words.ts'

/*
 * The features of a map tile. A tile with few items contains all of them. A tile with many items is divided into squares, and
 * contains one feature for each square: its only item, or a cluster. Clusters come from stored counts, if these have the selected items and
 * are fine enough. If not, one statement reads the selected items once.
 */

/** A feature: column and row of its cell, number of items, the item if it is one, shares if it is a cluster. */
type Row = [x: number, y: number, total: number, item: ItemColumns | null, shares: string | null]
type ItemColumns = [id: string, name: string, categoryCode: string, datasetId: string]

/** Returns the features of the selected items of a tile, in a fixed order: by cell, then id. */
export async function fetchTile(
  reader: SqlReader,
  tile: TileAddress,
  { shares, ...selection }: TileSelection,
  scope: Scope,
): Promise<TileFeature[]> {
  const isWhole = Object.values(selection).every((member) => member === undefined)
  const source = { tile, scope, shares }
  const rows = isWhole ? await fetchWhole(reader, source) : await fetchSelected(reader, source, selection)
  return rows.map((row) => toFeature(tile, row))
}

async function fetchWhole(reader: SqlReader, source: TileSource): Promise<Row[]> {
  const few = await fetchFew(reader, Prisma.sql`found AS (${selectFirst(source)})`)
  if (few) return few
  const items = itemsIn(source)
  const whereSelected = Prisma.sql`true`
  return (
    (await fetchCounted(reader, { ...source, whereSelected }, 'items')) ??
    (await fetchFound(reader, { ...source, items, whereSelected })) ??
    []
  )
}

async function fetchSelected(reader: SqlReader, source: TileSource, selection: Selection): Promise<Row[]> {
  const text = selection.text === undefined ? undefined : await foldText(reader, selection.text)
  const categoryCode = onlyCategory(selection)
  const where = whereSelected(selection, text?.words)
  const sizes = text && (await fetchSizes(reader, source))
  const items =
    sizes && comparesNames(sizes, text.share)
      ? { from: Prisma.sql`(${select(Prisma.sql`*`, itemsIn(source), Prisma.sql`OFFSET 0`)}) AS i`, where }
      : among(itemsIn(source), Prisma.sql`${NEVER_PREPARE} ${whereWith(text, selection)}`)
  const selected = { ...source, items, whereSelected: where }
  return (
    (categoryCode !== undefined && (await fetchCounted(reader, selected, { categoryCode }))) ||
    (sizes && sizes.total * text.share > MANY && (await fetchFound(reader, selected))) ||
    // PostgreSQL plans a materialized table for all of its rows. With the limit it would walk all items of the tile in search of a few.
    (await fetchFew(reader, Prisma.sql`found AS MATERIALIZED (${select(COLUMNS, items)})`)) ||
    (await fetchFound(reader, selected)) ||
    []
  )
}

/** If a tile may have so many items with a text, they are not first read as features: the index of grams would be read twice. */
const MANY = 2 * MAX_FEATURES

/** The number of items of a tile, and of all items by PostgreSQL's statistics. A tile at a zoom without counts has none. */
async function fetchSizes(reader: SqlReader, { tile, scope }: TileSource): Promise<Sizes> {
  const zoom = COUNTED_ZOOMS.find((counted) => counted >= tile.z)
  if (zoom === undefined) return { total: 0, size: 0 }
  const counts = among(countsOf('items', scope, zoom), whereInRange(Prisma.sql`t.cell`, rangeAtZoom(tile, zoom)))
  const [row] = await reader.$queryRaw<Sizes[]>`
    SELECT (${select(Prisma.sql`coalesce(sum(t.n), 0)`, counts)})::float8 AS total,
           (SELECT reltuples FROM pg_class WHERE oid = 'items'::regclass)::float8 AS size`
  return row ?? { total: 0, size: 0 }
}

interface TileSource {
  tile: TileAddress
  scope: Scope
  shares: Share | undefined
}

interface SquaresSource extends TileSource {
  /** SQL condition of a selected item `i` whose place is known. */
  whereSelected: Prisma.Sql
}

/** All items of the tile. */
function itemsIn({ tile, scope }: TileSource): Items {
  return among(itemsOf(scope), whereInRange(Prisma.sql`i.tile_cell`, cellRange(tile)))
}

const COLUMNS = Prisma.sql`i.id, i.name, i.category_code, i.dataset_id, i.tile_cell`

/**
 * Returns the items of a tile; undefined if they are too many for features.
 * @param found is the table `found` of the items, for WITH
 */
async function fetchFew(reader: SqlReader, found: Prisma.Sql): Promise<Row[] | undefined> {
  const limit = MAX_FEATURES + 1
  const rows = await fetchRows(
    reader,
    Prisma.sql`
    WITH ${found}
    SELECT ${ROWS_OF_ITEMS}::text AS rows FROM (SELECT * FROM found LIMIT ${limit}) AS i`,
  )
  return rows && rows.length > MAX_FEATURES ? undefined : (rows ?? [])
}

/** SELECT of the first items of a tile in each dataset, which is a walk in an index. */
function selectFirst({ tile, scope }: TileSource): Prisma.Sql {
  return Prisma.sql`
    SELECT i.* FROM unnest(${[...scope]}::uuid[]) AS scope (dataset_id)
     CROSS JOIN LATERAL (
            SELECT ${COLUMNS} FROM items i
             WHERE i.dataset_id = scope.dataset_id AND ${whereInRange(Prisma.sql`i.tile_cell`, cellRange(tile))}
             ORDER BY i.tile_cell LIMIT ${MAX_FEATURES + 1}
          ) AS i`
}

/** Returns the squares of a tile by stored counts; undefined if there are none, or if its items are few enough for features. */
async function fetchCounted(reader: SqlReader, source: SquaresSource, counted: Counted): Promise<Row[] | undefined> {
  const { tile, scope, shares } = source
  const zoom = countedZoomFor(tile, shares === 'categoryCode' ? CATEGORY_ZOOMS : zoomsOf(counted))
  if (zoom === undefined) return undefined
  const whereInTile = whereInRange(Prisma.sql`t.cell`, rangeAtZoom(tile, zoom))
  const square = Prisma.sql`t.cell >> ${bitsBelowCluster(tile, zoom)}::integer AS square`
  const columns = Prisma.sql`t.dataset_id, ${square}, t.n, t.sum_x::float8, t.sum_y::float8`
  const byCategory = select(
    Prisma.sql`${square}, t.category_code AS value, t.n`,
    among(countsOf(counted === 'items' ? 'categories' : counted, scope, zoom), whereInTile),
  )
  return fetchSquares(reader, source, {
    parts: select(columns, among(countsOf(counted, scope, zoom), whereInTile)),
    x: Prisma.sql`floor(sum(sum_x) / sum(n))`,
    y: Prisma.sql`floor(sum(sum_y) / sum(n))`,
    byCategory,
  })
}

/** Returns the squares of a tile, from its selected items; undefined if these are few enough for features. */
function fetchFound(reader: SqlReader, source: SquaresSource & { items: Items }): Promise<Row[] | undefined> {
  const category = source.shares === 'categoryCode' ? Prisma.sql`i.category_code` : Prisma.sql`NULL::text`
  const columns = Prisma.sql`
    i.dataset_id, i.tile_cell >> ${bitsBelowCluster(source.tile)}::integer AS square, ${category} AS value,
    count(*) AS n, min(i.tile_cell) AS first, max(i.tile_cell) AS last`
  return fetchSquares(reader, source, {
    parts: select(columns, source.items, Prisma.sql`GROUP BY 1, 2, 3`),
    // A mean would need the cell of every item. The middle between the first and the last cell needs only two cells.
    x: Prisma.sql`(even_bits(min(first)) + even_bits(max(last))) / 2`,
    y: Prisma.sql`(even_bits(min(first) >> 1) + even_bits(max(last) >> 1)) / 2`,
    byCategory: Prisma.sql`SELECT square, value, n FROM part`,
  })
}

/** SQL for the squares of a tile. */
interface Squares {
  /** SELECT of parts of the squares, the table `part`: dataset_id, square, number of items (n), and what `x` and `y` need. */
  parts: Prisma.Sql
  /** The column of cells where the feature of a square is, by the parts of the square. */
  x: Prisma.Sql
  /** The row. */
  y: Prisma.Sql
  /** SELECT of numbers of items of a category in a square (square, value, n). */
  byCategory: Prisma.Sql
}

/**
 * Returns the squares of a tile that have items: the number of items, and the item if it is the only one; undefined if all items are few
 * enough for features.
 */
function fetchSquares(
  reader: SqlReader,
  { shares, whereSelected }: SquaresSource,
  { parts, x, y, byCategory }: Squares,
): Promise<Row[] | undefined> {
  return fetchRows(
    reader,
    Prisma.sql`
    WITH part AS MATERIALIZED (${parts}), cluster AS MATERIALIZED (
      SELECT square, sum(n)::integer AS n, ${x}::integer AS x, ${y}::integer AS y, (array_agg(dataset_id))[1] AS dataset_id
        FROM part GROUP BY square HAVING sum(n) > 0
    ), share AS MATERIALIZED (${selectShares(shares, byCategory)})
    SELECT json_agg(json_build_array(x, y, n, item.columns, share.counts) ORDER BY square)::text AS rows
      FROM cluster
      LEFT JOIN share USING (square)
      LEFT JOIN LATERAL (
             SELECT ${ITEM} AS columns
               FROM (SELECT * FROM items
                      -- The feature of an only item is in its cell. With OFFSET 0, PostgreSQL reads no other items.
                      WHERE dataset_id = cluster.dataset_id AND tile_cell = (spread_bits(x) | (spread_bits(y) << 1)) OFFSET 0) AS i
              WHERE n = 1 AND ${whereSelected} LIMIT 1
           ) AS item ON true
     HAVING sum(n) > ${MAX_FEATURES}`,
  )
}

/** SQL for the shares of a tile's squares: square, and a JSON text with the number of items of each value (counts). */
function selectShares(shares: Share | undefined, byCategory: Prisma.Sql): Prisma.Sql {
  if (shares === undefined) return Prisma.sql`SELECT NULL::bigint AS square, NULL::text AS counts`
  const byDataset = Prisma.sql`SELECT square, dataset_id::text AS value, n FROM part`
  const values = shares === 'datasetId' ? byDataset : byCategory
  return Prisma.sql`
      SELECT square, json_object_agg(value, n ORDER BY n DESC, value COLLATE "C")::text AS counts
        FROM (SELECT *, row_number() OVER (PARTITION BY square ORDER BY n DESC, value COLLATE "C") AS rank
                FROM (SELECT square, value, sum(n) AS n FROM (${values}) AS counted GROUP BY 1, 2) AS counted WHERE n > 0) AS ranked
       WHERE rank <= ${MAX_SHARES} GROUP BY square`
}

/** SQL for the `ItemColumns` of an item `i`. */
const ITEM = Prisma.sql`json_build_array(i.id, i.name, i.category_code, i.dataset_id)`

/** SQL for the rows of items `i`. */
const ROWS_OF_ITEMS = Prisma.sql`
  json_agg(json_build_array(even_bits(i.tile_cell), even_bits(i.tile_cell >> 1), 1, ${ITEM}, NULL) ORDER BY i.tile_cell, i.id)`

function whereInRange(number: Prisma.Sql, { first, end }: CellRange): Prisma.Sql {
  return Prisma.sql`${number} >= ${first}::bigint AND ${number} < ${end}::bigint`
}

/** Reads the rows of a statement that returns them as one JSON text; undefined for NULL. */
async function fetchRows(reader: SqlReader, statement: Prisma.Sql): Promise<Row[] | undefined> {
  const [row] = await reader.$queryRaw<{ rows: string | null }[]>(statement)
  return row?.rows == null ? undefined : JSON.parse(row.rows)
}

function toFeature(tile: TileAddress, [x, y, total, item, shares]: Row): TileFeature {
  const position = { x: positionInTile(tile, x), y: positionInTile(tile, y) }
  if (!item) return { ...position, properties: { total, ...(shares !== null && { shares }) } }
  const [id, name, categoryCode, datasetId] = item
  return { ...position, properties: { id, name, categoryCode, datasetId } }
}
