import { type AngleSource, mappedColumns } from '../rows/column-mapping.ts'
import { COORDINATES, type CoordinateField, isHemisphere, plainCoordinate } from '../rows/coordinate-text.ts'
import type { Dialect } from '../rows/formats/source.ts'
import type { Columns } from '../rows/manifest.ts'
import { type Choice, openChoice, toReading } from './choice.ts'
import { findDecimal } from './dialect.ts'
import { findCoordinates, isAngleName, partOf, sideOf } from './header-names.ts'
import type { Sample } from './sample.ts'
import { describePlace } from './where.ts'

/** The columns of the place, and what is open about them. */
export interface Position {
  /** It has neither if no columns are called like coordinates. */
  columns: Pick<Columns, CoordinateField>
  areMetres: boolean
  decimal: Dialect['decimal']
  choices: Choice[]
}

type Pair = Record<CoordinateField, string>
type Test = (field: CoordinateField, column: string) => boolean

const LIMITS = { latitude: 90, longitude: 180 }
/** Larger numbers are no degrees. */
const LARGEST_ANGLE = 360
/** The side that has negative coordinates, and the words for the sides of numbers without and with a minus. */
const SIDES = {
  latitude: { minus: 'S', plain: 'north', negated: 'south' },
  longitude: { minus: 'W', plain: 'east', negated: 'west' },
}

/**
 * Finds the columns of the place by their names, first those whose values fit: decimals, then degrees in parts, whole degrees, metres.
 * @param hasOwnCrs is whether the file names its system: metres may be called like angles then
 */
export async function findPosition(sample: Sample, hasOwnCrs: boolean): Promise<Position> {
  const all = findCoordinates(sample.columns)
  const inParts = sample.columns.filter((column) => COORDINATES.some((field) => partOf(field, column) !== undefined))
  const { decimal, choices } = findDecimal(sample, [...all.latitude, ...all.longitude, ...inParts])
  const sides = findSides(sample, all)
  const parts = pairOf((field) => findAngle(sample, field, all[field], sides[field]))
  const used = parts ? mappedColumns(parts) : []
  const named = both((field) => all[field].filter((column) => !used.includes(column)))
  const areDegrees: Test = (field, column) =>
    sample.fits(column, (text) => Math.abs(readNumber(text, field, decimal, false)) <= LIMITS[field])
  const areMetres: Test = (field, column) =>
    (hasOwnCrs || !isAngleName(column)) &&
    sample.fits(column, (text) => Math.abs(readNumber(text, field, decimal, true)) > LARGEST_ANGLE)
  const degrees = findPair(sample, named, areDegrees)
  const place = { areMetres: false, decimal, choices }
  choices.push(...COORDINATES.flatMap((field) => openSides(sample, field, (parts ?? degrees)?.[field], sides)))
  if (parts && !(degrees && haveDecimals(sample, degrees))) return { ...place, columns: parts }
  if (degrees) {
    choices.push(...(await orderChoice(sample, degrees, decimal)), ...wholeChoice(sample, degrees))
    return { ...place, columns: withSides(sample, degrees, sides) }
  }
  const metres = findPair(sample, named, areMetres)
  // Of columns with other values, the bad rows say why.
  const called = pairOf((field) => named[field][0])
  return { ...place, columns: metres ?? called ?? {}, areMetres: metres !== undefined }
}

const both = <Each>(of: (field: CoordinateField) => Each): Record<CoordinateField, Each> => ({
  latitude: of('latitude'),
  longitude: of('longitude'),
})

/** Both coordinates, if each is found. */
function pairOf<Found>(
  find: (field: CoordinateField) => Found | undefined,
): Record<CoordinateField, Found> | undefined {
  const { latitude, longitude } = both(find)
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }
}

/** Returns the number in a cell, or else NaN. */
export function readNumber(
  text: string,
  field: CoordinateField,
  decimal: Dialect['decimal'],
  areMetres: boolean,
): number {
  return Number(plainCoordinate(text, { field, decimal, areMetres }))
}

const isWhole = (text: string) => /^[+-]?\d*$/.test(text)

function hasDecimals(sample: Sample, column: string): boolean {
  return !sample.texts(column).every(isWhole)
}

const haveDecimals = (sample: Sample, pair: Pair) => COORDINATES.some((field) => hasDecimals(sample, pair[field]))

/** The first columns of each coordinate that fit. Whole degrees come after decimals. */
function findPair(
  sample: Sample,
  named: Record<CoordinateField, readonly string[]>,
  isFitting: Test,
): Pair | undefined {
  const pair = pairOf((field) => {
    const fitting = named[field].filter((column) => isFitting(field, column))
    return fitting.find((column) => hasDecimals(sample, column)) ?? fitting[0]
  })
  // A pair in one column has two numbers.
  const isPair = (column: string) => sample.texts(column).some((text) => !/^[+-]?\d*([.,]\d*)?$/.test(text))
  return pair && (pair.latitude !== pair.longitude || isPair(pair.latitude)) ? pair : undefined
}

