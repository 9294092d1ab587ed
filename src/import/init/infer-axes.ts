import type { Choice, Inference } from '../inference.ts'
import type { Columns } from '../manifest.ts'
import { textOf } from '../row/column-mapping.ts'
import type { ImportedItem } from '../row/parse-item.ts'
import { isAngleName } from './column-names.ts'
import { countryOf } from './country.ts'
import { readNumber, type Sample } from './guess-columns.ts'

const LARGEST_LATITUDE = 90

/** Says which of the columns `x` and `y` has the latitude, if either could. Names such as `lat`, and longitudes beyond 90 degrees, prove it. */
export function inferAxes(
  { latitude, longitude }: Columns,
  { rows, decimal }: Sample,
  first: ImportedItem | undefined,
): Inference | undefined {
  if (typeof latitude !== 'string' || typeof longitude !== 'string' || latitude === longitude || !first)
    return undefined
  if (isAngleName(latitude)) return undefined
  const style = { field: 'longitude', decimal, areMetres: false } as const
  if (rows.some((row) => Math.abs(readNumber(textOf(row[longitude]), style)) > LARGEST_LATITUDE)) return undefined
  const choose = (north: string, east: string, place: { latitude: number; longitude: number }): Choice => ({
    choice: `${north} to the north and ${east} to the east`,
    example: `the first place at latitude ${place.latitude}, longitude ${place.longitude}, ${countryOf(place) ?? 'in the sea'}`,
    write: `"latitude": ${JSON.stringify(north)}, "longitude": ${JSON.stringify(east)}`,
  })
  const [north, east] = [Number(first.latitude), Number(first.longitude)]
  return {
    what: 'the order of the coordinates',
    chosen: choose(latitude, longitude, { latitude: north, longitude: east }),
    alternatives: [choose(longitude, latitude, { latitude: east, longitude: north })],
  }
}
