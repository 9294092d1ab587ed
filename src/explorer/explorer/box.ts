/*
 * Boxes: that of a search, which is the visible part of the map, and those that the map is moved to.
 */

/** West, south, east, north in degrees. */
export type Bounds = [west: number, south: number, east: number, north: number]

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

/** Reads `west,south,east,north`, undefined if it is not a box. */
export function parseBox(text: string | null): Bounds | undefined {
  const parts = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = parts
  const isBox =
    parts.length === 4 &&
    Math.abs(west) <= 180 &&
    Math.abs(east) <= 180 &&
    Math.abs(south) <= 90 &&
    Math.abs(north) <= 90 &&
    south <= north
  return isBox ? [west, south, east, north] : undefined
}

/** Returns the box as the API's input `BoundingBox`. */
export function toBoundingBox([west, south, east, north]: Bounds): Record<'west' | 'south' | 'east' | 'north', number> {
  return { west, south, east, north }
}

/** Returns the smallest box around points (longitude, latitude in degrees). Its east may be greater than 180. */
export function boxAround(points: readonly (readonly [number, number])[]): Bounds {
  const latitudes = points.map(([, latitude]) => latitude)
  const longitudes = points.map(([longitude]) => longitude)
  const acrossAntimeridian = longitudes.map((longitude) => (longitude + 360) % 360)
  const [west, east] = width(acrossAntimeridian) < width(longitudes) ? range(acrossAntimeridian) : range(longitudes)
  return [west, Math.min(...latitudes), east, Math.max(...latitudes)]
}

/** Converts a longitude to -180 to 180. A map that was panned around the world has other longitudes. */
export function wrapLongitude(longitude: number): number {
  return longitude >= -180 && longitude <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180
}

function range(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

function width(values: readonly number[]): number {
  const [least, greatest] = range(values)
  return greatest - least
}

function round(degrees: number): number {
  return Number(degrees.toFixed(DECIMALS))
}
