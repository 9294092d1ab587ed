import type { Dialect } from './formats/source.ts'

export type CoordinateField = 'latitude' | 'longitude'

/** How a coordinate is written. */
interface CoordinateStyle {
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

/** Returns one number of a text with both coordinates; undefined for another text. */
export function plainPair(text: string, field: CoordinateField): string | undefined {
  return text.length > MAX_LENGTH ? undefined : fromPair(withPlainCharacters(text), field)
}

/** What others write in place of the signs of an angle and of its sides, of digits, and of a point or a minus. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2212\u2013\uff0d]/g, '-'],
  [/[\u066b\uff0e]/g, '.'],
  [/[\u00a0\u066c\u2007\u2009\u202f\u3000]/g, ' '],
  [/[\u00ba\u02da도度]|(?<=\d *)(?:deg(?:rees?)?\b|d(?=\d))/gi, '°'],
  [/[\u2032\u2019\u02b9\u00b4분分]|(?<=\d *)min(?:utes?)?\b/gi, "'"],
  [/[\u2033\u201d\u02ba초秒]|''|(?<=\d *)sec(?:onds?)?\b/gi, '"'],
  [/북위|北[緯纬]/g, 'N'],
  [/남위|南[緯纬]/g, 'S'],
  [/동경|[東东][経經经]/g, 'E'],
  [/서경|西[経經经]/g, 'W'],
]

/** Writes the characters of other scripts and of typesetters as those of a keyboard. */
function withPlainCharacters(text: string): string {
  const withDigits = text.replace(/[\uff0b-\uff0f]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
  const digits = withDigits.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitOf(digit)))
  return PLAIN.reduce((plain, [pattern, sign]) => plain.replace(pattern, sign), digits).trim()
}

/** The value of a digit of any script. Ten digits follow each other, from a code that ends in 0 or 6 (Unicode 16). */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  const isFromStart = /\p{Nd}/u.test(String.fromCodePoint(code - (code % 16)))
  return (code % 16) - (isFromStart ? 0 : 6)
}

const POINT =
  /^(?:SRID=4326;)? *POINT *(?:ZM?|M)? *\( *([+-]?\d+(?:\.\d+)?) +([+-]?\d+(?:\.\d+)?)(?: +[+-]?\d+(?:\.\d+)?){0,2} *\)$/i
