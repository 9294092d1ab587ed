/*
 * The grid of cubes in which the database counts items. Coordinates are earth-centred, earth-fixed (ECEF) on the WGS 84
 * ellipsoid, in metres: x points to 0° east on the equator, y to 90° east, z to the north pole. In space there are no poles
 * and no antimeridian. The SQL function `cube_of` (migration 20261121000001_counts) computes the same cubes: its constants
 * and its numbering must stay equal to those here.
 */

export interface Point {
  x: number
  y: number
  z: number
}

/** The edge of a cube in metres, by level. A cube of the next level has eight times the edge. */
export const CUBE_EDGES = [128, 1024, 8192, 65_536] as const
export type CubeLevel = 0 | 1 | 2 | 3

/** The number of a cube is that of the cube around it on the next level, followed by nine bits: three for each axis. */
export const BITS_PER_LEVEL = 9

const ORIGIN = -8_388_608
const SEMI_MAJOR_AXIS = 6_378_137
const SEMI_MINOR_AXIS = 6_356_752.314245179
const ECCENTRICITY_SQUARED = 0.0066943799901413165
/** The smallest radius of curvature of the ellipsoid, which is that of the meridian at the equator. */
const LEAST_RADIUS_OF_CURVATURE = 6_335_439
/** Metres. Much more than the error of floating-point arithmetic, and much less than an edge. */
const MARGIN = 0.01

/** The point on the ellipsoid at a latitude and longitude in degrees. */
export function pointAt(latitude: number, longitude: number): Point {
  const phi = (latitude * Math.PI) / 180
  const lambda = (longitude * Math.PI) / 180
  const normal = SEMI_MAJOR_AXIS / Math.sqrt(1 - ECCENTRICITY_SQUARED * Math.sin(phi) ** 2)
  return {
    x: normal * Math.cos(phi) * Math.cos(lambda),
    y: normal * Math.cos(phi) * Math.sin(lambda),
    z: normal * (1 - ECCENTRICITY_SQUARED) * Math.sin(phi),
  }
}

/**
 * A lower and an upper bound, in metres, for the geodesic distance from a centre to the points of the ellipsoid in a cube. The
 * straight line to a point is never longer than the geodesic. The geodesic is never longer than the arc over the same straight
 * line on a sphere with the ellipsoid's smallest radius of curvature.
 */
export function distancesTo(centre: Point, level: CubeLevel, cube: number): { nearest: number; farthest: number } {
  const edge = CUBE_EDGES[level]
  const place = placeOf(level, cube)
  const x = axisTo(centre.x, place.x, edge)
  const y = axisTo(centre.y, place.y, edge)
  const z = axisTo(centre.z, place.z, edge)
  const diameter = 2 * LEAST_RADIUS_OF_CURVATURE
  const farthest = Math.sqrt(x.far * x.far + y.far * y.far + z.far * z.far)
  return {
    nearest: Math.sqrt(x.near * x.near + y.near * y.near + z.near * z.near) - MARGIN,
    farthest: diameter * Math.asin(Math.min(1, farthest / diameter)) + MARGIN,
  }
}

/** The smallest and the greatest distance from a coordinate to a cube, along one axis. */
function axisTo(coordinate: number, place: number, edge: number): { near: number; far: number } {
  const first = ORIGIN + place * edge - coordinate
  const last = first + edge
  return { near: Math.max(first, -last, 0), far: Math.max(-first, last) }
}

/** The index of a cube along each axis. The number has up to 51 bits, and JavaScript's bitwise operators have 32. */
function placeOf(level: CubeLevel, cube: number): Point {
  const levelAbove = above(level)
  if (levelAbove === undefined) return { x: cube >> 16, y: (cube >> 8) & 255, z: cube & 255 }
  const within = cube % 2 ** BITS_PER_LEVEL
  const around = placeOf(levelAbove, Math.floor(cube / 2 ** BITS_PER_LEVEL))
  return { x: around.x * 8 + (within >> 6), y: around.y * 8 + ((within >> 3) & 7), z: around.z * 8 + (within & 7) }
}

/** The number of the cube with these indexes; the inverse of `placeOf`. */
function numberOf(level: CubeLevel, { x, y, z }: Point): number {
  const levelAbove = above(level)
  if (levelAbove === undefined) return (x << 16) | (y << 8) | z
  const around = { x: Math.floor(x / 8), y: Math.floor(y / 8), z: Math.floor(z / 8) }
  return numberOf(levelAbove, around) * 2 ** BITS_PER_LEVEL + (((x % 8) << 6) | ((y % 8) << 3) | (z % 8))
}

function above(level: CubeLevel): CubeLevel | undefined {
  return ([1, 2, 3, undefined] as const)[level]
}

/**
 * Cubes that contain all points of the ellipsoid within a radius of a centre. The level is chosen so that there are at most
 * about 20. Cubes that the ellipsoid's surface does not intersect are left out.
 */
export function coverOf(centre: Point, radius: number): { level: CubeLevel; cubes: number[] } {
  const level = ([0, 1, 2] as const).find((level) => radius <= 2.5 * CUBE_EDGES[level]) ?? 3
  const edge = CUBE_EDGES[level]
  const range = (value: number) => {
    const first = Math.floor((value - radius - MARGIN - ORIGIN) / edge)
    const last = Math.floor((value + radius + MARGIN - ORIGIN) / edge)
    return Array.from({ length: last - first + 1 }, (_, n) => first + n)
  }
  const cubes: number[] = []
  for (const x of range(centre.x)) {
    for (const y of range(centre.y)) {
      for (const z of range(centre.z)) {
        if (!isOnSurface({ x, y, z }, edge)) continue
        const cube = numberOf(level, { x, y, z })
        if (distancesTo(centre, level, cube).nearest <= radius) cubes.push(cube)
      }
    }
  }
  return { level, cubes }
}

/** Whether the ellipsoid's surface may intersect a cube: if so, the cube's middle is at most half a diagonal from it. */
function isOnSurface(place: Point, edge: number): boolean {
  const middle = (n: number) => ORIGIN + (n + 0.5) * edge
  const [x, y, z] = [middle(place.x), middle(place.y), middle(place.z)]
  const scale = Math.sqrt((x * x + y * y) / SEMI_MAJOR_AXIS ** 2 + (z * z) / SEMI_MINOR_AXIS ** 2)
  // The distance along the ray from the earth's centre. It differs from the vertical by at most a fifth of a degree.
  const height = Math.abs(1 - 1 / scale) * Math.sqrt(x * x + y * y + z * z)
  return height * 0.9999 <= (edge * Math.sqrt(3)) / 2 + MARGIN
}
