/*
 * Map tiles. At zoom z, the Web Mercator square (EPSG:3857) is divided into 2^z by 2^z tiles, with x eastwards from 180° west
 * and y southwards from 85.0511° north. The database assigns each item to a cell, which is a tile at zoom 30 (`tile_cell`). It numbers
 * the cells in Morton order (prisma/functions/tile_cell_of.sql), so the cells in a tile have consecutive numbers.
 */

/** A tile: its zoom, column and row. */
export interface TileAddress {
  z: number
  x: number
  y: number
}

/** An item or a cluster, and its position from the top left corner of the tile, in units of 1/4096 of the tile's width. */
export interface TileFeature {
  x: number
  y: number
  properties: TileItem | TileCluster
}

/** The properties of an item in a tile. */
interface TileItem {
  id: string
  name: string
  categoryCode: string
  datasetId: string
}

/** The properties of a cluster: its number of items, which is two or more. */
interface TileCluster {
  total: number
  /** The number of items with each value, as a JSON object in a text: a property of a vector tile is no object. */
  shares?: string
}

export const MAX_ZOOM = 18

/** Units along a tile's edge. At `MAX_ZOOM` a unit is a cell. */
export const TILE_EXTENT = 4096

/** A cluster tells its most frequent values, so that its size has a bound. */
export const MAX_SHARES = 64

/** The zoom of a cell. */
export const CELL_ZOOM = 30

/** A tile with many items is divided into 16 by 16 squares, each with at most one feature. A square is a tile 4 zooms higher. */
const CLUSTER_ZOOMS = 4
/** Maximum number of features in a tile. */
export const MAX_FEATURES = 4 ** CLUSTER_ZOOMS

/** Zooms for which the database counts the items of each tile (prisma/functions/count_tiles.sql). */
export const COUNTED_ZOOMS = [5, 9, 13, 17] as const
/** Zooms for which it counts those of each category too. */
export const CATEGORY_ZOOMS = [5, 9] as const

/** A range of numbers in Morton order, from `first` (included) to `end` (excluded). */
export interface CellRange {
  first: bigint
  end: bigint
}

/** Returns the numbers of the tiles of a higher zoom in a tile. */
export function rangeAtZoom(tile: TileAddress, zoom: number): CellRange {
  const number = BigInt(mortonNumber(tile))
  const bits = BigInt(2 * (zoom - tile.z))
  return { first: number << bits, end: (number + 1n) << bits }
}

/** Returns the number of a tile among the tiles of its zoom in Morton order, up to zoom 24. */
export function mortonNumber({ x, y }: TileAddress): number {
  // Bitwise operators have 32 bits.
  return (spreadBits(x >> 12) + 2 * spreadBits(y >> 12)) * 2 ** 24 + spreadBits(x & 4095) + 2 * spreadBits(y & 4095)
}

/** The inverse of `mortonNumber`: the even bits of the number are the column, and the odd ones the row. */
export function tileOfNumber(z: number, number: number): TileAddress {
  const [high, low] = [Math.floor(number / 2 ** 24), number % 2 ** 24]
  return { z, x: evenBits(high) * 4096 + evenBits(low), y: evenBits(high >> 1) * 4096 + evenBits(low >> 1) }
}

/** Puts a zero before each of 12 bits. */
function spreadBits(number: number): number {
  let bits = (number | (number << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}

function evenBits(number: number): number {
  let bits = number & 0x55555555
  bits = (bits | (bits >> 1)) & 0x33333333
  bits = (bits | (bits >> 2)) & 0x0f0f0f0f
  bits = (bits | (bits >> 4)) & 0x00ff00ff
  return (bits | (bits >> 8)) & 0x0000ffff
}

/** Returns the numbers of the cells in a tile. */
export function cellRange(tile: TileAddress): CellRange {
  return rangeAtZoom(tile, CELL_ZOOM)
}

/** Returns the number of bits to shift out of a cell for the number of its tile at a zoom. */
export function bitsBelow(zoom: number): number {
  return 2 * (CELL_ZOOM - zoom)
}

/** Returns the lowest of the counted zooms that is fine enough for a tile's clusters; undefined if there is none. */
export function countedZoomFor({ z }: TileAddress, zooms: readonly number[] = COUNTED_ZOOMS): number | undefined {
  return zooms.find((zoom) => zoom >= z + CLUSTER_ZOOMS)
}

/**
 * Returns the number of bits to shift out of the number of a tile at `zoom` (by default, of a cell). The result is the number of
 * its square.
 */
export function bitsBelowCluster({ z }: TileAddress, zoom = CELL_ZOOM): number {
  return 2 * (zoom - z - CLUSTER_ZOOMS)
}

/** Returns where a latitude is on the map, from 0 in the north to less than 1 in the south. Beyond the edge of the map it is that edge. */
export function rowAt(latitude: number): number {
  const sine = Math.sin((Math.max(-90, Math.min(90, latitude)) * Math.PI) / 180)
  const row = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
  return Math.max(0, Math.min(row, 1 - Number.EPSILON))
}

/** Returns the position in a tile (0 to 4095) of a column or row of cells. */
export function positionInTile({ z }: TileAddress, cell: number): number {
  return (cell >> (MAX_ZOOM - z)) % TILE_EXTENT
}