/** A point of GeoJSON, with its members in any order. */
const JSON_POINT =
  /^\{(?=.*"type": ?"Point").*"coordinates": ?\[ ?([+-]?\d+(?:\.\d+)?), ?([+-]?\d+(?:\.\d+)?)(?:, ?[+-]?\d+(?:\.\d+)?)? ?\]/
const PAIR = /^[([]? *([+-]?\d+\.\d+) *[,; ] *([+-]?\d+\.\d+) *[)\]]?$/
const LIST = /^\[ *([+-]?\d+(?:\.\d+)?) *, *([+-]?\d+(?:\.\d+)?) *\]$/
const LARGEST_LATITUDE = 90

/** One number of a point of WKT or GeoJSON, which has the longitude first; or of a pair in which one number is too large for a latitude. */
function fromPair(text: string, field: CoordinateField): string | undefined {
  const [, x, y] = POINT.exec(text) ?? JSON_POINT.exec(text) ?? []
  if (x !== undefined) return field === 'longitude' ? x : y
  const [, first, second] = PAIR.exec(text) ?? LIST.exec(text) ?? []
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

/** Degrees, minutes and seconds with one sign between them, and with a side unless that is a colon: `37:30:00`, `37 30 00 N`. */
const PARTS = /^([NSEW]?) *([+-]?\d{1,3})([: -])(\d{1,2}(?:\.\d+)?)(?:\3(\d{1,2}(?:\.\d+)?))? *([NSEW]?)$/i
/** Degrees, minutes and seconds without signs between them, as in aviation: `373000N`. */
const PACKED = /^([NSEW]?) *([+-]?\d{1,3})([0-5]\d)([0-5]\d(?:\.\d+)?) *([NSEW]?)$/i

function withSigns(text: string): string {
  const [, before = '', degrees, sign, minutes, seconds, after = ''] = PARTS.exec(text) ?? []
  const hasSide = before + after !== ''
  if (degrees !== undefined && (sign === ':' || hasSide))
    return `${before}${degrees}°${minutes}'${seconds === undefined ? '' : `${seconds}"`}${after}`
  const [, first = '', , , , last = ''] = PACKED.exec(text) ?? []
  if (first + last === '') return text.includes('°') ? text.replace(',', '.') : text
  return text.replace(PACKED, '$1$2°$3\'$4"$5')
}

/** Degrees with a sign or a side: `37°33'58"N`, `N 37.5`, `37.5°`. */
function fromDegrees(text: string, { field, areMetres }: CoordinateStyle): string | undefined {
  const [, before = '', sign, degrees, minutes = '0', seconds = '0', after = ''] = DEGREES.exec(withSigns(text)) ?? []
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

/**
 * Returns a number of any unit as JSON has it, where only one reading is possible; else a text that is no such number. A manifest that names
 * the decimal sign says that the other one separates thousands.
 */
export function plainNumber(text: string, decimal: Dialect['decimal']): string {
  if (decimal !== ',' && SIMPLE.test(text)) return text
  const plain = withPlainCharacters(text)
  if (BY_SPACES.test(plain)) return plain.replace(/[ ']/g, '').replace(',', '.')
  const pointed = decimal === ',' ? plain.replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ',')) : plain
  const isCertain = decimal !== undefined || (plain.match(/[.,]/g) ?? []).length > 1
  return isCertain && BY_COMMAS.test(pointed) ? pointed.replaceAll(',', '') : pointed
}

/** Says what a text is that is no number; undefined if that is unknown. */
export function describeCoordinate(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const plain = withPlainCharacters(text)
  if (/^[([]? *[+-]?\d+(?:\.\d+)? *[,; ] *[+-]?\d+(?:\.\d+)? *[)\]]?$/.test(plain)) return 'a pair of numbers'
  const [, srid] = /^SRID=(\d+);/i.exec(plain) ?? []
  if (srid !== undefined && srid !== '4326') return `a geometry in the reference system ${srid}`
  if (/^(?:SRID=\d+; *)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\b/i.test(plain)) return 'a geometry in WKT'
  if (/^0[01][0-9a-f]{16,}$/i.test(plain)) return 'a geometry in WKB'
  if (/°/.test(plain)) return 'an angle'
  if (/^[([{].*\d.*[)\]}]$/.test(plain)) return 'a list or an object'
  return /^\d{1,2}[A-Z]{3} ?\d+ ?\d+$/i.test(plain) ? 'a reference of MGRS' : undefined
}

/** A coordinate in several columns, as texts. A column that the file does not have is undefined. */
export class Angle {
  readonly degrees: string
  readonly minutes: string
  readonly seconds: string
  readonly hemisphere: string | undefined

  constructor(parts: { degrees: string; minutes: string; seconds: string; hemisphere: string | undefined }) {
    this.degrees = parts.degrees.trim()
    this.minutes = parts.minutes.trim()
    this.seconds = parts.seconds.trim()
    this.hemisphere = parts.hemisphere?.trim()
  }

  get text(): string {
    return [this.degrees, this.minutes, this.seconds, this.hemisphere ?? ''].filter((part) => part !== '').join(' ')
  }
}

/** What the hemispheres are called: in English, French, Spanish, Portuguese, German, Italian, Korean, Chinese and Japanese. */
const HEMISPHERES: Readonly<Record<CoordinateField, readonly [positive: RegExp, negative: RegExp]>> = {
  latitude: [
    /^(n|north(ern)?|nord|norte|nórdico|북|북위|북반구|北|北緯|北纬)$/i,
    /^(s|south(ern)?|süd|sued|sud|sur|sul|남|남위|남반구|南|南緯|南纬)$/i,
  ],
  longitude: [
    /^(e|east(ern)?|ost|est|este|leste|동|동경|東|東経|东|东经)$/i,
    /^(w|west(ern)?|ouest|oeste|ovest|서|서경|西|西経|西经)$/i,
  ],
}

const NUMBER = /^([+-]?)(\d+(?:\.\d+)?)$/

/** Returns the degrees of an angle as a number with a decimal point, or why it has none. */
export function degreesOf(
  angle: Angle,
  field: CoordinateField,
  decimal: Dialect['decimal'],
): { degrees: string } | { reason: string } {
  const [degrees = '', ...smaller] = [angle.degrees, angle.minutes, angle.seconds].map((part) =>
    plainNumber(part.replace(/[°'"′″]$/, ''), decimal),
  )
  const [, sign = '', whole] = NUMBER.exec(degrees) ?? []
  if (whole === undefined) return { reason: `${field} must have a number of degrees` }
  const wrong = findWrongPart([whole, ...smaller])
  if (wrong !== undefined) return { reason: `${field} ${wrong}` }
  const isNegative = signOf(angle.hemisphere, sign, Number(whole) !== 0, field)
  if (typeof isNegative === 'string') return { reason: `${field} ${isNegative}` }
  const minus = isNegative ? '-' : ''
  const [minutes = 0, seconds = 0] = smaller.map(Number)
  if (minutes === 0 && seconds === 0) return { degrees: minus + whole }
  return { degrees: minus + (Number(whole) + minutes / 60 + seconds / 3600).toFixed(DECIMALS) }
}

/** Says what is wrong with minutes or seconds: they are below 60, and only the smallest unit has a fraction. */
function findWrongPart([degrees = '', minutes = '', seconds = '']: readonly string[]): string | undefined {
  for (const part of [minutes, seconds]) {
    if (part !== '' && !(NUMBER.exec(part)?.[1] === '' && Number(part) < 60))
      return 'must have minutes and seconds from 0 to below 60'
  }
  const isBroken = (part: string) => Number(part) % 1 !== 0
  const hasSmaller = (isBroken(degrees) && minutes + seconds !== '') || (isBroken(minutes) && seconds !== '')
  return hasSmaller ? 'has a fraction before a smaller unit' : undefined
}

/** Whether an angle is negative, or why that is not known. */
function signOf(
  hemisphere: string | undefined,
  sign: string,
  needsSide: boolean,
  field: CoordinateField,
): boolean | string {
  const [positive, negative] = HEMISPHERES[field]
  const letters = field === 'latitude' ? 'N or S' : 'E or W'
  if (hemisphere === undefined || (hemisphere === '' && (sign !== '' || !needsSide))) return sign === '-'
  if (/^o$/i.test(hemisphere))
    return `has the hemisphere O, which is east in German and west in French and Spanish; write ${letters}`
  const isNegative = negative.test(hemisphere)
  if (!isNegative && !positive.test(hemisphere)) return `must have the hemisphere ${letters}`
  return sign !== '' && (sign === '-') !== isNegative ? `has the sign ${sign} and another hemisphere` : isNegative
}
