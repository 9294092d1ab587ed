import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { CELL_ZOOM, COUNTED_ZOOMS } from '../tile.ts'

/*
 * The extents of datasets, without a scan. `tile_counts` knows the tiles that have items. The tiles at the edges of the dataset are
 * found zoom by zoom, so only the items in the last of them are compared.
 */

/**
 * The box and the time interval that contain all items of a dataset: degrees, and `updatedAt`. West is greater than east if the box
 * crosses the antimeridian, which it does if it is then at most 180 degrees wide.
 */
export interface Extent {
  west: number
  south: number
  east: number
  north: number
  from: Date
  to: Date
}

interface Row {
  /** Longitudes below 0, and from 0 on. Null if there is none. */
  first_negative: number | null
  last_negative: number | null
  first_positive: number | null
  last_positive: number | null
  south: number
  north: number
  /** Milliseconds of Unix time. */
  first_updated_at: number
  last_updated_at: number
}

/** Returns the extent of each dataset; null for a dataset without items. Takes one statement. */
export async function fetchExtents(reader: SqlReader, datasetIds: readonly string[]): Promise<(Extent | null)[]> {
  const negative = Prisma.sql`FILTER (WHERE i.longitude < 0)`
  const positive = Prisma.sql`FILTER (WHERE i.longitude >= 0)`
  const isInTile = inAbove(Prisma.sql`i.tile_cell`, CELL_ZOOM - COUNTED_ZOOMS[3])
  const rows = await reader.$queryRaw<Row[]>`
    SELECT edge.*, ${updatedAt(Prisma.sql`min`)} AS first_updated_at, ${updatedAt(Prisma.sql`max`)} AS last_updated_at
      FROM unnest(${[...datasetIds]}::uuid[]) WITH ORDINALITY AS owner (dataset_id, n)
     CROSS JOIN LATERAL (
            SELECT min(i.longitude) ${negative}::float8 AS first_negative, max(i.longitude) ${negative}::float8 AS last_negative,
                   min(i.longitude) ${positive}::float8 AS first_positive, max(i.longitude) ${positive}::float8 AS last_positive,
                   min(i.latitude)::float8 AS south, max(i.latitude)::float8 AS north
              FROM (${TILES_AT_EDGES}) AS above
             CROSS JOIN LATERAL (
                    SELECT * FROM items i WHERE i.dataset_id = owner.dataset_id AND ${isInTile} OFFSET 0
                  ) AS i
          ) AS edge
     ORDER BY owner.n`
  return rows.map(toExtent)
}

function toExtent({ south, north, first_updated_at, last_updated_at, ...row }: Row): Extent | null {
  const { first_negative, last_negative, first_positive, last_positive } = row
  const [west, east] = [first_negative ?? first_positive, last_positive ?? last_negative]
  if (west === null || east === null) return null
  // A wider box across the antimeridian says less than one from the smallest longitude to the greatest.
  const isAcross = first_positive !== null && last_negative !== null && first_positive - last_negative >= 180
  return {
    ...(isAcross ? { west: first_positive, east: last_negative } : { west, east }),
    ...{ south, north, from: new Date(first_updated_at), to: new Date(last_updated_at) },
  }
}

/**
 * SELECT of the tiles (cell) of the last counted zoom in the first and last row of the tiles of `owner`, and in the first and last column of each
 * half of the world. Longitude 180 is in the column of -180, so a tile with items in no other column of cells is of neither half.
 */
const TILES_AT_EDGES = COUNTED_ZOOMS.reduce((above, zoom, n) => {
  const middle = 2 ** (zoom - 1)
  const isInside = inAbove(Prisma.sql`cell`, zoom - (COUNTED_ZOOMS[n - 1] ?? 0))
  return Prisma.sql`
    SELECT cell FROM (
      SELECT tile.cell, x IN (min(x) OVER half, max(x) OVER half) OR y IN (min(y) OVER (), max(y) OVER ()) AS is_at_edge
        FROM (${above}) AS above
       CROSS JOIN LATERAL (
              SELECT cell, sum_x, even_bits(cell) AS x, even_bits(cell >> 1) AS y FROM tile_counts
               WHERE dataset_id = owner.dataset_id AND level = ${zoom}::smallint AND ${isInside}
              -- PostgreSQL might otherwise read all tiles for each of the ones above.
              OFFSET 0
            ) AS tile
      WINDOW half AS (PARTITION BY CASE WHEN sum_x > 0 THEN x < ${middle}::integer END)
    ) AS tile WHERE is_at_edge`
}, Prisma.sql`SELECT 0::bigint AS cell`)

/** SQL condition: the number of a tile, so many zooms higher, is inside the tile `above`. */
function inAbove(number: Prisma.Sql, zooms: number): Prisma.Sql {
  const bits = Prisma.sql`${2 * zooms}::integer`
  return Prisma.sql`${number} >= (above.cell << ${bits}) AND ${number} < ((above.cell + 1) << ${bits})`
}

/** The first or last time of update, in milliseconds of Unix time. */
function updatedAt(extreme: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT extract(epoch FROM ${extreme}(i.updated_at)) * 1000 FROM items i WHERE i.dataset_id = owner.dataset_id)::float8`
}
