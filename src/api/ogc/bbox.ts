import { latitude, longitude, parseBounded } from '../../catalog/arguments.ts'
import type { BoundingBox } from '../../catalog/box.ts'

/**
 * A decimal number, also with an exponent, because GDAL writes small numbers with one. Each text matches in one way only: otherwise 11,000
 * digits before a letter would take a tenth of a second.
 */
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/

/** What is wrong with a parameter. */
export interface Problem {
  problem: string
}

/**
 * Parses the parameter `bbox` (OGC 17-069r4, section 7.15.3): west, south, east and north in degrees, edges included. Six numbers
 * have a lowest and a highest elevation too. They select nothing, because items have no elevation. A box whose west is greater than
 * its east crosses the antimeridian.
 */
export function parseBbox(text: string): BoundingBox | Problem {
  const parts = text.split(',')
  if ((parts.length !== 4 && parts.length !== 6) || !parts.every((part) => NUMBER.test(part))) {
    return { problem: 'must be 4 or 6 numbers separated by commas' }
  }
  const isFlat = parts.length === 4
  const edges = isFlat ? parts : [0, 1, 3, 4].map((n) => parts[n] ?? '')
  const [west = 0, south = 0, east = 0, north = 0] = edges.map((edge, n) =>
    parseBounded(edge, n % 2 === 0 ? longitude : latitude),
  )
  const [lowest = 0, highest = 0] = isFlat ? [] : [Number(parts[2]), Number(parts[5])]
  if (![west, east].every((value) => longitude.safeParse(value).success)) {
    return { problem: 'must have longitudes between -180 and 180' }
  }
  if (![south, north].every((value) => latitude.safeParse(value).success)) {
    return { problem: 'must have latitudes between -90 and 90' }
  }
  if (south > north) return { problem: 'must have a south that is at most its north' }
  if (lowest > highest) return { problem: 'must have a lowest elevation that is at most its highest' }
  return { west, south, east, north }
}
