import type { Dialect } from './formats/source.ts'
import { Misfit } from './parse-item.ts'

export const COORDINATES = ['latitude', 'longitude'] as const
export type CoordinateField = (typeof COORDINATES)[number]

interface CoordinateStyle {
  field: CoordinateField
  decimal: Dialect['decimal']
  /** Whether it is in metres, not in degrees. */
  areMetres: boolean
}

const SIMPLE = /^[+-]?\d*(?:\.\d*)?$/
const MAX_LENGTH = 200

/** Returns a coordinate as a number with a decimal point, where only one reading is possible; else the text as it is. */
export function plainCoordinate(text: string, style: CoordinateStyle): string {
  if (text.length > MAX_LENGTH || (style.decimal !== ',' && SIMPLE.test(text))) return text
  const plain = withPlainCharacters(text)
  const number = fromPair(plain, style.field) ?? fromDegrees(plain, style)
  if (number !== undefined) return number
  const pointed = style.decimal === ',' ? plain.replace(/,(?=\d)/, '.') : plain
  return fromGroups(plain, style.decimal, style.areMetres) ?? pointed
}

/** Returns one number of a text with both coordinates; undefined for another text. */
export function plainPair(text: string, field: CoordinateField): string | undefined {
  return text.length > MAX_LENGTH ? undefined : fromPair(withPlainCharacters(text), field)
}

/** What others write in place of the signs of an angle and of its sides, of digits, and of a point or a minus. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2212\u2013\uff0d]/g, '-'],
  [/[\u066b\uff0e]/g, '.'],
  [/\p{Cf}/gu, ''],
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

const isLongitude = (number: string | undefined) => Math.abs(Number(number)) > LARGEST_LATITUDE

/** One number of a point of WKT or GeoJSON, which has the longitude first; or of a pair in which one number is too large for a latitude. */
function fromPair(text: string, field: CoordinateField): string | undefined {
  const [, x, y] = POINT.exec(text) ?? JSON_POINT.exec(text) ?? []
  if (x !== undefined) return field === 'longitude' ? x : y
  const [, first, second] = PAIR.exec(text) ?? LIST.exec(text) ?? []
  if (isLongitude(first) === isLongitude(second)) return undefined
  return isLongitude(first) === (field === 'longitude') ? first : second
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
  if (first + last === '') return /[°NSEW]/i.test(text) ? text.replace(',', '.') : text
  return text.replace(PACKED, '$1$2°$3\'$4"$5')
}

/** Degrees with a sign or a side: `37°33'58"N`, `N 37.5`, `37.5°`. */
function fromDegrees(text: string, { field, areMetres }: CoordinateStyle): string | undefined {
  const [, before = '', sign = '', degrees, minutes, seconds, after = ''] = DEGREES.exec(withSigns(text)) ?? []
  const side = (before || after).toUpperCase()
  if (degrees === undefined || areMetres || (before !== '' && after !== '') || !SIDES[field].includes(side))
    return undefined
  if (Number(minutes ?? 0) >= 60 || Number(seconds ?? 0) >= 60 || (sign !== '' && side !== '')) return undefined
  return inDecimals(side === 'S' || side === 'W' ? '-' : sign, degrees, minutes, seconds)
}

function inDecimals(sign: string, degrees: string, minutes = '', seconds = ''): string {
  if (Number(minutes) === 0 && Number(seconds) === 0) return sign + degrees
  return sign + (Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600).toFixed(DECIMALS)
}

const BY_SPACES = /^[+-]?\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?$/
const BY_COMMAS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/

/** Writes the signs of a number as in English. */
const inEnglish = (text: string, decimal: Dialect['decimal']) =>
  decimal === ',' ? text.replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ',')) : text

