import { type CellRange, rangeAtZoom, type TileAddress } from './tile.ts'

/** A box in degrees, edges included. With `west` greater than `east` it crosses the antimeridian (RFC 7946, section 5.2). */
export interface BoundingBox {
  west: number
  south: number
  east: number
  north: number
}

/** The cells of a box (tile.ts): rows and columns from first to last. */
interface CellBox {
  columns: readonly Interval[]
  rows: Interval
}

interface Interval {
  first: number
  last: number
}

const CELL_ZOOM = 30
const SIZE = 2 ** CELL_ZOOM
/** Beyond this latitude, items are in the first and in the last row of cells. */
const MAX_LATITUDE = 85.06
const MAX_TILES = 40

/** Ranges of cells that contain all items of a box, in ascending order, and some around it. */
export function coverBox(box: BoundingBox): CellRange[] {
  const cells = cellsOf(box)
  let tiles: TileAddress[] = [{ z: 0, x: 0, y: 0 }]
  for (let zoom = 0; zoom < CELL_ZOOM; zoom += 1) {
    const finer = tiles.flatMap((tile) =>
      relationTo(cells, tile) === 'inside' ? [tile] : childrenOf(tile).filter((child) => relationTo(cells, child)),
    )
    if (finer.length > MAX_TILES) break
    tiles = finer
  }
  return merge(tiles.map((tile) => rangeAtZoom(tile, CELL_ZOOM)))
}

/** Arithmetic on another computer may differ in the last bit, so the box gets one more cell on each side. */
function cellsOf({ west, south, east, north }: BoundingBox): CellBox {
  const intervals = west <= east ? [[west, east] as const] : [[west, 180] as const, [-180, east] as const]
  const columns = intervals.map(([from, to]) => interval(columnOf(from), columnOf(to)))
  // Longitude 180 is in the column of -180.
  if (intervals.some(([, to]) => to === 180)) columns.push({ first: 0, last: 0 })
  return { columns, rows: interval(rowOf(north), rowOf(south)) }
}

function interval(first: number, last: number): Interval {
  return { first: Math.max(first - 1, 0), last: Math.min(last + 1, SIZE - 1) }
}

function columnOf(longitude: number): number {
  return Math.floor(((longitude + 180) / 360) * SIZE)
}

function rowOf(latitude: number): number {
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude)) * Math.PI) / 180)
  return Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * SIZE)
}

/** Whether a tile is inside the box, or partly; undefined if it is outside. */
function relationTo({ columns, rows }: CellBox, { z, x, y }: TileAddress): 'inside' | 'partly' | undefined {
  const width = 2 ** (CELL_ZOOM - z)
  const across = { first: x * width, last: (x + 1) * width - 1 }
  const down = { first: y * width, last: (y + 1) * width - 1 }
  if (!meets(rows, down) || !columns.some((column) => meets(column, across))) return undefined
  return contains(rows, down) && columns.some((column) => contains(column, across)) ? 'inside' : 'partly'
}

function meets(a: Interval, b: Interval): boolean {
  return a.first <= b.last && b.first <= a.last
}

function contains(outer: Interval, inner: Interval): boolean {
  return outer.first <= inner.first && inner.last <= outer.last
}

function childrenOf({ z, x, y }: TileAddress): TileAddress[] {
  return [0, 1, 2, 3].map((n) => ({ z: z + 1, x: x * 2 + (n & 1), y: y * 2 + (n >> 1) }))
}

function merge(ranges: CellRange[]): CellRange[] {
  const merged: CellRange[] = []
  for (const range of ranges.sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const last = merged.at(-1)
    if (last && last.end >= range.first) last.end = range.end > last.end ? range.end : last.end
    else merged.push({ ...range })
  }
  return merged
}
