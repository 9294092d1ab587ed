import { shorten } from '../../errors/errors.ts'
import type { Choice, Inference } from '../inference.ts'
import type { Columns } from '../manifest.ts'
import { columnsOfField, textOf } from '../row/column-mapping.ts'
import type { CheckedFile } from './check-file.ts'
import { matches, START_NAME } from './column-names.ts'
import { countRepeated, type Sample } from './guess-columns.ts'

/** The number of columns that are offered as a key. */
const MAX_ALTERNATIVES = 3
const MAX_EXAMPLE_LENGTH = 80

/** Says what an identity of several values means: no key in the file proves that a changed place is the same one. */
export function inferIdentity(columns: Columns, sample: Sample, { items: [first] }: CheckedFile): Inference[] {
  const { externalId } = columns
  if (typeof externalId !== 'object' || !('template' in externalId)) return []
  const parts = columnsOfField(columns, 'externalId')
  const isDated = parts.some((part) => matches(START_NAME, part))
  const moves = parts.some((part) => part === columns.latitude || part === columns.longitude)
  const change = moves ? 'that moves or changes its name' : `whose name or ${isDated ? 'date' : 'address'} changes`
  const chosen: Choice = {
    choice: `${parts.join(' and ')}, so a place ${change} becomes a new item with another id`,
    example: first?.externalId ?? '',
    write: `"externalId": ${JSON.stringify(externalId)}`,
  }
  const isPart = (column: string) => [...parts, columns.latitude, columns.longitude].includes(column)
  const unique = sample.columns.filter((column) => !isPart(column) && countRepeated(sample, [column]) === 0)
  const alternatives = unique.slice(0, MAX_ALTERNATIVES).map((column) => ({
    choice: `the column ${column}, if it never changes`,
    example: shorten(textOf(sample.rows[0]?.[column]), MAX_EXAMPLE_LENGTH),
    write: `"externalId": ${JSON.stringify(column)}`,
  }))
  return [{ what: 'identity', chosen, alternatives }]
}

/** Says which codes items get if no column, or only an empty cell, has them. */
export function inferCodes(columns: Columns, { items: [first], empty }: CheckedFile): Inference[] {
  return (['administrativeAreaCode', 'categoryCode'] as const).flatMap((field) => {
    const source = columns[field]
    if (typeof source !== 'object' || Array.isArray(source)) return []
    const write = `"${field}": ${JSON.stringify(source)}`
    const say = (choice: string, example: string) => ({
      ...{ what: field, chosen: { choice, example, write } },
      alternatives: [],
    })
    if ('value' in source) return say(`${JSON.stringify(source.value)}, as no column has it`, first?.name ?? '')
    if (!('column' in source) || !('default' in source)) return []
    const choice = `${JSON.stringify(source.default)} where the column ${source.column} is empty`
    return say(choice, `line ${empty.get(field)}`)
  })
}
