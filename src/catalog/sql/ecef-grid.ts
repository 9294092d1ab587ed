/*
 * The grid of cubes in which the database counts items. Coordinates are earth-centred, earth-fixed (ECEF) on the WGS 84
 * spheroid, in metres: x points to 0° east on the equator, y to 90° east, z to the north pole. With these coordinates, the
 * poles and the antimeridian need no special cases. The SQL function `cube_of` (prisma/functions) computes the
 * same cubes: its constants and its numbering must be equal to those here.
 */

/** A point in ECEF coordinates, in metres. */
export interface Point {
  x: number
  y: number
  z: number
}

/** The edge of a cube in metres, by level. A cube of the next level has eight times the edge. */
const CUBE_EDGES = [128, 1024, 8192, 65_536] as const
export type CubeLevel = 0 | 1 | 2 | 3

/** A cube's number is the number of its outer cube on the next level, followed by nine bits: three for each axis. */
export const BITS_PER_LEVEL = 9

/** The lowest coordinate of the grid on each axis, in metres. */
const ORIGIN = -8_388_608
/** The WGS 84 spheroid, in metres. */
const SEMI_MAJOR_AXIS = 6_378_137
const SEMI_MINOR_AXIS = 6_356_752.314245179
const ECCENTRICITY_SQUARED = 0.0066943799901413165
/** The smallest radius of curvature of the spheroid, in metres. It is the radius of the meridian at the equator. */
const LEAST_RADIUS_OF_CURVATURE = 6_335_439
/** Metres. It is much larger than the error of floating-point arithmetic, and much smaller than an edge. */
const MARGIN = 0.01

/** Returns the point on the spheroid at a latitude and longitude in degrees. */
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
 * Returns a lower and an upper bound, in metres, for the geodesic distance from a centre to the points of the spheroid in a
 * cube. The straight line to a point is never longer than the geodesic. The geodesic is never longer than an arc with the same
 * end points on a sphere with the spheroid's smallest radius of curvature.
 */
export function distancesTo(centre: Point, level: CubeLevel, cube: number): { nearest: number; farthest: number } {
  const edge = CUBE_EDGES[level]
  const index = indexesOf(level, cube)
  const x = axisDistances(centre.x, index.x, edge)
  const y = axisDistances(centre.y, index.y, edge)
  const z = axisDistances(centre.z, index.z, edge)
  const diameter = 2 * LEAST_RADIUS_OF_CURVATURE
  const farthest = Math.sqrt(x.far * x.far + y.far * y.far + z.far * z.far)
  return {
    nearest: Math.sqrt(x.near * x.near + y.near * y.near + z.near * z.near) - MARGIN,
    farthest: diameter * Math.asin(Math.min(1, farthest / diameter)) + MARGIN,
  }
}

/** The smallest and the greatest distance from a coordinate to a cube, along one axis. */
function axisDistances(coordinate: number, index: number, edge: number): { near: number; far: number } {
  const first = ORIGIN + index * edge - coordinate
  const last = first + edge
  return { near: Math.max(first, -last, 0), far: Math.max(-first, last) }
}

/** A cube's index in the grid on each axis, from 0. */
type CubeIndexes = Record<'x' | 'y' | 'z', number>

/** Divides, because a cube's number has up to 51 bits and JavaScript's bitwise operators have 32. */
function indexesOf(level: CubeLevel, cube: number): CubeIndexes {
  const levelAbove = above(level)
  if (levelAbove === undefined) return { x: cube >> 16, y: (cube >> 8) & 255, z: cube & 255 }
  const within = cube % 2 ** BITS_PER_LEVEL
  const outer = indexesOf(levelAbove, Math.floor(cube / 2 ** BITS_PER_LEVEL))
  return { x: outer.x * 8 + (within >> 6), y: outer.y * 8 + ((within >> 3) & 7), z: outer.z * 8 + (within & 7) }
}

/** The inverse of `indexesOf`. */
function numberOf(level: CubeLevel, { x, y, z }: CubeIndexes): number {
  const levelAbove = above(level)
  if (levelAbove === undefined) return (x << 16) | (y << 8) | z
  const outer = { x: Math.floor(x / 8), y: Math.floor(y / 8), z: Math.floor(z / 8) }
  return numberOf(levelAbove, outer) * 2 ** BITS_PER_LEVEL + (((x % 8) << 6) | ((y % 8) << 3) | (z % 8))
}

function above(level: CubeLevel): CubeLevel | undefined {
  return ([1, 2, 3, undefined] as const)[level]
}

/** Cubes of one level that contain a circle. */
export interface Cover {
  level: CubeLevel
  cubes: number[]
}

/**
 * Returns cubes that contain all points of the spheroid within a radius (metres) of a centre. It chooses the level so that there
 * are at most about 20 cubes. It leaves out cubes that the spheroid's surface does not intersect.
 */
export function coverOf(centre: Point, radius: number): Cover {
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
        if (!mayBeOnSurface({ x, y, z }, edge)) continue
        const cube = numberOf(level, { x, y, z })
        if (distancesTo(centre, level, cube).nearest <= radius) cubes.push(cube)
      }
    }
  }
  return { level, cubes }
}

/** Whether the spheroid's surface may intersect a cube. Then its distance from the cube's middle is at most half a diagonal. */
function mayBeOnSurface(index: CubeIndexes, edge: number): boolean {
  const middle = (n: number) => ORIGIN + (n + 0.5) * edge
  const [x, y, z] = [middle(index.x), middle(index.y), middle(index.z)]
  const scale = Math.sqrt((x * x + y * y) / SEMI_MAJOR_AXIS ** 2 + (z * z) / SEMI_MINOR_AXIS ** 2)
  // The distance along the ray from the earth's centre. The ray differs from the vertical by at most a fifth of a degree.
  const height = Math.abs(1 - 1 / scale) * Math.sqrt(x * x + y * y + z * z)
  return height * 0.9999 <= (edge * Math.sqrt(3)) / 2 + MARGIN
}
