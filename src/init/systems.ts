import { basename } from 'node:path'
import { mappedColumns, textOf } from '../rows/column-mapping.ts'
import { allProjectedSystems, findReferenceSystem, type ReferenceSystem } from '../rows/reference-system.ts'
import { type Choice, openChoice, type Reading, toReading } from './choice.ts'
import { isCalled, OTHER_DATUM, SYSTEM_NAMES } from './header-names.ts'
import { type Position, readNumber } from './position.ts'
import type { Sample } from './sample.ts'
import { countryTest, describePlace, findCountry, nearestCity, type Place } from './where.ts'

/** The reference system of metres, or what to ask for. */
export interface System {
  /** Undefined if the file names none. */
  crs: string | undefined
  /** The columns of the place, exchanged if the system needs that. */
  columns: Position['columns']
  choices: Choice[]
  /** What a person must say. */
  question?: string
  /** The systems in use in the country of the file, with the first place under each, those near a city first. */
  systems?: Reading[]
}

/** A system that has nearly all points, and whether its columns are the other way round. */
interface Candidate extends Place {
  system: ReferenceSystem
  isSwapped: boolean
}

/** Nearly all points must be in the area of a system. */
const FITTING = 0.95
const MAX_POINTS = 50
const MAX_SYSTEMS = 40
/** Square degrees. Systems with larger areas are for maps, except for the usual one of the web. */
const LARGEST_AREA = 15_000
const WEB_MERCATOR = 'EPSG:3857'

/**
 * Finds the reference system of metres: the one that a text or a column of the file names. Otherwise it lists those of a country.
 * @param country is its name or code, if a person says it
 */
export async function findSystem(
  path: string,
  sample: Sample,
  position: Position,
  { ownCrs, country }: { ownCrs: string | undefined; country: string | undefined },
): Promise<System> {
  const { columns } = position
  const none = { crs: undefined, columns, choices: [] }
  const { latitude, longitude } = columns
  if (!position.areMetres) return { ...none, choices: datumChoice(sample, columns) }
  if (typeof latitude !== 'string' || typeof longitude !== 'string') return none
  if (ownCrs !== undefined) return { ...none, crs: ownCrs }
  const zone = sample.columns.find((column) => isCalled('zone', column) && sample.countValues([column]) > 1)
  if (zone !== undefined) {
    const count = sample.countValues([zone])
    return { ...none, question: `${zone} has ${count} values: convert, or one entry of "items" each` }
  }
  const points = pointsOf(sample, position, latitude, longitude)
  // A column of points has its own order.
  const orders = latitude === longitude ? [false] : [false, true]
  const candidatesOf = (systems: readonly ReferenceSystem[]) =>
    systems.flatMap((system) => orders.flatMap((isSwapped) => candidatesUnder(system, points, isSwapped)))
  const exchanged = { latitude: longitude, longitude: latitude }
  const readingsOf = (candidates: readonly Candidate[]) =>
    Promise.all(
      candidates.map(async ({ system: { code, name }, isSwapped, ...place }) => {
        const example = `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}, ${await describePlace(place)}`
        return toReading(name, example, { crs: code, ...(isSwapped && exchanged) })
      }),
    )
  const take = async (candidates: readonly Candidate[]): Promise<System> => ({
    crs: candidates[0]?.system.code,
    columns: candidates[0]?.isSwapped ? exchanged : columns,
    choices: openChoice('crs', await readingsOf(candidates)),
  })
  const numbers = namedIn(path, sample)
  const named = distinct(candidatesOf(numbers.flatMap((number) => findReferenceSystem(`EPSG:${number}`) ?? [])))
  if (named.length > 0) return take(named)
  const found = await findCountry(country ?? countryIn(sample) ?? '')
  const metres = `the coordinates are metres, and no text of the file names their reference system`
  if (!found) return { ...none, question: `${metres}; say the country: --country NZ lists those in use there` }
  const inUse = distinct(candidatesOf(allProjectedSystems().filter(isUsual)).filter(await countryTest(found.code)))
  const list = inUse
    .map((candidate) => ({ candidate, km: nearestCity(candidate)?.km ?? Number.POSITIVE_INFINITY }))
    .sort((one, two) => one.km - two.km)
    .map(({ candidate }) => candidate)
  const systems = await readingsOf(list.slice(0, MAX_SYSTEMS))
  if (list.length === 1) return { ...(await take(list)), systems, question: `the only one of ${found.name} that fits` }
  const which =
    systems.length > 0 ? `write the right one of ${found.name} into the manifest` : `none of ${found.name} fits`
  return { ...none, question: `${metres}; ${which}`, systems }
}

