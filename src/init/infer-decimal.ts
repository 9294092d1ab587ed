import { textOf } from '../rows/column-mapping.ts'
import { plainCoordinate } from '../rows/coordinate-text.ts'
import type { Dialect } from '../rows/formats/dialect.ts'
import type { Fields } from '../rows/formats/source-row.ts'
import type { Choice, Inference } from '../rows/inference.ts'
import { isAngleName } from './column-names.ts'

const NUMBER = /^\s*[+-]?\d[\d.,]*\s*$/
const LARGEST_LONGITUDE = 180
const COMMA = /^\s*[+-]?\d[\d.]*,\d+\s*$/
const POINT = /^\s*[+-]?\d+\.\d+\s*$/

/** Texts in which a sign stands before exactly three digits each time, with at most three before the first. */
const GROUPS = {
  ',': /^\s*[+-]?\d{1,3}(,\d{3})+(\.\d+)?\s*$/,
  '.': /^\s*[+-]?\d{1,3}(\.\d{3})+(,\d+)?\s*$/,
}
/** Two of them, or both signs, can't be decimal signs. */
const CERTAIN = /[.,].*[.,]/

/** Finds the decimal sign of numbers in the given columns. It is undefined if it is a point, as by default. */
export function inferDecimal(
  rows: readonly Fields[],
  columns: readonly string[],
): { decimal: Dialect['decimal']; inference?: Inference } {
  const texts = rows.flatMap((row) => columns.map((column) => textOf(row[column]))).filter((text) => NUMBER.test(text))
  const grouped = (['.', ','] as const).filter((sign) => areGroups(texts, sign))
  const [sign] = grouped.length === 1 ? grouped : []
  const areDegrees = columns.some(isAngleName)
  if (sign !== undefined && texts.some((text) => GROUPS[sign].test(text) && CERTAIN.test(text)))
    return { decimal: sign === '.' ? ',' : undefined }
  // Three decimals are usual in degrees, and three digits after a point are no question there.
  if (sign !== undefined && !(sign === '.' && areDegrees)) {
    const areSmall = texts.every((text) => Math.abs(Number(text)) <= LARGEST_LONGITUDE)
    const decimal = (sign === ',' ? areDegrees : !areSmall) ? ',' : '.'
    return { decimal, inference: sayDecimal(texts.find((text) => GROUPS[sign].test(text)) ?? '', decimal) }
  }
  const commas = texts.filter((text) => COMMA.test(text)).length
  return { decimal: commas > texts.filter((text) => POINT.test(text)).length ? ',' : undefined }
}

/** Whether a sign stands in the texts, and only between groups of three digits. */
function areGroups(texts: readonly string[], sign: ',' | '.'): boolean {
  const having = texts.filter((text) => text.includes(sign))
  return having.length > 0 && having.every((text) => GROUPS[sign].test(text))
}

function sayDecimal(text: string, chosen: ',' | '.'): Inference {
  const choose = (decimal: ',' | '.'): Choice => {
    const number = plainCoordinate(text.trim(), { field: 'latitude', decimal, areMetres: true })
    const choice = decimal === ',' ? 'a comma' : 'a point'
    return { choice, example: `${text.trim()} is ${number}`, write: `"decimal": "${decimal}"` }
  }
  return { what: 'decimal', chosen: choose(chosen), alternatives: [choose(chosen === ',' ? '.' : ',')] }
}
