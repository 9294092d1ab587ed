/*
 * Boxes: that of a search, which is the visible part of the map, and those that the map is moved to.
 */

/** West, south, east, north in degrees. */
export type Bounds = [west: number, south: number, east: number, north: number]

/** Where a place is, in degrees, as the API writes them or as numbers. */
export type Position = Record<'latitude' | 'longitude', string | number>

/** What a person sees who has no map, or not yet. */
export const EVERYWHERE: Bounds = [-180, -90, 180, 90]

/** Latitude of the map's edge. Places beyond it are drawn on the edge. */
const LAST_LATITUDE = 85.05
/** Five decimals are about one metre. */
const DECIMALS = 5

/**
 * Converts the map's bounds to the box of a search. Longitudes are from -180 to 180. Across the antimeridian, west is greater
 * than east. Where the map shows its edge, the box ends at the pole.
 */
export function visibleBox([west, south, east, north]: Bounds): Bounds {
  const isWholeWorld = east - west >= 360
  return [
    isWholeWorld ? -180 : round(wrapLongitude(west)),
    south <= -LAST_LATITUDE ? -90 : round(south),
    isWholeWorld ? 180 : round(wrapLongitude(east)),
    north >= LAST_LATITUDE ? 90 : round(north),
  ]
}

/** Whether a point in degrees is in a box that does not cross the antimeridian. */
export function contains([west, south, east, north]: Bounds, latitude: number, longitude: number): boolean {
  return longitude >= west && longitude <= east && latitude >= south && latitude <= north
}

/** Reads `west,south,east,north`, undefined if it is not a box. */
export function parseBox(text: string | null): Bounds | undefined {
  const [west = 0, south = 1, east = 0, north = 0] = parseNumbers(text, [LONGITUDES, LATITUDES, LONGITUDES, LATITUDES])
  return south <= north ? [west, south, east, north] : undefined
}

type Range = readonly [least: number, most: number]
export const LATITUDES: Range = [-90, 90]
export const LONGITUDES: Range = [-180, 180]

/** Reads numbers with commas between them, each within its limits; none if one is not valid. */
export function parseNumbers(text: string | null, limits: readonly Range[]): number[] {
  const numbers = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const isIn = (number = Number.NaN, [least, most]: Range) => number >= least && number <= most
  return numbers.length === limits.length && limits.every((range, n) => isIn(numbers[n], range)) ? numbers : []
}

/** Returns the box as the API's input `BoundingBox`. */
export function toBoundingBox([west, south, east, north]: Bounds): Record<'west' | 'south' | 'east' | 'north', number> {
  return { west, south, east, north }
}

/** Returns the smallest box around points (longitude, latitude in degrees). Its east may be greater than 180. */
export function boxAround(points: readonly (readonly [number, number])[]): Bounds {
  return boxAroundAll(points.map(([longitude, latitude]) => [longitude, latitude, longitude, latitude]))
}

/** Returns the smallest box around boxes, of which some may cross the antimeridian. Its east may be greater than 180. */
export function boxAroundAll(boxes: readonly Bounds[]): Bounds {
  const ranges = boxes.map(([west, , east]) => [west, west > east ? east + 360 : east] as const)
  const fromGreenwich = ranges.map(([west, east]) =>
    west < 0 ? ([west + 360, east + 360] as const) : ([west, east] as const),
  )
  const [plain, shifted] = [around(ranges), around(fromGreenwich)]
  const [west, east] = widthOf(shifted) < widthOf(plain) ? shifted : plain
  const south = Math.min(...boxes.map((box) => box[1]))
  const north = Math.max(...boxes.map((box) => box[3]))
  return east - west >= 360 ? [-180, south, 180, north] : [west, south, east, north]
}

/** Converts a longitude to -180 to 180. A map that was panned around the world has other longitudes. */
export function wrapLongitude(longitude: number): number {
  return longitude >= -180 && longitude <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180
}

/** The share of the world's square (Web Mercator) above a latitude, and back. */
export function mercator(latitude: number): number {
  const sine = Math.sin((latitude * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}
export function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
}

function around(ranges: readonly (readonly [number, number])[]): [west: number, east: number] {
  return [Math.min(...ranges.map(([west]) => west)), Math.max(...ranges.map(([, east]) => east))]
}

function widthOf([west, east]: readonly [number, number]): number {
  return east - west
}

function round(degrees: number): number {
  return Number(degrees.toFixed(DECIMALS))
}
