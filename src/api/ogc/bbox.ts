import { boundingBox, parseNumbers } from '../../catalog/arguments.ts'
import type { BoundingBox } from '../../catalog/box.ts'

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
  const numbers = parseNumbers(text) ?? []
  if (numbers.length !== 4 && numbers.length !== 6) return { problem: 'must be 4 or 6 numbers separated by commas' }
  const [west, south, , east, north] = numbers.length === 6 ? numbers : numbers.toSpliced(2, 0, 0)
  const [lowest = 0, highest = 0] = numbers.length === 6 ? [numbers[2], numbers[5]] : []
  const { data, error } = boundingBox.safeParse({ west, south, east, north })
  const isWrong = (...edges: string[]) => error?.issues.some(({ path }) => edges.includes(String(path[0])))
  if (isWrong('west', 'east')) return { problem: 'must have longitudes between -180 and 180' }
  if (error?.issues.some(({ code }) => code === 'custom'))
    return { problem: 'must have a south that is at most its north' }
  if (!data) return { problem: 'must have latitudes between -90 and 90' }
  if (lowest > highest) return { problem: 'must have a lowest elevation that is at most its highest' }
  return data
}
