import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

interface Country {
  name: string
  rings: readonly (readonly [number, number])[][]
}

/** The coarse countries of the world, see vendor/NOTICE.md. */
const COUNTRIES = new URL('../vendor/countries-110m.br', import.meta.url)
let countries: readonly Country[] | undefined

/** Coasts are exact to this number of degrees. */
const COARSE = 0.3

/** Returns the name of the country of a place, in English; undefined in the sea. */
export function countryOf({ longitude, latitude }: { longitude: number; latitude: number }): string | undefined {
  countries ??= brotliDecompressSync(readFileSync(COUNTRIES)).toString().split('\n').map(parse)
  for (const [east, north] of [
    ...[
      [0, 0],
      [COARSE, 0],
      [-COARSE, 0],
      [0, COARSE],
      [0, -COARSE],
    ],
    ...[
      [COARSE, COARSE],
      [COARSE, -COARSE],
      [-COARSE, COARSE],
      [-COARSE, -COARSE],
    ],
  ] as const) {
    const found = countries.find(({ rings }) => isInside(rings, longitude + east, latitude + north))
    if (found) return found.name
  }
  return undefined
}

function parse(line: string): Country {
  const [name = '', rings = ''] = line.split('\t')
  const toPoint = (text: string) => {
    const [longitude = 0, latitude = 0] = text.split(' ').map(Number)
    return [longitude, latitude] as const
  }
  return { name, rings: rings.split(';').map((ring) => ring.split(',').map(toPoint)) }
}

/** Whether a ray to the east crosses the rings an odd number of times. */
function isInside(rings: Country['rings'], x: number, y: number): boolean {
  let inside = false
  for (const ring of rings) {
    for (const [index, [x1, y1]] of ring.entries()) {
      const [x2, y2] = ring[(index + 1) % ring.length] ?? [x1, y1]
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside
    }
  }
  return inside
}
