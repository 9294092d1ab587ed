import { readError, send } from '../shared/api.ts'
import { pointsOf, type TilePoint } from './vector-tile.ts'

/*
 * The tiles of a dataset. The box of its items is read from a few tiles, however many items there are.
 */

/** Returns the address template of the tiles of a dataset, or of all datasets. */
export function tileTemplate(dataset: string | undefined): string {
  return `${location.origin}/tiles/${encodeURIComponent(dataset ?? 'all')}/{z}/{x}/{y}.mvt`
}

/** Reads the points of one tile. */
export async function readTile(
  dataset: string | undefined,
  [z, x, y]: readonly [number, number, number],
  signal: AbortSignal,
): Promise<TilePoint[]> {
  const path = tileTemplate(dataset).replace('{z}', `${z}`).replace('{x}', `${x}`).replace('{y}', `${y}`)
  const response = await send(path, { signal })
  if (!response.ok) throw await readError(response)
  return pointsOf(new Uint8Array(await response.arrayBuffer()))
}

/** West, south, east, north in degrees. */
export type Bounds = [number, number, number, number]

/** The number of zooms from one round to the next, and the last zoom. */
const ZOOM_STEP = 4
const MAX_ZOOM = 12
const MAX_TILES = 9
/** A tile is divided into squares. A cluster is at the mean position of its items, which may be anywhere in its square. */
const SQUARES = 16
/** From the first to the last position in a square; a tile has 4,096 positions. */
const SQUARE_WIDTH = 1 / SQUARES - 1 / 4096

/**
 * Finds the box of a dataset's items; undefined if it has none. It starts with the tile of the whole world. Each round reads
 * tiles four zooms deeper, while the box fits into a few of them.
 */
export async function findBounds(dataset: string | undefined, signal: AbortSignal): Promise<Bounds | undefined> {
  let box = boxOf((await readTile(dataset, [0, 0, 0], signal)).flatMap(cornersOf))
  if (!box) return undefined
  for (let z = ZOOM_STEP; z <= MAX_ZOOM; z += ZOOM_STEP) {
    const tiles = tilesOver(box, z)
    if (tiles.length > MAX_TILES) break
    const points = await Promise.all(
      tiles.map(async ([x, y]) =>
        (await readTile(dataset, [z, x & (2 ** z - 1), y], signal)).flatMap(cornersOf).map((point) => ({
          x: (x + point.x) / 2 ** z,
          y: (y + point.y) / 2 ** z,
        })),
      ),
    )
    box = boxOf(points.flat()) ?? box
  }
  const [west, north, east, south] = box
  return [longitudeOf(west), latitudeOf(south), longitudeOf(east), latitudeOf(north)]
}

/** A box in web Mercator, where the world is from 0 to 1: west, north, east, south. Across the antimeridian, east is above 1. */
type Box = [number, number, number, number]

/** Returns the positions that the items of a point may have: that of an item, or two corners of a cluster's square. */
function cornersOf({ x, y, total }: TilePoint): { x: number; y: number }[] {
  if (total === 1) return [{ x, y }]
  const west = Math.floor(x * SQUARES) / SQUARES
  const north = Math.floor(y * SQUARES) / SQUARES
  return [
    { x: west, y: north },
    { x: west + SQUARE_WIDTH, y: north + SQUARE_WIDTH },
  ]
}

function boxOf(points: readonly { x: number; y: number }[]): Box | undefined {
  if (points.length === 0) return undefined
  const ys = points.map(({ y }) => y)
  const xs = points.map(({ x }) => x)
  const shifted = xs.map((x) => (x < 0.5 ? x + 1 : x))
  const width = (values: number[]) => Math.max(...values) - Math.min(...values)
  // Only a dataset around the antimeridian gets a box across it, not one of the whole world.
  const across = width(shifted) < Math.min(0.5, width(xs)) ? shifted : xs
  return [Math.min(...across), Math.min(...ys), Math.max(...across), Math.max(...ys)]
}

function tilesOver([west, north, east, south]: Box, z: number): [number, number][] {
  const size = 2 ** z
  const index = (value: number) => Math.min(size - 1, Math.max(0, Math.floor(value * size)))
  const tiles: [number, number][] = []
  for (let x = Math.floor(west * size); x <= Math.floor(east * size); x++) {
    for (let y = index(north); y <= index(south); y++) {
      if (tiles.push([x, y]) > MAX_TILES) return tiles
    }
  }
  return tiles
}

function longitudeOf(x: number): number {
  return x * 360 - 180
}

function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
}
