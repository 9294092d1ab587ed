import { plainCoordinate } from '../rows/coordinate-text.ts'
import type { Dialect } from '../rows/formats/source.ts'
import { type Choice, openChoice, toReading } from './choice.ts'
import { isAngleName } from './header-names.ts'
import type { Sample } from './sample.ts'

const LARGEST_LONGITUDE = 180

/** Texts in which a sign stands before exactly three digits each time, with at most three before the first. */
const GROUPS = {
  ',': /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/,
  '.': /^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$/,
}

/** Finds the decimal sign of numbers in the given columns. It is undefined if it is a point, as by default. */
export function findDecimal(
  sample: Sample,
  columns: readonly string[],
): { decimal: Dialect['decimal']; choices: Choice[] } {
  const texts = columns.flatMap((column) => sample.texts(column)).filter((text) => /^[+-]?\d[\d.,]*$/.test(text))
  const groups = (sign: ',' | '.') => texts.filter((text) => GROUPS[sign].test(text))
  // A sign that stands in the texts, and only between groups of three digits.
  const grouped = (['.', ','] as const).filter((sign) => {
    const having = texts.filter((text) => text.includes(sign))
    return having.length > 0 && having.every((text) => GROUPS[sign].test(text))
  })
  const [sign] = grouped.length === 1 ? grouped : []
  const areDegrees = columns.some(isAngleName)
  // Two of them, or both signs, can't be decimal signs.
  if (sign !== undefined && groups(sign).some((text) => /[.,].*[.,]/.test(text)))
    return { decimal: sign === '.' ? ',' : undefined, choices: [] }
  // Three decimals are usual in degrees, and three digits after a point are no question there.
  if (sign !== undefined && !(sign === '.' && areDegrees)) {
    const areSmall = texts.every((text) => Math.abs(Number(text)) <= LARGEST_LONGITUDE)
    const decimal = (sign === ',' ? areDegrees : !areSmall) ? ',' : '.'
    const [text = ''] = groups(sign)
    const signs = decimal === ',' ? ([',', '.'] as const) : (['.', ','] as const)
    return {
      decimal,
      choices: openChoice(
        'decimal',
        signs.map((each) => readingWith(each, text)),
      ),
    }
  }
  const having = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length
  const haveCommas = having(/^[+-]?\d[\d.]*,\d+$/) > having(/^[+-]?\d+\.\d+$/)
  return { decimal: haveCommas ? ',' : undefined, choices: [] }
}

function readingWith(decimal: ',' | '.', text: string) {
  const number = plainCoordinate(text, { field: 'latitude', decimal, areMetres: true })
  return toReading(decimal === ',' ? 'a comma' : 'a point', `${text} is ${number}`, { decimal })
}
