import type { CoordinateField } from './coordinate-text.ts'
import { plainNumber } from './coordinate-text.ts'
import type { Dialect } from './formats/dialect.ts'

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

/** One is 11 mm. */
const DECIMALS = 7
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
