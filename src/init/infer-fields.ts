import { shorten } from '../errors/errors.ts'
import { columnsOfField, textOf } from '../rows/column-mapping.ts'
import type { Inference } from '../rows/inference.ts'
import type { Columns } from '../rows/manifest.ts'
import type { CheckedFile } from './check-file.ts'
import { ID_NAMES, matches, START_NAME } from './column-names.ts'
import { areDates, countRepeated, type Sample } from './guess-columns.ts'

/** The number of columns that are offered in place of a guess. */
const MAX_ALTERNATIVES = 3
const MAX_EXAMPLE_LENGTH = 80

/** Says what an identity means that no usual name of a key proves: nothing in the file shows that a changed place is the same one. */
export function inferIdentity(columns: Columns, sample: Sample, { items: [first] }: CheckedFile): Inference[] {
  const { externalId } = columns
  const write = `"externalId": ${JSON.stringify(externalId)}`
  const example = first?.externalId ?? ''
  if (typeof externalId === 'string' && !ID_NAMES.some((pattern) => matches(pattern, externalId))) {
    const choice = `the column ${externalId}, as no row repeats it; it must never change`
    return [{ what: 'identity', chosen: { choice, example, write }, alternatives: [] }]
  }
  if (typeof externalId !== 'object' || !('template' in externalId)) return []
  const parts = columnsOfField(columns, 'externalId')
  const isDated = parts.some((part) => matches(START_NAME, part))
  const moves = parts.some((part) => part === columns.latitude || part === columns.longitude)
  const change = moves ? 'that moves or changes its name' : `whose name or ${isDated ? 'date' : 'address'} changes`
  const choice = `${parts.join(' and ')}, so a place ${change} becomes a new item with another id`
  const facts = Object.keys(columns).filter((field) => field !== 'extraAttributes' && field !== 'url')
  const used = [...parts, ...facts.flatMap((field) => columnsOfField(columns, field))]
  const unique = sample.columns.filter((column) => !used.includes(column) && mayBeKey(sample, column))
  const alternatives = unique.slice(0, MAX_ALTERNATIVES).map((column) => ({
    choice: `the column ${column}, if it never changes`,
    example: shorten(textOf(sample.rows[0]?.[column]), MAX_EXAMPLE_LENGTH),
    write: `"externalId": ${JSON.stringify(column)}`,
  }))
  return [{ what: 'identity', chosen: { choice, example, write }, alternatives }]
}

/** Whether no row repeats the value of a column, and the values are neither dates nor amounts. */
function mayBeKey(sample: Sample, column: string): boolean {
  if (countRepeated(sample, [column]) > 0 || areDates(sample, column)) return false
  const texts = sample.rows.map((row) => textOf(row[column]).trim())
  const areAmounts = texts.some((text) => text.length !== texts[0]?.length) || texts.some((text) => /[., ]/.test(text))
  return !(areAmounts && texts.every((text) => /^[+-]?\d[\d., ]*$/.test(text)))
}

/** Says which codes items get if no column, or only an empty cell, has them; and which columns have few different values. */
export function inferCodes(columns: Columns, sample: Sample, { empty }: CheckedFile): Inference[] {
  const isPlace = (field: string) => field === 'addressRegion' || field === 'addressLocality'
  const facts = Object.keys(columns).filter((field) => field !== 'extraAttributes' && !isPlace(field))
  const used = facts.flatMap((field) => columnsOfField(columns, field))
  return (['administrativeAreaCode', 'categoryCode'] as const).flatMap((field) => {
    const source = columns[field]
    if (typeof source !== 'object' || Array.isArray(source)) return []
    const write = `"${field}": ${JSON.stringify(source)}`
    if ('column' in source && 'default' in source) {
      const choice = `${JSON.stringify(source.default)} where the column ${source.column} is empty`
      return { what: field, chosen: { choice, example: `line ${empty.get(field)}`, write }, alternatives: [] }
    }
    if (!('value' in source)) return []
    const choice = `${JSON.stringify(source.value)}, as no column was recognised for it`
    const alternatives = sample.columns.flatMap((column) => {
      const texts =
        used.includes(column) || areDates(sample, column) ? [] : sample.rows.map((row) => textOf(row[column]).trim())
      const values = [...new Set(texts)].filter((text) => text !== '')
      if (values.length < 2 || values.length > Math.min(MAX_VALUES, texts.length / 2)) return []
      const example = `${shorten(values[0] ?? '', MAX_EXAMPLE_LENGTH)}, one of ${values.length} values`
      return { choice: `the column ${column}`, example, write: `"${field}": ${JSON.stringify(column)}` }
    })
    return {
      what: field,
      chosen: { choice, example: '', write },
      alternatives: alternatives.slice(0, MAX_ALTERNATIVES),
    }
  })
}

/** Columns with more different values are no codes. */
const MAX_VALUES = 100
