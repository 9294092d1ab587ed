import { columnsOfField } from '../rows/column-mapping.ts'
import { describeCoordinate, plainCoordinate } from '../rows/coordinate-text.ts'
import type { Dialect } from '../rows/formats/source.ts'
import type { ColumnSource, Columns } from '../rows/manifest.ts'
import { type Choice, openChoice, written } from './choice.ts'
import { findDecimal } from './decimal.ts'
import { type Coordinate, findCoordinates, isAngleName, partOf, sideOf } from './header-names.ts'
import { fits, type Sample, textsIn } from './sample.ts'
import { describePlace } from './where.ts'

/** The columns of the place, and what is open about them. */
export interface Position {
  /** It has neither if no columns are called like coordinates and have values of them. */
  columns: Pick<Columns, Coordinate>
  areMetres: boolean
  decimal: Dialect['decimal']
  choices: Choice[]
}

type Named = Readonly<Record<Coordinate, readonly string[]>>
type Pair = Record<Coordinate, string>
type Angle = Extract<ColumnSource, { degrees: string }>

const COORDINATES = ['latitude', 'longitude'] as const
const LIMITS = { latitude: 90, longitude: 180 }
/** Larger numbers are no degrees. */
const LARGEST_ANGLE = 360

/** Finds the columns of the place by their names, if their values fit: decimals, then degrees in parts, whole degrees, metres. */
export async function findPosition(sample: Sample): Promise<Position> {
  const all = findCoordinates(sample.columns)
  const inParts = sample.columns.filter((column) => COORDINATES.some((field) => partOf(field, column) !== undefined))
  const { decimal, choices } = findDecimal(sample, [...all.latitude, ...all.longitude, ...inParts])
  const parts = findParts(sample, all)
  const used = parts ? COORDINATES.flatMap((field) => columnsOfField(parts, field)) : []
  const without = (columns: readonly string[]) => columns.filter((column) => !used.includes(column))
  const named = { latitude: without(all.latitude), longitude: without(all.longitude) }
  const areDegrees = (field: Coordinate, column: string) =>
    fits(textsIn(sample, column), (text) => Math.abs(readNumber(text, field, decimal, false)) <= LIMITS[field])
  const areMetres = (field: Coordinate, column: string) =>
    (sample.ownCrs !== undefined || !isAngleName(column)) &&
    fits(textsIn(sample, column), (text) => Math.abs(readNumber(text, field, decimal, true)) > LARGEST_ANGLE)
  const degrees = findPair(sample, named, areDegrees)
  const place = { areMetres: false, decimal, choices }
  if (parts && !(degrees && COORDINATES.some((field) => hasDecimals(sample, degrees[field]))))
    return { ...place, columns: parts }
  if (degrees) {
    const sides = COORDINATES.flatMap((field) => sideChoice(sample, field, degrees[field]))
    choices.push(...(await orderChoice(sample, degrees, decimal)), ...sides, ...wholeChoice(sample, degrees))
    return { ...place, columns: withSides(sample, degrees) }
  }
  const exchanged = findPair(sample, { latitude: named.longitude, longitude: named.latitude }, areDegrees)
  if (exchanged && exchanged.latitude !== exchanged.longitude) {
    choices.push(exchangedChoice(exchanged))
    return { ...place, columns: exchanged }
  }
  const metres = findPair(sample, named, areMetres)
  return { ...place, columns: metres ?? {}, areMetres: metres !== undefined }
}

/** Returns the number in a cell, or else NaN. */
export function readNumber(text: string, field: Coordinate, decimal: Dialect['decimal'], areMetres: boolean): number {
  return Number(plainCoordinate(text, { field, decimal, areMetres }))
}

function hasDecimals(sample: Sample, column: string): boolean {
  return textsIn(sample, column).some((text) => !/^[+-]?\d*$/.test(text))
}