/** Numbers above are those of Esri. */
const LAST_OF_EPSG = 32_767
/** Another system with a height or the other order of its axes. */
const VARIANT = / \+ |\((N-z?E|zE-N|E-N)\)/

/** Whether a system is used for the places of a country. */
function isUsual({ areaSize, code, name }: ReferenceSystem): boolean {
  const isOfEpsg = Number(code.slice('EPSG:'.length)) <= LAST_OF_EPSG
  return code === WEB_MERCATOR || (areaSize < LARGEST_AREA && isOfEpsg && !VARIANT.test(name))
}

function pointsOf(sample: Sample, { decimal }: Position, latitude: string, longitude: string) {
  return sample.rows
    .map((row) => ({
      x: readNumber(textOf(row[longitude]), 'longitude', decimal, true),
      y: readNumber(textOf(row[latitude]), 'latitude', decimal, true),
    }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y) && x !== 0 && y !== 0)
    .slice(0, MAX_POINTS)
}

/** Says that degrees are not those of WGS 84. */
function datumChoice(sample: Sample, columns: Position['columns']): Choice[] {
  const headers = mappedColumns(columns)
  const values = sample.columns.filter((column) => isCalled('crs', column)).flatMap((column) => sample.texts(column))
  const other = [...headers, ...values].find((text) => OTHER_DATUM.test(text))
  const why = 'taken as WGS 84, so places are some hundred metres off; convert the degrees first'
  return other === undefined ? [] : [{ what: 'datum', readings: [toReading(why, other, columns)] }]
}

/** The country that a column of the file names in all rows. */
function countryIn(sample: Sample): string | undefined {
  const column = sample.columns.find((name) => isCalled('country', name) && sample.countValues([name]) === 1)
  return column === undefined ? undefined : sample.texts(column)[0]
}

/** The numbers of systems that the name of the file, a header or a column of one value says. */
function namedIn(path: string, sample: Sample): number[] {
  const columnTexts = sample.columns.map((column) => {
    const isZone = isCalled('zone', column)
    if (!(isZone || isCalled('crs', column)) || sample.countValues([column]) !== 1) return ''
    const [only = ''] = sample.texts(column)
    return isZone ? `utm ${only}` : /^\d{4,6}$/.test(only) ? `epsg:${only}` : only
  })
  return [...columnTexts, ...sample.columns, basename(path)].flatMap(namedSystems)
}

/** The systems that a text says: `EPSG:25832`, `utm32`, `UTM_Zone_52N`, `NZTM`. Without N or S a zone is on either side of the equator. */
function namedSystems(text: string): number[] {
  const codes = [...text.matchAll(/epsg\D{0,3}(\d{4,6})(?!\d)/gi)].map(([, code]) => Number(code))
  const known = SYSTEM_NAMES.filter(([name]) => name.test(text)).map(([, number]) => number)
  const [, digits, letter = ''] = /utm\D{0,6}(\d{1,2})([c-hj-np-x])?(?![\da-z])/i.exec(text) ?? []
  const zone = Number(digits)
  if (!(zone >= 1 && zone <= 60)) return [...codes, ...known]
  const [north, south] = [zone >= 28 && zone <= 38 ? [25800 + zone, 32600 + zone] : [32600 + zone], [32700 + zone]]
  // S is the south, and also a band of latitudes in the north. Other letters before N are bands in the south.
  const first = /[c-ms]/i.test(letter) ? south : north
  const other = first === south ? north : south
  return [...codes, ...known, ...first, ...(/^s?$/i.test(letter) ? other : [])]
}

/** The first place under a system, if nearly all points are in its area. */
function candidatesUnder(
  system: ReferenceSystem,
  points: readonly { x: number; y: number }[],
  isSwapped: boolean,
): Candidate[] {
  const toPlace = ({ x, y }: { x: number; y: number }) => system.toDegrees(isSwapped ? y : x, isSwapped ? x : y)
  const isInside = (place: Place | undefined) => place !== undefined && system.contains(place)
  const [point] = points
  const first = point && toPlace(point)
  if (!first || system.isGeographic || !isInside(first)) return []
  const inside = points.filter((each) => isInside(toPlace(each)))
  return inside.length < FITTING * points.length ? [] : [{ system, isSwapped, ...first }]
}

/** Of the systems that have the first point at the same place, within ten metres, only the first. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>()
  return candidates.filter(
    ({ longitude, latitude }) => seen.size < seen.add(`${longitude.toFixed(4)} ${latitude.toFixed(4)}`).size,
  )
}
