/*
 * Map tiles in the Web Mercator square (EPSG:3857): at zoom z it is divided into 2^z by 2^z tiles, with x eastwards from 180°
 * west and y southwards from 85.0511° north. The database gives each item a cell, as if at zoom 30, and numbers the cells in
 * Morton order (prisma/migrations: tile_cell_of): all cells of a tile are one range of numbers.
 */

/** A tile: its zoom, column and row. */
export interface TileAddress {
  z: number
  x: number
  y: number
}

/** An item or a cluster, at a position in the tile: from its top left corner, in units of 1/4096 of its width. */
export interface TileFeature {
  x: number
  y: number
  properties: TileItem | TileCluster
}

/** The properties of an item in a tile. */
export interface TileItem {
  id: string
  name: string
  categoryCode: string
  datasetId: string
}

/** The number of items that are close together, two or more. */
export interface TileCluster {
  total: number
}

export const MAX_ZOOM = 18

/** Units along a tile's edge. At the highest zoom a unit is a cell. */
export const TILE_EXTENT = 4096

const CELL_ZOOM = 30

/** A tile with many items is divided into 16 by 16 squares, each with one feature at most. */
const CLUSTER_ZOOMS = 4
/** Features in a tile, at most. */
export const MAX_FEATURES = 4 ** CLUSTER_ZOOMS

/** Zooms for which the database counts the items of each tile (prisma/migrations: tile_counts). */
const COUNTED_ZOOMS = [5, 9, 13, 17] as const

/** The numbers of the cells in a tile: from `first` to before `end`. */
export interface CellRange {
  first: bigint
  end: bigint
}

/** The range of a tile among the tiles of another, higher zoom, numbered in Morton order. */
export function rangeAtZoom({ z, x, y }: TileAddress, zoom: number): CellRange {
  let number = 0n
  for (let bit = z - 1; bit >= 0; bit -= 1) number = number * 4n + BigInt(((y >> bit) & 1) * 2 + ((x >> bit) & 1))
  const bits = BigInt(2 * (zoom - z))
  return { first: number << bits, end: (number + 1n) << bits }
}

/** The range of a tile among the cells of items. */
export function cellRange(tile: TileAddress): CellRange {
  return rangeAtZoom(tile, CELL_ZOOM)
}

/** The lowest zoom of counts that are fine enough for a tile's clusters; undefined for none. */
export function countedZoomFor({ z }: TileAddress): number | undefined {
  return COUNTED_ZOOMS.find((zoom) => zoom >= z + CLUSTER_ZOOMS)
}

/** The number of bits to remove from a tile's number at a zoom (by default a cell's number) to get that of its cluster's square. */
export function bitsBelowCluster({ z }: TileAddress, zoom = CELL_ZOOM): number {
  return 2 * (zoom - z - CLUSTER_ZOOMS)
}

/** The position in a tile of a cell in it, given by the cell's column or row. */
export function positionInTile({ z }: TileAddress, cell: number): number {
  return (cell >> (MAX_ZOOM - z)) % TILE_EXTENT
}