/** The first columns of each coordinate that fit. Whole degrees come after decimals. */
function findPair(
  sample: Sample,
  named: Named,
  isFitting: (field: Coordinate, column: string) => boolean,
): Pair | undefined {
  const [latitude, longitude] = COORDINATES.map((field) => {
    const fitting = named[field].filter((column) => isFitting(field, column))
    return fitting.find((column) => hasDecimals(sample, column)) ?? fitting[0]
  })
  if (latitude === undefined || longitude === undefined) return undefined
  const isPair = latitude !== longitude || textsIn(sample, latitude).some((text) => !/^[+-]?\d*([.,]\d*)?$/.test(text))
  return isPair ? { latitude, longitude } : undefined
}

/** The columns of degrees, minutes and seconds of both coordinates. */
function findParts(sample: Sample, named: Named): Record<Coordinate, Angle> | undefined {
  const [latitude, longitude] = COORDINATES.map((field) => findAngle(sample, field, named[field]))
  return latitude && longitude ? { latitude, longitude } : undefined
}

function findAngle(sample: Sample, field: Coordinate, named: readonly string[]): Angle | undefined {
  const find = (part: ReturnType<typeof partOf>) => sample.columns.find((column) => partOf(field, column) === part)
  const [minutes, seconds, hemisphere] = [find('minutes'), find('seconds'), sideColumn(sample, field, named)]
  const degrees = find('degrees') ?? named.find((column) => column !== minutes && column !== seconds)
  if (degrees === undefined || minutes === undefined || hasDecimals(sample, degrees)) return undefined
  // `lat_min` beside `lat_max` is the least of a box.
  const most = minutes.toLowerCase().replace('min', 'max')
  if (sample.columns.some((column) => column !== minutes && column.toLowerCase() === most)) return undefined
  const areSmall = (column: string) => fits(textsIn(sample, column), (text) => Number(text.replace(',', '.')) < 60)
  if (!areSmall(minutes)) return undefined
  return { degrees, minutes, ...(seconds && { seconds }), ...(hemisphere && { hemisphere }) }
}

const SIDES = {
  latitude: /^(n|s|north|south|북위?|남위?|[北南][緯纬]?)$/i,
  longitude: /^(e|w|east|west|동경?|서경?|[東东西][経經经]?)$/i,
}

/** The column of the sides of a coordinate: it is called so or stands beside a column of it, and has no other texts. */
function sideColumn(sample: Sample, field: Coordinate, own: readonly string[]): string | undefined {
  const { columns } = sample
  const isBeside = (index: number) =>
    [columns[index - 1], columns[index + 1]].some(
      (column) => column !== undefined && (own.includes(column) || partOf(field, column) !== undefined),
    )
  return columns.find(
    (column, index) =>
      (partOf(field, column) === 'hemisphere' || isBeside(index)) &&
      fits(textsIn(sample, column), (text) => SIDES[field].test(text)),
  )
}

/** Adds the columns of the sides, if the degrees have none of their own. */
function withSides(sample: Sample, degrees: Pair): Pick<Columns, Coordinate> {
  const sourceOf = (field: Coordinate): ColumnSource => {
    const hemisphere = sideColumn(sample, field, [degrees[field]])
    const isSigned = textsIn(sample, degrees[field]).some((text) => /^-|[nsew]$/i.test(text))
    return hemisphere === undefined || isSigned ? degrees[field] : { degrees: degrees[field], hemisphere }
  }
  return { latitude: sourceOf('latitude'), longitude: sourceOf('longitude') }
}

/** Says that a column is called like degrees to the south or west, and has no minus. */
function sideChoice(sample: Sample, field: Coordinate, column: string): Choice[] {
  const side = sideOf(column)
  const [first = '', ...others] = textsIn(sample, column)
  if (side === undefined || [first, ...others].some((text) => /^[-−]|[nsew]/i.test(text))) return []
  if ((side === 'S') !== (field === 'latitude')) return []
  const [taken, other] = side === 'S' ? ['north', 'south'] : ['east', 'west']
  return openChoice(field, [
    { choice: `to the ${taken}, as ${column} has no minus`, example: first, write: written({ [field]: column }) },
    {
      choice: `to the ${other}, as its name says`,
      example: `-${first}`,
      write: written({ [field]: { degrees: column, hemisphere: { value: side } } }),
    },
  ])
}

