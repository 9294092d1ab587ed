import { textOf } from '../rows/column-mapping.ts'
import type { Choice, Inference } from '../rows/inference.ts'
import type { Columns } from '../rows/manifest.ts'
import { isAngleName, isNameOfOther } from './column-names.ts'
import { countryOf, describePlace, type Place } from './country.ts'
import { countryRanking, type Evidence } from './evidence.ts'
import { readNumber, type Sample } from './guess-columns.ts'

const LARGEST_LATITUDE = 90
/** Places that are looked up, from all over the sample. */
const MAX_PLACES = 50

/**
 * Says which of two columns of degrees has the latitude, if either could. Longitudes beyond 90 degrees prove it. Names such as `lat` do too,
 * unless most places are in a country that the file is about, or on land, only if the columns are exchanged.
 */
export function inferAxes(
  { latitude, longitude }: Columns,
  { rows, decimal }: Sample,
  evidence: Evidence,
): Inference | undefined {
  if (typeof latitude !== 'string' || typeof longitude !== 'string' || latitude === longitude) return undefined
  const read = (column: string, field: 'latitude' | 'longitude', row: Sample['rows'][number]) =>
    readNumber(textOf(row[column]), { field, decimal, areMetres: false })
  const places = rows
    .filter((row) => textOf(row[latitude]).trim() !== '' && textOf(row[longitude]).trim() !== '')
    .map((row) => ({ latitude: read(latitude, 'latitude', row), longitude: read(longitude, 'longitude', row) }))
    .filter((place) => Number.isFinite(place.latitude) && Number.isFinite(place.longitude))
  const [first] = places
  const proof = places.find((place) => Math.abs(place.longitude) > LARGEST_LATITUDE)
  const isMisnamed = proof && isNameOfOther('latitude', latitude) && isNameOfOther('longitude', longitude)
  if (!first || (proof && !isMisnamed)) return undefined
  if (!proof && isAngleName(latitude) && !areBetterExchanged(places, evidence)) return undefined
  const choose = (north: string, east: string, place: Place): Choice => ({
    choice: `${north} to the north and ${east} to the east`,
    example: `the first place at latitude ${place.latitude}, longitude ${place.longitude}, ${describePlace(place)}`,
    write: `"latitude": ${JSON.stringify(north)}, "longitude": ${JSON.stringify(east)}`,
  })
  const chosen = choose(latitude, longitude, first)
  const what = 'the order of the coordinates'
  if (isMisnamed) {
    const choice = `${chosen.choice}, against their names, as ${longitude} has ${proof.longitude}, which is no latitude`
    return { what, chosen: { ...chosen, choice }, alternatives: [] }
  }
  return {
    ...{ what, chosen },
    alternatives: [choose(longitude, latitude, exchanged(first))],
  }
}

function exchanged({ latitude, longitude }: Place): Place {
  return { latitude: longitude, longitude: latitude }
}

/** Whether most places are in countries that the file is about, or else on land, only if latitude and longitude are exchanged. */
function areBetterExchanged(places: readonly Place[], evidence: Evidence): boolean {
  const step = Math.ceil(places.length / MAX_PLACES)
  const some = places.filter((_, index) => index % step === 0)
  const rank = countryRanking(evidence)
  const share = (given: readonly Place[], minimum: number) =>
    given.filter((place) => {
      const country = countryOf(place)
      // Its coast is opposite to many places of the north.
      return country !== undefined && country.name !== 'Antarctica' && rank(country) >= minimum
    }).length / given.length
  const gain = (minimum: number) => share(some.map(exchanged), minimum) - share(some, minimum)
  const isAbout = [...some, ...some.map(exchanged)].some((place) => rank(countryOf(place)) > 0)
  return gain(2) > 0.5 || (gain(1) > 0.5 && gain(2) >= 0) || (!isAbout && share(some, 0) < 0.1 && gain(0) > 0.5)
}
