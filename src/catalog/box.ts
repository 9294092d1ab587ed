import { bitsBelow, CELL_ZOOM, type CellRange, rowAt } from './tile.ts'

/*
 * A box of latitudes and longitudes, divided into map tiles (tile.ts). The database numbers the cells of items in Morton order, and
 * counts the items of the tiles of some zooms.
 */

/** A box in degrees, edges included. With `west` greater than `east` it crosses the antimeridian (RFC 7946, section 5.2). */
export interface BoundingBox {
  west: number
  south: number
  east: number
  north: number
}

/** A tile. `number` is its number among the tiles of its zoom, in Morton order. */
export interface NumberedTile {
  z: number
  x: number
  y: number
  number: number
}

/** Numbers from `first` to before `end`. */
export interface NumberRange {
  first: number
  end: number
}

/** The tiles of a zoom that a box contains, and the tiles on its border. */
interface Division {
  inside: NumberRange[]
  border: NumberedTile[]
}

interface Interval {
  first: number
  last: number
}

const SIZE = 2 ** CELL_ZOOM
/** Cells. Arithmetic on another computer may differ in the last bit, so the cells at the edges always belong to the border. */
const MARGIN = 2

export const WORLD: NumberedTile = { z: 0, x: 0, y: 0, number: 0 }

/** Divides tiles that a box meets into tiles of a higher zoom. Tiles outside the box are left out. */
export function divide(box: BoundingBox, tiles: readonly NumberedTile[], zoom: number): Division {
  const columns = columnsOf(box)
  const rows = { first: rowOf(box.north), last: rowOf(box.south) }
  const inside: NumberRange[] = []
  const border: NumberedTile[] = []
  const visit = (tile: NumberedTile): void => {
    const { z, x, y, number } = tile
    const across = cellsOf(x, z)
    const down = cellsOf(y, z)
    if (!meets(rows, down) || !columns.some((column) => meets(column, across))) return
    if (contains(rows, down) && columns.some((column) => contains(column, across))) {
      const width = 4 ** (zoom - z)
      appendRange(inside, { first: number * width, end: (number + 1) * width })
    } else if (z === zoom) border.push(tile)
    else for (const child of childrenOf(tile)) visit(child)
  }
  tiles.forEach(visit)
  return { inside, border }
}

/** The cells of consecutive tiles of a zoom, by the numbers of the tiles. */
export function cellsOfRange({ first, end }: NumberRange, zoom: number): CellRange {
  const bits = BigInt(bitsBelow(zoom))
  return { first: BigInt(first) << bits, end: BigInt(end) << bits }
}

function columnsOf({ west, east }: BoundingBox): Interval[] {
  const intervals = west <= east ? [[west, east] as const] : [[west, 180] as const, [-180, east] as const]
  const columns = intervals.map(([from, to]) => ({ first: columnOf(from), last: columnOf(to) }))
  // Longitude 180 is in the column of -180.
  return intervals.some(([, to]) => to === 180) ? [...columns, { first: 0, last: 0 }] : columns
}

function columnOf(longitude: number): number {
  return Math.floor(((longitude + 180) / 360) * SIZE)
}

function rowOf(latitude: number): number {
  return Math.floor(rowAt(latitude) * SIZE)
}

function cellsOf(place: number, z: number): Interval {
  const width = 2 ** (CELL_ZOOM - z)
  return { first: place * width, last: (place + 1) * width - 1 }
}

function meets(edges: Interval, { first, last }: Interval): boolean {
  return edges.first - MARGIN <= last && first <= edges.last + MARGIN
}

function contains(edges: Interval, { first, last }: Interval): boolean {
  return edges.first + MARGIN <= first && last <= edges.last - MARGIN
}

function childrenOf({ z, x, y, number }: NumberedTile): NumberedTile[] {
  return [0, 1, 2, 3].map((n) => ({
    z: z + 1,
    x: x * 2 + (n & 1),
    y: y * 2 + (n >> 1),
    number: number * 4 + n,
  }))
}

/** Returns numbers as ranges of consecutive ones, in order. */
export function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: NumberRange[] = []
  for (const number of [...numbers].sort((a, b) => a - b)) appendRange(ranges, { first: number, end: number + 1 })
  return ranges
}

/** Tiles are visited in the order of their numbers, so a range continues the one before or follows it. */
function appendRange(ranges: NumberRange[], range: NumberRange): void {
  const last = ranges.at(-1)
  if (last?.end === range.first) last.end = range.end
  else ranges.push(range)
}
