import { NEVER_PREPARE } from '../../database/raw-sql.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Share, TileSelection } from '../arguments.ts'
import type { Selection } from '../selection.ts'
import {
  bitsBelowCluster,
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
import { among, anyOf, type Items, itemsOf, type Scope, select } from './select.ts'
import { whereFound } from './words.ts'

/*
 * The features of a map tile. A tile with few items contains all of them. A tile with many items is divided into squares, and
 * contains one feature for each square: its only item, or a cluster. Clusters come from stored counts. At high zooms, where a
 * tile is small, and where the tile shows selected items only, they come from an index of the items.
 */

type ItemRow = [x: number, y: number, id: string, name: string, categoryCode: string, datasetId: string]
type ClusterRow = [x: number, y: number, total: number, item: ItemRow | null, shares: string | null]

/** Returns the features of the selected items of a tile, in a fixed order: by cell, then id. */
export async function fetchTile(
  reader: SqlReader,
  tile: TileAddress,
  selection: TileSelection,
  scope: Scope,
): Promise<TileFeature[]> {
  const { shares, ...selected } = selection
  const source = { tile, scope, shares, where: await conditionOf(reader, selected) }
  const items = await fetchItems(reader, source)
  if (items.length <= MAX_FEATURES) return items.map((row) => itemFeature(tile, row))
  const clusters = await fetchClusters(reader, source)
  return clusters.map(([x, y, total, item, counts]) =>
    item
      ? itemFeature(tile, item)
      : { ...position(tile, x, y), properties: { total, ...(counts !== null && { shares: counts }) } },
  )
}

/** The items from which a tile is made. */
interface TileSource {
  tile: TileAddress
  scope: Scope
  /** SQL condition of an item `i`; undefined if all items are selected. */
  where: Prisma.Sql | undefined
  shares: Share | undefined
}

async function conditionOf(reader: SqlReader, selection: Selection): Promise<Prisma.Sql | undefined> {
  if (Object.values(selection).every((member) => member === undefined)) return undefined
  return Prisma.sql`${NEVER_PREPARE} ${await whereFound(reader, selection)}`
}

/** The selected items of the tile. */
function itemsIn({ tile, scope, where }: TileSource): Items {
  return among(itemsOf(scope), whereInRange(Prisma.sql`i.tile_cell`, cellRange(tile)), ...(where ? [where] : []))
}

/** Returns the items of a tile, but at most one more than a tile may contain. */
async function fetchItems(reader: SqlReader, source: TileSource): Promise<ItemRow[]> {
  const limit = MAX_FEATURES + 1
  return readRows(
    await reader.$queryRaw<JsonRow[]>`
    WITH ${source.where ? selectedItems(source) : firstItems(source, limit)}
    SELECT json_agg(${ITEM} ORDER BY i.tile_cell, i.id)::text AS rows FROM (SELECT * FROM found LIMIT ${limit}) AS i`,
  )
}

/** The columns of the table `found`. */
const FOUND = Prisma.sql`i.id, i.name, i.category_code, i.dataset_id, i.tile_cell`

/** SQL for the table `found` of the first items of a tile in each dataset, which is a walk in an index. */
function firstItems({ tile, scope }: TileSource, limit: number): Prisma.Sql {
  return Prisma.sql`found AS (
    SELECT i.* FROM unnest(${[...scope]}::uuid[]) AS scope (dataset_id)
     CROSS JOIN LATERAL (
            SELECT ${FOUND} FROM items i
             WHERE i.dataset_id = scope.dataset_id AND ${whereInRange(Prisma.sql`i.tile_cell`, cellRange(tile))}
             ORDER BY i.tile_cell LIMIT ${limit}
          ) AS i
  )`
}

/**
 * SQL for the table `found` of the selected items of a tile. PostgreSQL plans a materialized one for all of its rows. With the limit
 * it would walk all items of the tile in search of a few.
 */
function selectedItems(source: TileSource): Prisma.Sql {
  return Prisma.sql`found AS MATERIALIZED (${select(FOUND, itemsIn(source))})`
}

/** Returns the squares of a tile that have items: the number of items, and the item if it is the only one. */
async function fetchClusters(reader: SqlReader, source: TileSource): Promise<ClusterRow[]> {
  const bits = bitsBelowCluster(source.tile)
  return readRows(
    await reader.$queryRaw<JsonRow[]>`
    WITH cluster AS MATERIALIZED (
      SELECT square, sum(n)::integer AS n, div(sum(sum_x), sum(n))::integer AS x, div(sum(sum_y), sum(n))::integer AS y,
             (array_agg(dataset_id))[1] AS dataset_id
        FROM (${selectCounts(source)}) AS counted GROUP BY square HAVING sum(n) > 0
    ), share AS MATERIALIZED (${selectShares(source)})
    SELECT json_agg(json_build_array(x, y, n, item.columns, share.counts) ORDER BY square)::text AS rows
      FROM cluster
      LEFT JOIN share USING (square)
      LEFT JOIN LATERAL (
             SELECT ${ITEM} AS columns
               FROM (SELECT * FROM items
                      WHERE n = 1 AND dataset_id = cluster.dataset_id
                        AND tile_cell >= (square << ${bits}::integer) AND tile_cell < ((square + 1) << ${bits}::integer)
                     -- PostgreSQL would otherwise read all selected items for each square.
                     OFFSET 0) AS i
              WHERE ${source.where ?? Prisma.sql`true`}
              LIMIT 1
           ) AS item ON true`,
  )
}

/** SQL for parts of a tile's squares: dataset_id, square, number of items (n), and the sums of their cells' columns and rows. */
function selectCounts(source: TileSource): Prisma.Sql {
  const { tile, scope, where } = source
  const zoom = countedZoomFor(tile)
  if (zoom !== undefined && !where) {
    return Prisma.sql`
      SELECT c.dataset_id, c.cell >> ${bitsBelowCluster(tile, zoom)}::integer AS square, c.n, c.sum_x, c.sum_y
        FROM tile_counts c
       WHERE c.dataset_id = ${anyOf(scope)} AND c.level = ${zoom}::smallint
         AND ${whereInRange(Prisma.sql`c.cell`, rangeAtZoom(tile, zoom))}`
  }
  const columns = Prisma.sql`
    i.dataset_id, i.tile_cell >> ${bitsBelowCluster(tile)}::integer AS square, count(*) AS n, min(i.tile_cell) AS first, max(i.tile_cell) AS last`
  // A mean would need the cell of every item. The middle between the first and the last cell needs only two cells.
  return Prisma.sql`
    SELECT dataset_id, square, n, n * (even_bits(first) + even_bits(last)) / 2 AS sum_x,
           n * (even_bits(first >> 1) + even_bits(last >> 1)) / 2 AS sum_y
      FROM (${select(columns, itemsIn(source), Prisma.sql`GROUP BY 1, 2`)}) AS part`
}

/** SQL for the shares of a tile's squares: square, and a JSON text with the number of items of each value (counts). */
function selectShares(source: TileSource): Prisma.Sql {
  const { tile, shares } = source
  if (shares === undefined) return Prisma.sql`SELECT NULL::bigint AS square, NULL::text AS counts`
  const values =
    shares === 'datasetId'
      ? Prisma.sql`SELECT square, dataset_id::text AS value, sum(n) AS n FROM (${selectCounts(source)}) AS part GROUP BY 1, 2`
      : select(
          Prisma.sql`i.tile_cell >> ${bitsBelowCluster(tile)}::integer AS square, i.category_code AS value, count(*) AS n`,
          itemsIn(source),
          Prisma.sql`GROUP BY 1, 2`,
        )
  return Prisma.sql`
      SELECT square, json_object_agg(value, n ORDER BY n DESC, value COLLATE "C")::text AS counts
        FROM (SELECT *, row_number() OVER (PARTITION BY square ORDER BY n DESC, value COLLATE "C") AS rank
                FROM (${values}) AS counted WHERE n > 0) AS ranked
       WHERE rank <= ${MAX_SHARES} GROUP BY square`
}

/** SQL for the `ItemRow` of an item `i`. */
const ITEM = Prisma.sql`json_build_array(
  even_bits(i.tile_cell), even_bits(i.tile_cell >> 1), i.id, i.name, i.category_code, i.dataset_id)`

function whereInRange(number: Prisma.Sql, { first, end }: CellRange): Prisma.Sql {
  return Prisma.sql`${number} >= ${first}::bigint AND ${number} < ${end}::bigint`
}

interface JsonRow {
  rows: string | null
}

/** Parses the rows of a statement that returns them as one JSON text. */
function readRows<Row>([row]: readonly JsonRow[]): Row[] {
  return JSON.parse(row?.rows ?? '[]')
}

function itemFeature(tile: TileAddress, [x, y, id, name, categoryCode, datasetId]: ItemRow): TileFeature {
  return { ...position(tile, x, y), properties: { id, name, categoryCode, datasetId } }
}

/** Returns the position in a tile of the cell with column x and row y. */
function position(tile: TileAddress, x: number, y: number): { x: number; y: number } {
  return { x: positionInTile(tile, x), y: positionInTile(tile, y) }
}
