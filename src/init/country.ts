import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

export interface Country {
  name: string
  /** Those of ISO 3166-1, with two and with three letters; none of a country that has none. */
  codes: readonly string[]
  rings: readonly (readonly [number, number])[][]
}

/** A place in degrees. */
export interface Place {
  longitude: number
  latitude: number
}

/** The countries and islands of the world, see vendor/NOTICE.md. */
const COUNTRIES = new URL('./vendor/countries.br', import.meta.url)
let countries: readonly Country[] | undefined

/** All countries. Their coasts are coarse. */
export function allCountries(): readonly Country[] {
  countries ??= brotliDecompressSync(readFileSync(COUNTRIES)).toString().split('\n').map(parse)
  return countries
}

/** Coasts are exact to this number of degrees. */
const COARSE = 0.3
const BESIDE = [-COARSE, 0, COARSE].flatMap((east) => [-COARSE, 0, COARSE].map((north) => [east, north] as const))
const NEAREST_FIRST = BESIDE.sort((one, other) => Math.hypot(...one) - Math.hypot(...other))

/** Returns the country of a place; undefined in the sea. */
export function countryOf({ longitude, latitude }: Place): Country | undefined {
  for (const [east, north] of NEAREST_FIRST) {
    const found = allCountries().find(({ rings }) => isInside(rings, longitude + east, latitude + north))
    if (found) return found
  }
  return undefined
}

/** Describes where a place is. */
export function describePlace(place: Place): string {
  return countryOf(place)?.name ?? 'in the sea'
}

function parse(line: string): Country {
  const [name = '', codes = '', rings = ''] = line.split('\t')
  const toPoint = (text: string) => {
    const [longitude = 0, latitude = 0] = text.split(' ').map(Number)
    return [longitude, latitude] as const
  }
  const isCode = (code: string) => code !== ''
  return {
    ...{ name, codes: codes.split(' ').filter(isCode) },
    rings: rings.split(';').map((ring) => ring.split(',').map(toPoint)),
  }
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
