import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { COUNTED_ZOOMS } from '../tile.ts'

/*
 * The extents of datasets, without a scan. `tile_counts` knows the tiles that have items. The tiles at an edge of the dataset are
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

const [FIRST_ZOOM, ...NEXT_ZOOMS] = COUNTED_ZOOMS
/** Bits of a cell's number below a tile of the last zoom. */
const BITS_IN_LAST_TILE = 26
/** Bits from one of these zooms to the next. */
const BITS_PER_STEP = 8

interface Row {
  first_longitude: number | null
  west_column_last_longitude: number
  first_longitude_below_180: number | null
  last_longitude: number
  /** The first longitude from 0 to below 180, and the last one below 0. Null if there is none. */
  first_positive: number | null
  last_negative: number | null
  first_latitude: number
  last_latitude: number
  /** Milliseconds of Unix time. */
  first_updated_at: number
  last_updated_at: number
}

/** Returns the extent of each dataset; null for a dataset without items. Takes one statement. */
export async function fetchExtents(reader: SqlReader, datasetIds: readonly string[]): Promise<(Extent | null)[]> {
  const rows = await reader.$queryRaw<Row[]>`
    SELECT west.first_longitude, west.last_longitude AS west_column_last_longitude, below_180.first_longitude AS first_longitude_below_180,
           east.last_longitude, positive.first_longitude AS first_positive, negative.last_longitude AS last_negative,
           south.first_latitude, north.last_latitude, ${updatedAt('ASC')} AS first_updated_at, ${updatedAt('DESC')} AS last_updated_at
      FROM unnest(${[...datasetIds]}::uuid[]) WITH ORDINALITY AS owner (dataset_id, n)
     CROSS JOIN LATERAL (${extremes(COLUMN, 'ASC')}) AS west
      LEFT JOIN LATERAL (${extremes(COLUMN, 'ASC', { tiles: () => Prisma.sql`t.sum_x > 0` })}) AS below_180 ON west.first_longitude = 180
     CROSS JOIN LATERAL (${extremes(COLUMN, 'ASC', POSITIVE)}) AS positive
     CROSS JOIN LATERAL (${extremes(COLUMN, 'DESC', NEGATIVE)}) AS negative
     CROSS JOIN LATERAL (${extremes(COLUMN, 'DESC')}) AS east
     CROSS JOIN LATERAL (${extremes(ROW, 'ASC')}) AS north
     CROSS JOIN LATERAL (${extremes(ROW, 'DESC')}) AS south
     ORDER BY owner.n`
  return rows.map(toExtent)
}

function toExtent(row: Row): Extent | null {
  if (row.first_longitude === null) return null
  return {
    ...(acrossAntimeridian(row) ?? fromSmallestToGreatest(row, row.first_longitude)),
    south: row.first_latitude,
    north: row.last_latitude,
    from: new Date(row.first_updated_at),
    to: new Date(row.last_updated_at),
  }
}

/** A box across the antimeridian, if it is at most half of the world. Wider ones say less than a box from the smallest longitude on. */
function acrossAntimeridian({ first_positive, last_negative: east, west_column_last_longitude }: Row) {
  const west = first_positive ?? (west_column_last_longitude === 180 ? 180 : null)
  return west !== null && east !== null && west - east >= 180 ? { west, east } : undefined
}

function fromSmallestToGreatest(row: Row, first: number) {
  // Longitude 180 is in the first column of tiles. Only there can the first longitude be 180, and the last one can be there too.
  return {
    west: first === 180 ? (row.first_longitude_below_180 ?? 180) : first,
    east: row.west_column_last_longitude === 180 ? 180 : row.last_longitude,
  }
}

type Direction = 'ASC' | 'DESC'

const DIRECTIONS = { ASC: Prisma.sql`ASC`, DESC: Prisma.sql`DESC` }
/** Columns count eastwards, rows southwards. */
const COLUMN = Prisma.sql`even_bits(t.cell)`
const ROW = Prisma.sql`even_bits(t.cell >> 1)`

/** Which tiles `t` of a zoom, and which items `i` in the last ones, are looked at. */
interface Admitted {
  tiles: (zoom: number) => Prisma.Sql
  items?: Prisma.Sql
}

const ALL: Admitted = { tiles: () => Prisma.sql`true` }
/** The column of longitude 0. */
const middleOf = (zoom: number) => Prisma.sql`${2 ** (zoom - 1)}::integer`
const POSITIVE: Admitted = { tiles: (zoom) => Prisma.sql`${COLUMN} >= ${middleOf(zoom)}` }
/** Longitude 180 is in the first column, with the longitudes near -180. */
const NEGATIVE: Admitted = {
  tiles: (zoom) => Prisma.sql`${COLUMN} < ${middleOf(zoom)}`,
  items: Prisma.sql`i.longitude < 0`,
}

/** SELECT of the extreme coordinates of the admitted items in the first or last column or row of the admitted tiles. */
function extremes(place: Prisma.Sql, direction: Direction, admitted = ALL): Prisma.Sql {
  const order = Prisma.sql`ORDER BY ${place} ${DIRECTIONS[direction]} FETCH FIRST 1 ROW WITH TIES`
  const first = Prisma.sql`
    SELECT t.cell FROM tile_counts t
     WHERE t.dataset_id = owner.dataset_id AND t.level = ${FIRST_ZOOM}::smallint AND ${admitted.tiles(FIRST_ZOOM)} ${order}`
  const tiles = NEXT_ZOOMS.reduce(
    (above, zoom) => Prisma.sql`
      SELECT t.cell FROM (${above}) AS above JOIN tile_counts t
          ON t.dataset_id = owner.dataset_id AND t.level = ${zoom}::smallint AND ${whereInside(Prisma.sql`t.cell`, BITS_PER_STEP)}
         AND ${admitted.tiles(zoom)} ${order}`,
    first,
  )
  return Prisma.sql`
    SELECT min(i.longitude)::float8 AS first_longitude, max(i.longitude)::float8 AS last_longitude,
           min(i.latitude)::float8 AS first_latitude, max(i.latitude)::float8 AS last_latitude
      FROM (${tiles}) AS above JOIN items i
        ON i.dataset_id = owner.dataset_id AND ${whereInside(Prisma.sql`i.tile_cell`, BITS_IN_LAST_TILE)} AND ${admitted.items ?? Prisma.sql`true`}`
}

/** SQL condition: the number, which has more bits, is inside the tile `above`. */
function whereInside(number: Prisma.Sql, bits: number): Prisma.Sql {
  return Prisma.sql`${number} >= (above.cell << ${bits}::integer)
                AND ${number} < ((above.cell + 1) << ${bits}::integer)`
}

/** The first or last time of update, in milliseconds of Unix time. */
function updatedAt(direction: Direction): Prisma.Sql {
  const order = DIRECTIONS[direction]
  return Prisma.sql`(
    SELECT (extract(epoch FROM i.updated_at) * 1000)::float8 FROM items i WHERE i.dataset_id = owner.dataset_id
     ORDER BY i.updated_at ${order}, i.id ${order} LIMIT 1)`
}
