import { plainCoordinate } from '../rows/coordinate-text.ts'
import type { Dialect } from '../rows/formats/source.ts'
import { type Choice, openChoice, written } from './choice.ts'
import { isAngleName } from './header-names.ts'
import { type Sample, textsIn } from './sample.ts'

const NUMBER = /^[+-]?\d[\d.,]*$/
const LARGEST_LONGITUDE = 180

/** Texts in which a sign stands before exactly three digits each time, with at most three before the first. */
const GROUPS = {
  ',': /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/,
  '.': /^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$/,
}
/** Two of them, or both signs, can't be decimal signs. */
const CERTAIN = /[.,].*[.,]/

/** Finds the decimal sign of numbers in the given columns. It is undefined if it is a point, as by default. */
export function findDecimal(
  sample: Sample,
  columns: readonly string[],
): { decimal: Dialect['decimal']; choices: Choice[] } {
  const texts = columns.flatMap((column) => textsIn(sample, column)).filter((text) => NUMBER.test(text))
  const grouped = (['.', ','] as const).filter((sign) => areGroups(texts, sign))
  const [sign] = grouped.length === 1 ? grouped : []
  const areDegrees = columns.some(isAngleName)
  if (sign !== undefined && texts.some((text) => GROUPS[sign].test(text) && CERTAIN.test(text)))
    return { decimal: sign === '.' ? ',' : undefined, choices: [] }
  // Three decimals are usual in degrees, and three digits after a point are no question there.
  if (sign !== undefined && !(sign === '.' && areDegrees)) {
    const areSmall = texts.every((text) => Math.abs(Number(text)) <= LARGEST_LONGITUDE)
    const decimal = (sign === ',' ? areDegrees : !areSmall) ? ',' : '.'
    return { decimal, choices: decimalChoice(texts.find((text) => GROUPS[sign].test(text)) ?? '', decimal) }
  }
  const commas = texts.filter((text) => /^[+-]?\d[\d.]*,\d+$/.test(text)).length
  return {
    decimal: commas > texts.filter((text) => /^[+-]?\d+\.\d+$/.test(text)).length ? ',' : undefined,
    choices: [],
  }
}

/** Whether a sign stands in the texts, and only between groups of three digits. */
function areGroups(texts: readonly string[], sign: ',' | '.'): boolean {
  const having = texts.filter((text) => text.includes(sign))
  return having.length > 0 && having.every((text) => GROUPS[sign].test(text))
}

function decimalChoice(text: string, chosen: ',' | '.'): Choice[] {
  const choose = (decimal: ',' | '.') => {
    const number = plainCoordinate(text, { field: 'latitude', decimal, areMetres: true })
    const choice = decimal === ',' ? 'a comma' : 'a point'
    return { choice, example: `${text} is ${number}`, write: written({ decimal }) }
  }
  return openChoice('decimal', [choose(chosen), choose(chosen === ',' ? '.' : ',')])
}
