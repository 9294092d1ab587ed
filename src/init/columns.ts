import { shorten } from '../errors/errors.ts'
import { columnsOfField, textOf } from '../rows/column-mapping.ts'
import type { ColumnSource, Columns } from '../rows/manifest.ts'
import { acceptsValue, ROW_FIELDS } from '../rows/parse-item.ts'
import { type Choice, openChoice, type Reading, written } from './choice.ts'
import { CODE_NAME, COUNTRY_NAME, matches, NAMES, PERSON_NAME } from './header-names.ts'
import { areDates, countRepeated, MAX_OTHERS, objectColumns, type Sample, textsIn } from './sample.ts'

type RowField = (typeof ROW_FIELDS)[number]

/** Fields that other rules find. */
const OTHERS: readonly RowField[] = ['id', 'externalId', 'latitude', 'longitude', 'parentExternalId']
/** The columns of codes, which have names. */
export const CODES = ['administrativeAreaCode', 'categoryCode'] as const
const MAX_READINGS = 4
const MAX_EXAMPLE_LENGTH = 60

/**
 * Finds the columns of the fields by their names, if their values fit. Without a column of the category, all rows have `category`.
 * @param position has the columns of the place, which are no other field
 */
export function findColumns(
  sample: Sample,
  position: Pick<Columns, 'latitude' | 'longitude'>,
  category: string,
): { columns: Columns; choices: Choice[] } {
  const placed = ['latitude', 'longitude'].flatMap((field) => columnsOfField(position, field))
  const found = ROW_FIELDS.filter((field) => !OTHERS.includes(field)).flatMap((field) => {
    const [column, ...others] = candidatesOf(sample, field).filter((name) => !placed.includes(name))
    return column === undefined ? [] : [{ field, column, others }]
  })
  const { name, ...others }: Columns = Object.fromEntries(found.map(({ field, column }) => [field, column]))
  const columns: Columns = { ...(name && { name }), ...position, ...others }
  columns.administrativeAreaCode = withCountry(sample, columns.administrativeAreaCode) ?? { value: 'unknown' }
  columns.categoryCode ??= { value: category }
  const names = found.flatMap(({ field, column, others }) => (field === 'name' ? [column, ...others] : []))
  return {
    columns,
    choices: [
      ...openChoice(
        'name',
        names.slice(0, MAX_READINGS).map((each) => readingOf(sample, 'name', each, `the column ${each}`)),
      ),
      ...CODES.flatMap((field) => codeChoice(sample, columns, field)),
    ],
  }
}

function readingOf(sample: Sample, field: string, column: string, choice: string): Reading {
  return {
    choice,
    example: shorten(textsIn(sample, column)[0] ?? '', MAX_EXAMPLE_LENGTH),
    write: written({ [field]: column }),
  }
}

/** The columns that a field may have: the one of its own name, then by the usual names. */
function candidatesOf(sample: Sample, field: RowField): string[] {
  const named = (NAMES[field] ?? []).flatMap((pattern) => sample.columns.filter((name) => matches(pattern, name)))
  const isPlace = (name: string) => field !== 'name' || !matches(PERSON_NAME, name)
  const given = (name: string) => sample.rows.filter((row) => textOf(row[name]).trim() !== '')
  const isFitting = (name: string) => {
    const refused = given(name).filter((row) => !acceptsValue(field, row[name]))
    return refused.length <= MAX_OTHERS * given(name).length
  }
  return [...new Set([...sample.columns.filter((name) => name === field), ...named.filter(isPlace)])].filter(isFitting)
}

/** Columns with more different values are no codes. */
const MAX_VALUES = 100

/** Says which code all items get if no column has one, and which columns have few different values. */
function codeChoice(sample: Sample, columns: Columns, field: (typeof CODES)[number]): Choice[] {
  const source = columns[field]
  if (typeof source !== 'object' || !('value' in source)) return []
  const isRegion = (name: string) => name === 'addressRegion' || name === 'addressLocality'
  const used = Object.keys(columns)
    .filter((name) => !isRegion(name))
    .flatMap((name) => columnsOfField(columns, name))
  const others = sample.columns.flatMap((column) => {
    if (used.includes(column) || areDates(sample, column)) return []
    const texts = textsIn(sample, column)
    const { size } = new Set(texts)
    const isCode = size >= 2 && size <= Math.min(MAX_VALUES, texts.length / 2)
    return isCode ? [readingOf(sample, field, column, `the column ${column}, with ${size} values`)] : []
  })
  const own = { choice: 'no column is called so', example: textOf(source.value), write: written({ [field]: source }) }
  return openChoice(field, [own, ...others].slice(0, MAX_READINGS))
}

