/*
 * Where the cubes lie that items are counted by (prisma/migrations: cube_of). Everything here is in metres, in earth-centred,
 * earth-fixed coordinates on the WGS 84 ellipsoid: x through 0° east on the equator, y through 90° east, z through the north pole.
 */

export interface Point {
  x: number
  y: number
  z: number
}

/** Edges of a level's cubes. Eight cubes of a level stand along the edge of one of the next. */
export const CUBE_EDGES = [128, 1024, 8192, 65_536] as const
export type CubeLevel = 0 | 1 | 2 | 3

/** Numbers of a level's cubes begin with the number of the cube of the next level that they are in, then have nine bits. */
export const BITS_PER_LEVEL = 9

const ORIGIN = -8_388_608
const SEMI_MAJOR_AXIS = 6_378_137
const SEMI_MINOR_AXIS = 6_356_752.314245179
const ECCENTRICITY_SQUARED = 0.0066943799901413165
/** Of all normal sections, on the meridian at the equator. */
const LEAST_RADIUS_OF_CURVATURE = 6_335_439
/** Far more than the error of the arithmetic, and far less than an edge. */
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
 * Between which distances on the ellipsoid all points of a cube lie from a centre. A chord is never longer than the geodesic
 * over it, and the geodesic never longer than the arc over that chord on a sphere as curved as the ellipsoid is anywhere.
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

/** Between which distances along an axis a cube lies from a coordinate. */
function axisTo(coordinate: number, place: number, edge: number): { near: number; far: number } {
  const first = ORIGIN + place * edge - coordinate
  const last = first + edge
  return { near: Math.max(first, -last, 0), far: Math.max(-first, last) }
}

/** Which cube of its level it is along each axis. A number has up to 51 bits, more than JavaScript's bitwise operators take. */
function placeOf(level: CubeLevel, cube: number): Point {
  const levelAbove = above(level)
  if (levelAbove === undefined) return { x: cube >> 16, y: (cube >> 8) & 255, z: cube & 255 }
  const within = cube % 2 ** BITS_PER_LEVEL
  const around = placeOf(levelAbove, Math.floor(cube / 2 ** BITS_PER_LEVEL))
  return { x: around.x * 8 + (within >> 6), y: around.y * 8 + ((within >> 3) & 7), z: around.z * 8 + (within & 7) }
}

/** The number of the cube at a place of its level; the inverse of `placeOf`. */
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
 * The cubes in which all points within a radius of a centre lie, of a level at which they are few: some 20 at the most. Cubes that
 * the surface does not cut are left out.
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

/** Whether the ellipsoid may cut a cube: its middle is no farther from the surface than its corners are from its middle. */
function isOnSurface(place: Point, edge: number): boolean {
  const middle = (n: number) => ORIGIN + (n + 0.5) * edge
  const [x, y, z] = [middle(place.x), middle(place.y), middle(place.z)]
  const scale = Math.sqrt((x * x + y * y) / SEMI_MAJOR_AXIS ** 2 + (z * z) / SEMI_MINOR_AXIS ** 2)
  // Measured along the ray from the earth's centre, which is a fifth of a degree off the plumb line at the most.
  const height = Math.abs(1 - 1 / scale) * Math.sqrt(x * x + y * y + z * z)
  return height * 0.9999 <= (edge * Math.sqrt(3)) / 2 + MARGIN
}