/** Says that whole degrees are only near a place, as minutes may stand in columns that are called otherwise. */
function wholeChoice(sample: Sample, degrees: Pair): Choice[] {
  if (COORDINATES.some((field) => hasDecimals(sample, degrees[field]))) return []
  const inParts = COORDINATES.map((field) => [field, { degrees: degrees[field], minutes: '…' }])
  return openChoice('whole degrees', [
    { choice: 'a place may be 80 km from its degrees', example: '', write: written({ ...degrees }) },
    { choice: 'with columns of minutes', example: '', write: written(Object.fromEntries(inParts)) },
  ])
}

/** Says which of `x` and `y` is the latitude, if either could be. */
async function orderChoice(
  sample: Sample,
  { latitude, longitude }: Pair,
  decimal: Dialect['decimal'],
): Promise<Choice[]> {
  const read = (column: string) => textsIn(sample, column).map((text) => readNumber(text, 'longitude', decimal, false))
  const [[north], [east], easts] = [read(latitude), read(longitude), read(longitude)]
  const isNamed = latitude === longitude || (isAngleName(latitude) && isAngleName(longitude))
  if (isNamed || north === undefined || east === undefined || easts.some((each) => Math.abs(each) > LIMITS.latitude))
    return []
  const understand = async (columns: Pair, place: Record<Coordinate, number>) => ({
    choice: `${columns.latitude} to the north, ${columns.longitude} to the east`,
    example: `the first place is in ${await describePlace(place)}`,
    write: written(columns),
  })
  return openChoice('latitude and longitude', [
    await understand({ latitude, longitude }, { latitude: north, longitude: east }),
    await understand({ latitude: longitude, longitude: latitude }, { latitude: east, longitude: north }),
  ])
}

function exchangedChoice(columns: Pair): Choice {
  const choice = `${columns.longitude} to the east, against its name: it has more than 90 degrees`
  return { what: 'latitude and longitude', readings: [{ choice, example: '', write: written({ ...columns }) }] }
}

/** Says why columns that are called like coordinates are none. */
export function explainUnread(sample: Sample, { decimal }: Position): string[] {
  const number = sample.columns.find((column) => /^-?\d{1,3}[.,]\d+$/.test(column))
  if (number !== undefined)
    return [`the first line has no names but values such as ${number}; add a line with names above it`]
  const { latitude, longitude } = findCoordinates(sample.columns)
  return [...new Set([...latitude, ...longitude])].flatMap((column) => {
    const limit = longitude.includes(column) ? LIMITS.longitude : LIMITS.latitude
    const wrong = textsIn(sample, column).flatMap((text) => {
      const what = describeWrong(column, text, decimal, limit)
      return what === undefined ? [] : `the column ${column} has ${text.slice(0, SHOWN)}, ${what}`
    })
    return wrong.slice(0, 1)
  })
}

/** Characters of a value that are shown. */
const SHOWN = 60

/** Says why a text is no number of degrees up to a limit; undefined if it is one. */
function describeWrong(column: string, text: string, decimal: Dialect['decimal'], limit: number): string | undefined {
  if (/e7\b/i.test(column) && /^-?\d{6,}$/.test(text)) return 'degrees times 10,000,000: divide by it'
  const what = describeCoordinate(text)
  if (what !== undefined) return `${what}; write latitude and longitude into two columns, as numbers of degrees`
  const number = Math.abs(readNumber(text, 'longitude', decimal, false))
  if (number <= limit) return undefined
  if (number <= LIMITS.longitude) return `more than ${limit} degrees; some rows may have both columns exchanged`
  return number > limit
    ? 'no number of degrees: perhaps metres, degrees without signs, or a lost decimal sign'
    : 'no number of degrees'
}
