import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Share, TileSelection } from '../arguments.ts'
import { onlyCategory } from '../selection.ts'
import {
  bitsBelowCluster,
  CATEGORY_ZOOMS,
  type CellRange,
  cellRange,
  countedZoomFor,
  MAX_FEATURES,
  MAX_SHARES,
  positionInTile,
  rangeAtZoom,
  type TileAddress,
  type TileFeature,
} from '../tile.ts'
import { among, itemsOf, type Scope, select, whereSelected } from './select.ts'
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
  const text = selection.text === undefined ? undefined : await foldText(reader, selection.text)
  const source = { tile, scope, shares, whereSelected: whereSelected(selection, text?.words) }
  const isWhole = Object.values(selection).every((member) => member === undefined)
  const categoryCode = onlyCategory(selection)
  const rows =
    (isWhole && ((await fetchFew(reader, source)) ?? (await fetchCounted(reader, source, 'items')))) ||
    (categoryCode !== undefined && (await fetchCounted(reader, source, { categoryCode }))) ||
    (await fetchFound(reader, source, isWhole ? undefined : whereWith(text, selection)))
  return rows.map((row) => toFeature(tile, row))
}

interface TileSource {
  tile: TileAddress
  scope: Scope
  shares: Share | undefined
  /** SQL condition of a selected item `i` whose place is known. No index need find it. */
  whereSelected: Prisma.Sql
}

/** Returns the items of a tile, by a walk in an index; undefined if they are too many for features. */
async function fetchFew(reader: SqlReader, { tile, scope }: TileSource): Promise<Row[] | undefined> {
  const limit = MAX_FEATURES + 1
  const rows = await fetchRows(
    reader,
    Prisma.sql`
    SELECT ${ROWS_OF_ITEMS}::text AS rows FROM (
      SELECT i.* FROM unnest(${[...scope]}::uuid[]) AS scope (dataset_id)
       CROSS JOIN LATERAL (
              SELECT i.id, i.name, i.category_code, i.dataset_id, i.tile_cell FROM items i
               WHERE i.dataset_id = scope.dataset_id AND ${whereInRange(Prisma.sql`i.tile_cell`, cellRange(tile))}
               ORDER BY i.tile_cell LIMIT ${limit}
            ) AS i
       LIMIT ${limit}
    ) AS i`,
  )
  return (rows?.length ?? 0) > MAX_FEATURES ? undefined : (rows ?? [])
}

/** Returns the squares of a tile by stored counts; undefined if there are none, or if its items are few enough for features. */
async function fetchCounted(reader: SqlReader, source: TileSource, counted: Counted): Promise<Row[] | undefined> {
  const { tile, scope, shares } = source
  const zoom = countedZoomFor(tile, shares === 'categoryCode' ? CATEGORY_ZOOMS : zoomsOf(counted))
  if (zoom === undefined) return undefined
  const whereInTile = whereInRange(Prisma.sql`t.cell`, rangeAtZoom(tile, zoom))
  const square = Prisma.sql`t.cell >> ${bitsBelowCluster(tile, zoom)}::integer AS square`
  const partColumns = Prisma.sql`t.dataset_id, ${square}, t.n, t.sum_x::float8, t.sum_y::float8`
  const parts = select(partColumns, among(countsOf(counted, scope, zoom), whereInTile))
  const ofCategories = countsOf(counted === 'items' ? 'categories' : counted, scope, zoom)
  const byCategory = select(
    Prisma.sql`${square}, t.category_code AS value, sum(t.n) AS n`,
    among(ofCategories, whereInTile),
    Prisma.sql`GROUP BY 1, 2`,
  )
  return fetchClusters(reader, source, { tables: Prisma.sql`part AS MATERIALIZED (${parts})`, byCategory })
}

/**
 * Returns the features of a tile, from its selected items.
 * @param where is an SQL condition by which indexes find them; undefined if all are selected
 */