/** The columns of degrees, minutes and seconds of a coordinate. */
function findAngle(
  sample: Sample,
  field: CoordinateField,
  named: readonly string[],
  hemisphere: string | undefined,
): AngleSource | undefined {
  const find = (part: string) => sample.columns.find((column) => partOf(field, column) === part)
  const [minutes, seconds] = [find('minutes'), find('seconds')]
  const degrees = find('degrees') ?? named.find((column) => column !== minutes && column !== seconds)
  if (degrees === undefined || minutes === undefined || sample.fits(degrees, (text) => !isWhole(text))) return undefined
  // `lat_min` beside `lat_max` is the least of a box.
  const most = minutes.toLowerCase().replace('min', 'max')
  if (sample.columns.some((column) => column !== minutes && column.toLowerCase() === most)) return undefined
  if (!sample.fits(minutes, (text) => Number(text.replace(',', '.')) < 60)) return undefined
  return { degrees, minutes, ...(seconds && { seconds }), ...(hemisphere && { hemisphere }) }
}

/**
 * The columns of the sides, beside those of the coordinates: by their names, whatever they have, or their letters. Words of columns with
 * other names count only if both coordinates have such a column: a district may be called South. Signs may also be those of a floor.
 */
function findSides(
  sample: Sample,
  named: Record<CoordinateField, readonly string[]>,
): Record<CoordinateField, string | undefined> {
  const find = (field: CoordinateField, words: RegExp) => {
    const isOwn = (column = '') => named[field].includes(column) || partOf(field, column) !== undefined
    return sample.columns.find((column, index, all) => {
      const isBeside = isOwn(all[index - 1]) || isOwn(all[index + 1])
      if (partOf(field, column) !== 'hemisphere') return isBeside && areSides(sample, field, column, words)
      return areSides(sample, field, column) || (isBeside && sample.texts(column).length > 0)
    })
  }
  return pairOf((field) => find(field, /^\D+$/)) ?? both((field) => find(field, /^\p{L}\p{Lo}?$/u))
}

/** Whether a column has sides of a coordinate. The sign 1 alone says nothing. */
function areSides(sample: Sample, field: CoordinateField, column: string, words = /./): boolean {
  const isSide = (text: string) => isHemisphere(text, field) && words.test(text)
  return sample.fits(column, isSide) && !sample.fits(column, (text) => /^\+?1(\.0+)?$/.test(text))
}

/** Shows what may be the sides of degrees without a minus: the name of their column, and columns that are called otherwise or stand elsewhere. */
function openSides(
  sample: Sample,
  field: CoordinateField,
  source: string | AngleSource | undefined,
  sides: ReturnType<typeof findSides>,
): Choice[] {
  const angle = typeof source === 'string' ? { degrees: source } : source
  if (!angle || sides[field] !== undefined || sample.texts(angle.degrees).some((text) => !/^\+?[\d.,\s]*$/.test(text)))
    return []
  const { minus, plain, negated } = SIDES[field]
  const readingWith = (choice: string, example: string, hemisphere: AngleSource['hemisphere']) =>
    toReading(choice, example, { [field]: { ...angle, hemisphere } })
  const own = readingWith(`to the ${negated}, as its name says`, `-${sample.example(angle.degrees)}`, { value: minus })
  const others = sample.columns
    .filter((column) => !Object.values(sides).includes(column) && areSides(sample, field, column))
    .map((column) => readingWith(`with the sides in ${column}`, sample.example(column), column))
  const given = toReading(`to the ${plain}`, sample.example(angle.degrees), { [field]: source })
  return openChoice(`side of the ${field}`, [given, ...(sideOf(angle.degrees) === minus ? [own] : []), ...others])
}

/** Adds the columns of the sides, if the degrees have none of their own. */
function withSides(sample: Sample, degrees: Pair, sides: ReturnType<typeof findSides>): Pick<Columns, CoordinateField> {
  return both((field) => {
    const hemisphere = sides[field]
    const hasSide = sample.texts(degrees[field]).some((text) => /[nsew]$/i.test(text))
    return hemisphere === undefined || hasSide ? degrees[field] : { degrees: degrees[field], hemisphere }
  })
}

/** Says that whole degrees are only near a place, as minutes may stand in columns that are called otherwise. */
function wholeChoice(sample: Sample, degrees: Pair): Choice[] {
  if (!COORDINATES.every((field) => sample.fits(degrees[field], isWhole))) return []
  const inParts = COORDINATES.map((field) => [field, { degrees: degrees[field], minutes: '…' }])
  return openChoice('whole degrees', [
    toReading('a place may be 80 km from its degrees', '', degrees),
    toReading('with columns of minutes', '', Object.fromEntries(inParts)),
  ])
}

/** Says which of `x` and `y` is the latitude, if either could be. */
async function orderChoice(sample: Sample, pair: Pair, decimal: Dialect['decimal']): Promise<Choice[]> {
  const { latitude, longitude } = pair
  const read = (column: string) => sample.texts(column).map((text) => readNumber(text, 'longitude', decimal, false))
  const [[north], [east], easts] = [read(latitude), read(longitude), read(longitude)]
  const isNamed = latitude === longitude || (isAngleName(latitude) && isAngleName(longitude))
  if (isNamed || north === undefined || east === undefined || easts.some((each) => Math.abs(each) > LIMITS.latitude))
    return []
  const understand = async (columns: Pair, place: Record<CoordinateField, number>) => {
    const choice = `${columns.latitude} to the north, ${columns.longitude} to the east`
    return toReading(choice, `the first place is in ${await describePlace(place)}`, columns)
  }
  return openChoice('latitude and longitude', [
    await understand(pair, { latitude: north, longitude: east }),
    await understand({ latitude: longitude, longitude: latitude }, { latitude: east, longitude: north }),
  ])
}
