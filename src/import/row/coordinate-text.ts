import type { Dialect } from '../formats/dialect.ts'

export type CoordinateField = 'latitude' | 'longitude'

/** How a coordinate is written. */
export interface CoordinateStyle {
  field: CoordinateField
  decimal: Dialect['decimal']
  /** Whether it is no degrees. */
  areMetres: boolean
}

const SIMPLE = /^[+-]?\d*(?:\.\d*)?$/
/** Longer texts are no coordinate. */
const MAX_LENGTH = 200

/** Returns a coordinate as a number with a decimal point, where only one reading is possible; else the text as it is. */
export function plainCoordinate(text: string, style: CoordinateStyle): string {
  if (text.length > MAX_LENGTH || (style.decimal !== ',' && SIMPLE.test(text))) return text
  const plain = withPlainCharacters(text)
  return fromPair(plain, style.field) ?? fromDegrees(plain, style) ?? fromGroups(plain, style) ?? plain
}

/** Writes the characters of other scripts and of typesetters as those of a keyboard. */
function withPlainCharacters(text: string): string {
  return text
    .replace(/[\uff0b-\uff19]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/[\u00a0\u2007\u2009\u202f\u3000]/g, ' ')
    .replace(/[\u00ba\u02da]/g, '°')
    .replace(/[\u2032\u2019\u02b9\u00b4]/g, "'")
    .replace(/[\u2033\u201d\u02ba]|''/g, '"')
    .trim()
}

const POINT = /^(?:SRID=4326;)? *POINT *\( *([+-]?\d+(?:\.\d+)?) +([+-]?\d+(?:\.\d+)?) *\)$/i
const PAIR = /^[([]? *([+-]?\d+\.\d+) *[,; ] *([+-]?\d+\.\d+) *[)\]]?$/
const LARGEST_LATITUDE = 90

/** One number of a point of WKT, which has the longitude first; or of a pair in which one number is too large for a latitude. */
function fromPair(text: string, field: CoordinateField): string | undefined {
  const [, x, y] = POINT.exec(text) ?? []
  if (x !== undefined) return field === 'longitude' ? x : y
  const [, first, second] = PAIR.exec(text) ?? []
  if (isLongitude(first) === isLongitude(second)) return undefined
  return isLongitude(first) === (field === 'longitude') ? first : second
}

function isLongitude(number: string | undefined): boolean {
  return Math.abs(Number(number)) > LARGEST_LATITUDE
}

const DEGREES =
  /^([NSEW]?) *([+-]?)(\d{1,3}(?:\.\d+)?) *°? *(?:(\d{1,2}(?:\.\d+)?) *' *(?:(\d{1,2}(?:\.\d+)?) *" *)?)?([NSEW]?)$/i
const SIDES = { latitude: 'NS', longitude: 'EW' }
/** One is 11 mm. */
const DECIMALS = 7

/** Degrees with a sign or a side: `37°33'58"N`, `N 37.5`, `37.5°`. */
function fromDegrees(text: string, { field, areMetres }: CoordinateStyle): string | undefined {
  const [, before = '', sign, degrees, minutes = '0', seconds = '0', after = ''] = DEGREES.exec(text) ?? []
  const side = (before || after).toUpperCase()
  if (degrees === undefined || areMetres || (before !== '' && after !== '') || !SIDES[field].includes(side))
    return undefined
  if (Number(minutes) >= 60 || Number(seconds) >= 60 || (sign !== '' && side !== '')) return undefined
  if (minutes === '0' && seconds === '0') return `${sign}${isNegative(side) ? '-' : ''}${degrees}`
  const value = Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600
  return (sign === '-' || isNegative(side) ? -value : value).toFixed(DECIMALS)
}

function isNegative(side: string): boolean {
  return side === 'S' || side === 'W'
}

const BY_SPACES = /^[+-]?\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?$/
const BY_COMMAS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const BY_POINTS = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/

/** A number with its digits in groups of three. One comma, or one point, separates thousands only in metres. */
function fromGroups(text: string, { decimal, areMetres }: CoordinateStyle): string | undefined {
  if (BY_SPACES.test(text)) return text.replace(/[ ']/g, '').replace(',', '.')
  const isCertain = (text.match(/[.,]/g) ?? []).length > 1
  const [pattern, sign] = decimal === ',' ? ([BY_POINTS, '.'] as const) : ([BY_COMMAS, ','] as const)
  const isGrouped = pattern.test(text) && (areMetres || isCertain)
  const plain = isGrouped ? text.replaceAll(sign, '') : text
  return decimal === ',' ? plain.replace(/,(?=\d)/, '.') : plain
}

/** Says what a text is that is no number; undefined if that is unknown. */
export function describeCoordinate(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const plain = withPlainCharacters(text)
  if (/^[([]? *[+-]?\d+(?:\.\d+)? *[,; ] *[+-]?\d+(?:\.\d+)? *[)\]]?$/.test(plain)) return 'a pair of numbers'
  if (/^(?:SRID=\d+; *)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\b/i.test(plain)) return 'a geometry in WKT'
  if (/^0[01][0-9a-f]{16,}$/i.test(plain)) return 'a geometry in WKB'
  if (/°/.test(plain)) return 'an angle'
  return /^\d{1,2}[A-Z]{3} ?\d+ ?\d+$/i.test(plain) ? 'a reference of MGRS' : undefined
}