async function fetchFound(reader: SqlReader, source: TileSource, where: Prisma.Sql | undefined): Promise<Row[]> {
  const { tile, scope } = source
  const whereInTile = whereInRange(Prisma.sql`i.tile_cell`, cellRange(tile))
  const items = among(itemsOf(scope), whereInTile, ...(where ? [Prisma.sql`${NEVER_PREPARE} ${where}`] : []))
  const square = Prisma.sql`tile_cell >> ${bitsBelowCluster(tile)}::integer AS square`
  // A mean would need the cell of every item. The middle between the first and the last cell needs only two cells.
  const tables = Prisma.sql`
    found AS MATERIALIZED (${select(Prisma.sql`i.dataset_id, i.tile_cell, i.category_code`, items)}),
    part AS MATERIALIZED (
      SELECT dataset_id, square, n, n * (even_bits(first) + even_bits(last)) / 2.0 AS sum_x,
             n * (even_bits(first >> 1) + even_bits(last >> 1)) / 2.0 AS sum_y
        FROM (SELECT dataset_id, ${square}, count(*) AS n, min(tile_cell) AS first, max(tile_cell) AS last
                FROM found GROUP BY 1, 2) AS part
    )`
  const byCategory = Prisma.sql`SELECT ${square}, category_code AS value, count(*) AS n FROM found GROUP BY 1, 2`
  const few = Prisma.sql`
    SELECT ${ROWS_OF_ITEMS} FROM (SELECT DISTINCT dataset_id, tile_cell FROM found) AS place
     CROSS JOIN LATERAL (${selectInCell(Prisma.sql`place.dataset_id`, Prisma.sql`place.tile_cell`)}) AS i
     WHERE ${source.whereSelected}`
  return (await fetchClusters(reader, source, { tables, byCategory, few })) ?? []
}

/** SQL for the squares of a tile. */
interface Squares {
  /** Tables of WITH. Of these, `part` has parts of the squares (dataset_id, square, n), and the sums of their cells' columns and rows (sum_x, sum_y). */
  tables: Prisma.Sql
  /** SELECT of the number of items of each category in each square (square, value, n). */
  byCategory: Prisma.Sql
  /** SELECT of the rows of a tile whose items are few enough for features. */
  few?: Prisma.Sql
}

/** Returns the squares of a tile that have items: the number of items, and the item if it is the only one. */
function fetchClusters(
  reader: SqlReader,
  { shares, whereSelected }: TileSource,
  { tables, byCategory, few = Prisma.sql`NULL::json` }: Squares,
): Promise<Row[] | undefined> {
  // An only item has the mean place of its square.
  const place = Prisma.sql`spread_bits(cluster.x) | (spread_bits(cluster.y) << 1)`
  return fetchRows(
    reader,
    Prisma.sql`
    WITH ${tables}, cluster AS MATERIALIZED (
      SELECT square, sum(n)::integer AS n, floor(sum(sum_x) / sum(n))::integer AS x, floor(sum(sum_y) / sum(n))::integer AS y,
             (array_agg(dataset_id))[1] AS dataset_id
        FROM part GROUP BY square HAVING sum(n) > 0
    ), share AS MATERIALIZED (${selectShares(shares, byCategory)})
    SELECT CASE WHEN (SELECT sum(n) FROM cluster) BETWEEN 1 AND ${MAX_FEATURES} THEN (${few}) ELSE (
             SELECT coalesce(json_agg(json_build_array(x, y, n, item.columns, share.counts) ORDER BY square), '[]')
               FROM cluster
               LEFT JOIN share USING (square)
               LEFT JOIN LATERAL (
                      SELECT ${ITEM} AS columns FROM (${selectInCell(Prisma.sql`cluster.dataset_id`, place)}) AS i
                       WHERE n = 1 AND ${whereSelected} LIMIT 1
                    ) AS item ON true
           ) END::text AS rows`,
  )
}

/** SQL for the shares of a tile's squares: square, and a JSON text with the number of items of each value (counts). */
function selectShares(shares: Share | undefined, byCategory: Prisma.Sql): Prisma.Sql {
  if (shares === undefined) return Prisma.sql`SELECT NULL::bigint AS square, NULL::text AS counts`
  const byDataset = Prisma.sql`SELECT square, dataset_id::text AS value, sum(n) AS n FROM part GROUP BY 1, 2`
  return Prisma.sql`
      SELECT square, json_object_agg(value, n ORDER BY n DESC, value COLLATE "C")::text AS counts
        FROM (SELECT *, row_number() OVER (PARTITION BY square ORDER BY n DESC, value COLLATE "C") AS rank
                FROM (${shares === 'datasetId' ? byDataset : byCategory}) AS counted WHERE n > 0) AS ranked
       WHERE rank <= ${MAX_SHARES} GROUP BY square`
}

/** SQL for the `ItemColumns` of an item `i`. */
const ITEM = Prisma.sql`json_build_array(i.id, i.name, i.category_code, i.dataset_id)`

/** SQL for the rows of items `i`. */
const ROWS_OF_ITEMS = Prisma.sql`
  json_agg(json_build_array(even_bits(i.tile_cell), even_bits(i.tile_cell >> 1), 1, ${ITEM}, NULL) ORDER BY i.tile_cell, i.id)`

/** The items in a cell. With OFFSET 0, PostgreSQL finds them by their cell, and reads no other items. */
function selectInCell(datasetId: Prisma.Sql, cell: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT * FROM items WHERE dataset_id = ${datasetId} AND tile_cell = (${cell}) OFFSET 0`
}

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