/** A few rows may have a wrong country. */
const MAX_SHARED = 1.1

/** Puts the country before the codes of areas if other countries use the same codes for their own areas, for example `06`. */
function withCountry(sample: Sample, area: ColumnSource | undefined): ColumnSource | undefined {
  const country = sample.columns.find((name) => matches(COUNTRY_NAME, name))
  if (typeof area !== 'string' || country === undefined || country === area) return area
  const numberOf = (columns: readonly string[]) => sample.rows.length - countRepeated(sample, columns)
  return numberOf([area, country]) > MAX_SHARED * numberOf([area]) ? { template: `{${country}}-{${area}}` } : area
}

/** Completes a mapping that has its identity: parents, keywords, and the columns that no field has as extra attributes. */
export function completeColumns(sample: Sample, columns: Columns): Columns {
  const { extraAttributes, ...complete } = withCodes(
    sample,
    withOthers(sample, { ...columns, ...parentsOf(sample, columns) }),
  )
  return { ...complete, ...(extraAttributes && { extraAttributes }) }
}

/** The column of parents, if it has values of the column that identifies a row. */
function parentsOf(sample: Sample, { externalId }: Columns): Pick<Columns, 'parentExternalId'> {
  const ids = new Set(typeof externalId === 'string' ? textsIn(sample, externalId) : [])
  const isParent = (name: string) => name === 'parentExternalId' || textsIn(sample, name).some((text) => ids.has(text))
  const parentExternalId = candidatesOf(sample, 'parentExternalId').find(isParent)
  return { ...(parentExternalId && { parentExternalId }) }
}

/** Adds the other columns as extra attributes, unless a column has all of these. An object is one, or each of its members. */
function withOthers(sample: Sample, columns: Columns): Columns {
  const isWholeSource = (source: ColumnSource) => typeof source === 'string' || 'degrees' in source
  const used = Object.entries(columns).flatMap(([field, source]) =>
    isWholeSource(source) ? columnsOfField(columns, field) : [],
  )
  const objects = objectColumns(sample)
  const split = objects.filter((name) => used.some((column) => column.startsWith(`${name}.`)))
  const isWhole = (column: string) => !split.includes(column)
  const others = sample.columns.filter((column) => {
    const outer = objects.filter((name) => column.startsWith(`${name}.`))
    return !used.includes(column) && isWhole(column) && !outer.some(isWhole)
  })
  return columns.extraAttributes === undefined && others.length > 0 ? { ...columns, extraAttributes: others } : columns
}

/** People search for a code that is no longer than this. */
const MAX_CODE_LENGTH = 20
/** Many rows share the code of a type. */
const MAX_REPEATED = 0.1

/** Adds the columns of codes that name a place, such as those of IATA, to its keywords. */
function withCodes(sample: Sample, { keywords, ...columns }: Columns): Columns {
  const facts = Object.keys(columns).filter((field) => !['id', 'externalId', 'extraAttributes'].includes(field))
  const used = facts.flatMap((field) => columnsOfField(columns, field))
  const codes = sample.columns.filter((column) => {
    if (!matches(CODE_NAME, column) || matches(COUNTRY_NAME, column) || used.includes(column)) return false
    const texts = textsIn(sample, column)
    const areNames = texts.length - new Set(texts).size <= MAX_REPEATED * texts.length
    return areNames && texts.every((text) => text.length <= MAX_CODE_LENGTH)
  })
  const own = typeof keywords === 'string' ? [keywords] : []
  return codes.length > 0 ? { ...columns, keywords: [...codes, ...own] } : { ...columns, ...(keywords && { keywords }) }
}

/** Words that say that a column has codes, and that one has their names. */
const CODE_WORD = /[\s_-]*(코드|code|cd|コード|代码|kennziffer|schlüssel|nr)$/i
const LABEL_WORD = /^[\s_-]*(명|명칭|name|nm|label|desc(ription)?|bezeichnung|title|名|名称)?$/i

/** The column that names the codes of another one, by their names: `제공기관명` for `제공기관코드`. */
export function labelColumn(sample: Sample, code: string): string | undefined {
  const stem = code.replace(CODE_WORD, '')
  if (stem === code || stem === '') return undefined
  const rest = (column: string) => column.slice(stem.length)
  return sample.columns.find((column) => column !== code && column.startsWith(stem) && LABEL_WORD.test(rest(column)))
}
