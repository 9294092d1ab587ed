import type { Circle } from './selection.ts'
import { COUNTED_ZOOMS, mortonNumber, rowAt, type TileAddress } from './tile.ts'

/*
 * Circles on the WGS 84 spheroid, and the map tiles (tile.ts) in them. Distances are measured through the earth, in which the poles and
 * the antimeridian need no special cases.
 */

/** A point in space, in metres from the axis of the earth and metres north of the equator, and its longitude in radians. */
export interface Point {
  fromAxis: number
  north: number
  longitude: number
}

/** The WGS 84 spheroid, in metres. */
const SEMI_MAJOR_AXIS = 6_378_137
const ECCENTRICITY_SQUARED = 0.0066943799901413165
/** The smallest radius of curvature of the spheroid, in metres. It is the radius of the meridian at the equator. */
const LEAST_RADIUS_OF_CURVATURE = 6_335_439
/** Metres. It is much larger than the error of floating-point arithmetic here and in `tile_cell_of`, and much smaller than a tile. */
const MARGIN = 0.01

/** Returns the point on the spheroid at a latitude and longitude in degrees. */
export function pointAt(latitude: number, longitude: number): Point {
  const phi = (latitude * Math.PI) / 180
  return { ...parallelAt(Math.sin(phi), Math.cos(phi)), longitude: (longitude * Math.PI) / 180 }
}

/** The points of a parallel, by the sine and cosine of its latitude. */
function parallelAt(sine: number, cosine: number): Omit<Point, 'longitude'> {
  const normal = SEMI_MAJOR_AXIS / Math.sqrt(1 - ECCENTRICITY_SQUARED * sine * sine)
  return { fromAxis: normal * cosine, north: normal * (1 - ECCENTRICITY_SQUARED) * sine }
}

/** Returns the length in metres of the straight line between two points. */
export function straightLine(a: Point, b: Point): number {
  const halfTurn = Math.sin((a.longitude - b.longitude) / 2)
  const [out, up] = [a.fromAxis - b.fromAxis, a.north - b.north]
  return Math.sqrt(out * out + up * up + 4 * a.fromAxis * b.fromAxis * halfTurn * halfTurn)
}

/**
 * Returns a lower and an upper bound, in metres, for the geodesic distance from a centre to the items in a tile of zoom 2 or higher. The
 * straight line to an item is never longer than the geodesic. The geodesic is never longer than an arc with the same end points on a sphere
 * with the spheroid's smallest radius of curvature.
 */
export function distancesTo(centre: Point, tile: TileAddress): { nearest: number; farthest: number } {
  const { middle, radius } = ballAround(tile)
  const distance = straightLine(centre, middle)
  const diameter = 2 * LEAST_RADIUS_OF_CURVATURE
  return {
    nearest: distance - radius - MARGIN,
    farthest: diameter * Math.asin(Math.min(1, (distance + radius) / diameter)) + MARGIN,
  }
}

/** A ball in space that contains all items of a tile. Of the points of the tile, its corners are the farthest from its middle. */
function ballAround({ z, x, y }: TileAddress): { middle: Point; radius: number } {
  const width = (2 * Math.PI) / 2 ** z
  const [top, bottom] = [edgeOf(z, y), edgeOf(z, y + 1)]
  const middle = {
    fromAxis: (top.fromAxis + bottom.fromAxis) / 2,
    north: (top.north + bottom.north) / 2,
    longitude: (x + 0.5) * width - Math.PI,
  }
  const longitude = x * width - Math.PI
  const toCorner = (edge: Omit<Point, 'longitude'>) => straightLine(middle, { ...edge, longitude })
  return { middle, radius: Math.max(toCorner(top), toCorner(bottom)) }
}

/** The parallel between two rows of tiles. The items beyond the square are in its first and its last row, so these end at the poles. */
function edgeOf(z: number, row: number): Omit<Point, 'longitude'> {
  const rows = 2 ** z
  if (row === 0 || row === rows) return parallelAt(row === 0 ? 1 : -1, 0)
  const height = Math.PI * (1 - (2 * row) / rows)
  return parallelAt(Math.tanh(height), 1 / Math.cosh(height))
}

/** A degree of latitude is longer everywhere. */
const METRES_PER_DEGREE = 110_000

/** The latitude of the edge of the map is 85.0511. The index on locations has the items beyond this one. */
const LAST_LATITUDE = 85

/** Whether all of a circle is beyond the edge of the map, where tiles are strips that reach to a pole. */
export function isBeyondMap({ latitude, radius }: Circle): boolean {
  return Math.abs(latitude) - radius / METRES_PER_DEGREE > LAST_LATITUDE
}

/** Tiles of one zoom that contain a circle. */
export interface Cover {
  z: number
  tiles: number[]
}

/** Of a nearby search, which divides tiles. */
const NEARBY = { most: 20, lastZoom: COUNTED_ZOOMS[3] as number }

/** Returns at most `most` tiles with all items in a circle. They are as small as possible, down to a zoom. */
export function coverOf(circle: Circle, { most, lastZoom } = NEARBY): Cover {
  const { latitude, longitude, radius } = circle
  const up = radius / METRES_PER_DEGREE
  // The latitude of the point that is nearest to a pole.
  const steepest = Math.abs(latitude) + up
  // Along a geodesic, the longitude changes by at most its length over the cosine of its greatest latitude.
  const turn = steepest < 90 ? Math.min(180, up / Math.cos((steepest * Math.PI) / 180)) : 180
  const columns = { from: (longitude - turn + 180) / 360, to: (longitude + turn + 180) / 360 }
  const rows = { from: rowAt(latitude + up), to: rowAt(latitude - up) }
  let z = lastZoom
  while (z > 0 && placesIn(columns, z).count * placesIn(rows, z).count > most) z -= 1
  const centre = pointAt(latitude, longitude)
  const [across, down] = [placesIn(columns, z), placesIn(rows, z)]
  const tiles = Array.from({ length: across.count * down.count }, (_, n) => ({
    z,
    x: (across.first + (n % across.count) + 2 ** z) % 2 ** z,
    y: down.first + Math.floor(n / across.count),
  }))
  return { z, tiles: tiles.filter((tile) => distancesTo(centre, tile).nearest <= radius).map(mortonNumber) }
}

/** A part of the width or height of the map, which is 1. It may begin before 0 or end after 1, beyond the antimeridian. */
interface Span {
  from: number
  to: number
}

/** The columns or rows of a zoom in a part of the map. */
function placesIn({ from, to }: Span, z: number): { first: number; count: number } {
  const size = 2 ** z
  const first = Math.floor(from * size)
  return { first, count: Math.min(size, Math.floor(to * size) - first + 1) }
}