/** A number with its digits in groups of three. Without certainty, one comma or one point separates no thousands. */
function fromGroups(text: string, decimal: Dialect['decimal'], isCertain: boolean): string | undefined {
  if (BY_SPACES.test(text)) return text.replace(/[ ']/g, '').replace(',', '.')
  const english = inEnglish(text, decimal)
  const isGrouped = BY_COMMAS.test(english) && (isCertain || (text.match(/[.,]/g) ?? []).length > 1)
  return isGrouped ? english.replaceAll(',', '') : undefined
}

/**
 * Returns a number of any unit as JSON has it, where only one reading is possible; else a text that is no such number. A manifest that names
 * the decimal sign says that the other one separates thousands.
 */
export function plainNumber(text: string, decimal: Dialect['decimal']): string {
  if (decimal !== ',' && SIMPLE.test(text)) return text
  const plain = withPlainCharacters(text)
  return fromGroups(plain, decimal, decimal !== undefined) ?? inEnglish(plain, decimal)
}

/** Says what a text is that is no number; undefined if that is unknown. */
export function describeCoordinate(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const plain = withPlainCharacters(text)
  if (/^[+-]?\d+,\d+$/.test(plain)) return 'a pair of numbers, or one with a decimal comma'
  if (/^[([]? *[+-]?\d+(?:\.\d+)? *[,; ] *[+-]?\d+(?:\.\d+)? *[)\]]?$/.test(plain)) return 'a pair of numbers'
  const [, srid] = /^SRID=(\d+);/i.exec(plain) ?? []
  if (srid !== undefined && srid !== '4326') return `a geometry in the reference system ${srid}`
  if (/^(?:SRID=\d+; *)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\b/i.test(plain)) return 'a geometry in WKT'
  if (/^0[01][0-9a-f]{16,}$/i.test(plain)) return 'a geometry in WKB'
  if (/^(?:\d[^a-z]*O|O *\d[^a-z]*)$/i.test(plain))
    return 'an angle to O, which is east in German and west in French and Spanish'
  if (/°/.test(plain)) return 'an angle'
  if (/^[([{].*\d.*[)\]}]$/.test(plain)) return 'a list or an object'
  return /^\d{1,2}[A-Z]{3} ?\d+ ?\d+$/i.test(plain) ? 'a reference of MGRS' : undefined
}

/** A coordinate in several columns, as texts: degrees, minutes and seconds, which may be empty, and the hemisphere, if there is a column for it. */
export class Angle {
  readonly parts: readonly string[]
  readonly hemisphere: string | undefined

  constructor(parts: readonly string[], hemisphere: string | undefined) {
    this.parts = parts.map((part) => part.trim())
    this.hemisphere = hemisphere?.trim()
  }

  get text(): string {
    return [...this.parts, this.hemisphere ?? ''].filter((part) => part !== '').join(' ')
  }
}

/** What the hemispheres are called: as signs, in English, French, Spanish, Portuguese, German, Italian, Korean, Chinese and Japanese. */
const HEMISPHERES: Readonly<Record<string, RegExp>> = {
  N: /^(\+?1(\.0+)?|n|north(ern)?|nord|norte|nórdico|북|북위|북반구|北|北緯|北纬)$/i,
  S: /^([-−]1(\.0+)?|s|south(ern)?|süd|sued|sud|sur|sul|남|남위|남반구|南|南緯|南纬)$/i,
  E: /^(\+?1(\.0+)?|e|east(ern)?|ost|est|este|leste|동|동경|東|東経|东|东经)$/i,
  W: /^([-−]1(\.0+)?|w|west(ern)?|ouest|oeste|ovest|서|서경|西|西経|西经)$/i,
}

/** Whether a text is a hemisphere of a coordinate. `O` is east in German and west in French, so it is one of a longitude. */
export function isHemisphere(text: string, field: CoordinateField): boolean {
  const isO = field === 'longitude' && /^o$/i.test(text)
  return isO || [...SIDES[field]].some((letter) => HEMISPHERES[letter]?.test(text))
}

const NUMBER = /^([+-]?)(\d+(?:\.\d+)?)$/

/** Returns the degrees of an angle as a number with a decimal point, or why it has none. */
export function degreesOf(
  { parts, hemisphere }: Angle,
  field: CoordinateField,
  decimal: Dialect['decimal'],
): string | Misfit {
  const [degrees = '', ...smaller] = parts.map((part) => plainNumber(part.replace(/[°'"′″]$/, ''), decimal))
  const [, sign = '', whole] = NUMBER.exec(degrees) ?? []
  if (whole === undefined) return new Misfit(`${field} must have a number of degrees`, [field])
  const side = sideOf(hemisphere, sign, field, Number(whole) !== 0)
  const wrong = findWrongPart(whole, ...smaller) ?? side.wrong
  return wrong === undefined ? inDecimals(side.sign, whole, ...smaller) : new Misfit(`${field} ${wrong}`, [field])
}

/** Says what is wrong with minutes or seconds: they are below 60, and only the smallest unit has a fraction. */
function findWrongPart(degrees: string, minutes = '', seconds = ''): string | undefined {
  const isPart = (part: string) => part === '' || (NUMBER.exec(part)?.[1] === '' && Number(part) < 60)
  if (!isPart(minutes) || !isPart(seconds)) return 'must have minutes and seconds from 0 to below 60'
  const isBroken = (part: string) => Number(part) % 1 !== 0
  const hasSmaller = (isBroken(degrees) && minutes + seconds !== '') || (isBroken(minutes) && seconds !== '')
  return hasSmaller ? 'has a fraction before a smaller unit' : undefined
}

/** The sign of an angle, or what is wrong with its hemisphere. */
function sideOf(
  hemisphere: string | undefined,
  sign: string,
  field: CoordinateField,
  isNeeded: boolean,
): { sign: string; wrong?: string } {
  if (hemisphere === undefined || (hemisphere === '' && (sign !== '' || !isNeeded)))
    return { sign: sign.replace('+', '') }
  const letters = [...SIDES[field]]
  if (/^o$/i.test(hemisphere)) {
    const wrong = `has the hemisphere O, which is east in German and west in French and Spanish; write ${letters.join(' or ')}`
    return { sign, wrong }
  }
  const side = letters.find((letter) => HEMISPHERES[letter]?.test(hemisphere))
  if (side === undefined) return { sign, wrong: `must have the hemisphere ${letters.join(' or ')}` }
  const other = side === letters[1] ? '-' : ''
  const isOther = sign !== '' && sign !== (other || '+')
  return isOther ? { sign, wrong: `has the sign ${sign} and another hemisphere` } : { sign: other }
}
