import { isUuid } from '../catalog/arguments.ts'
import { isObject } from '../json.ts'
import { columnsOfField, textOf } from '../rows/column-mapping.ts'
import { type CoordinateStyle, plainCoordinate } from '../rows/coordinate-text.ts'
import type { Dialect } from '../rows/formats/dialect.ts'
import type { Fields } from '../rows/formats/source-row.ts'
import type { Columns } from '../rows/manifest.ts'
import { acceptsValue, ROW_FIELDS } from '../rows/parse-item.ts'
import {
  CODE_NAME,
  COUNTRY_NAME,
  findAxes,
  findCoordinates,
  ID_NAMES,
  isAngleName,
  isKeyName,
  matches,
  NAMES,
  START_NAME,
} from './column-names.ts'

/** The columns of a file and their values in the first rows. */
export interface Sample {
  columns: readonly string[]
  rows: readonly Fields[]
  decimal: Dialect['decimal']
  empty: Dialect['empty']
  /** The system that the file itself names, if it is not that of WGS 84. */
  ownCrs: string | undefined
}

/** The mapping of a file as it is guessed. */
export interface GuessedColumns {
  /** The possible mappings, the better first. They differ in the identity of a row. */
  mappings: [Columns, ...Columns[]]
  /** The required fields that have no column. */
  missing: string[]
  /** Whether the coordinates are metres. */
  isProjected: boolean
  /** A column whose name is that of a key, and whose values are not unique in the sample. */
  repeatedKey: string | undefined
}

/** Guesses the mapping of a file from the names of its columns and their values. Without a category column, all rows have `category`. */
export function guessColumns(sample: Sample, category: string): GuessedColumns {
  const columns: Columns = {}
  for (const field of ROW_FIELDS) {
    const column = findColumn(sample, field)
    if (column !== undefined) columns[field] = column
  }
  const isUnplaced = () => columns.latitude === undefined || columns.longitude === undefined
  if (isUnplaced()) Object.assign(columns, findExchanged(sample))
  const isProjected = isUnplaced()
  if (isProjected) Object.assign(columns, findMetres(sample))
  const { identities, repeatedKey } = guessIdentities(sample, columns)
  const missing = ['name', 'latitude', 'longitude'].filter((field) => !Object.hasOwn(columns, field))
  if (identities.length === 0) missing.push('externalId')
  columns.administrativeAreaCode = withCountry(sample, columns.administrativeAreaCode) ?? { value: 'unknown' }
  columns.categoryCode ??= { value: category }
  const [first = {}, ...others] = identities
  const complete = (identity: Columns) =>
    withCodes(sample, withOtherColumns(sample, withParents(sample, { ...columns, ...identity })))
  return {
    mappings: [complete(first), ...others.map(complete)],
    missing,
    isProjected: isProjected && !missing.includes('latitude'),
    repeatedKey,
  }
}

/** Leaves out the column of parents, unless it has values of the column that identifies a row. */
function withParents(sample: Sample, { parentExternalId, ...columns }: Columns): Columns {
  if (typeof parentExternalId !== 'string' || parentExternalId === 'parentExternalId')
    return parentExternalId === undefined ? columns : { ...columns, parentExternalId }
  const ids = new Set(typeof columns.externalId === 'string' ? valuesOf(sample, columns.externalId) : [])
  const isKnown = valuesOf(sample, parentExternalId).some((parent) => parent !== '' && ids.has(parent))
  return isKnown ? { ...columns, parentExternalId } : columns
}

/** Adds the columns that no field has as extra attributes, unless a column has all of these. An object is one, or each of its members. */
function withOtherColumns(sample: Sample, columns: Columns): Columns {
  const used = [...new Set(Object.values(columns).filter((source) => typeof source === 'string'))]
  const objects = sample.columns.filter((column) => sample.rows.some((row) => isObject(row[column])))
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

/** Adds the columns of codes that name a place, such as those of IATA, to its keywords. Many rows share the code of a type. */
function withCodes(sample: Sample, { keywords, ...columns }: Columns): Columns {
  const isFact = (field: string) => !['id', 'externalId', 'extraAttributes'].includes(field)
  const used = Object.keys(columns)
    .filter(isFact)
    .flatMap((field) => columnsOfField(columns, field))
  const codes = sample.columns.filter((column) => {
    if (!matches(CODE_NAME, column) || matches(COUNTRY_NAME, column) || used.includes(column)) return false
    const rows = sample.rows.filter((row) => textOf(row[column]).trim() !== '')
    const areShort = rows.every((row) => textOf(row[column]).length <= MAX_CODE_LENGTH)
    return areShort && countRepeated({ ...sample, rows }, [column]) <= MAX_REPEATED * rows.length
  })
  const own = typeof keywords === 'string' ? [keywords] : []
  return codes.length > 0 ? { ...columns, keywords: [...codes, ...own] } : { ...columns, ...(keywords && { keywords }) }
}

function findColumn(sample: Sample, field: RowField): string | undefined {
  if (field === 'id' || field === 'externalId') return undefined
  if (sample.columns.includes(field) && fits(sample, field, field)) return field
  for (const pattern of NAMES[field] ?? []) {
    const column = sample.columns.find((name) => matches(pattern, name) && fits(sample, field, name))
    if (column !== undefined) return column
  }
  if (field !== 'latitude' && field !== 'longitude') return undefined
  return findAxes(sample.columns)[field].find((name) => fits(sample, field, name))
}

function fits(sample: Sample, field: RowField, column: string): boolean {
  if (field === 'latitude')
    return areNumbers(sample, { field, areMetres: false }, column, (number) => Math.abs(number) <= 90)
  if (field === 'longitude')
    return areNumbers(sample, { field, areMetres: false }, column, (number) => Math.abs(number) <= 180)
  const given = sample.rows.filter((row) => textOf(row[column]).trim() !== '')
  const refused = given.filter((row) => !acceptsValue(field, row[column]))
  return refused.length <= MAX_OTHERS * given.length
}

type RowField = (typeof ROW_FIELDS)[number]

/**
 * Puts the country before the codes of areas if other countries use the same codes for their own areas, for example `06`.
 */
function withCountry(sample: Sample, area: Columns['administrativeAreaCode']): Columns['administrativeAreaCode'] {
  const country = sample.columns.find((name) => matches(COUNTRY_NAME, name))
  if (typeof area !== 'string' || country === undefined || country === area) return area
  const numberOf = (columns: readonly string[]) => sample.rows.length - countRepeated(sample, columns)
  const isShared = numberOf([area, country]) > MAX_SHARED * numberOf([area])
  return isShared ? { template: `{${country}}-{${area}}` } : area
}

/** A few rows may have a wrong country. */
const MAX_SHARED = 1.1

/** Larger numbers are no degrees. */
const LARGEST_ANGLE = 360

/** Returns the columns of degrees if each has the name of the other: a latitude is never more than 90. */
function findExchanged(sample: Sample): Columns {
  const named = findCoordinates(sample.columns)
  const latitude = named.longitude.find((name) => fits(sample, 'latitude', name))
  const longitude = named.latitude.find((name) => fits(sample, 'longitude', name))
  return latitude === undefined || longitude === undefined || latitude === longitude ? {} : { latitude, longitude }
}

/** Large numbers in a column with a name of degrees have lost their decimal sign, unless the file says that they are metres. */
function findMetres(sample: Sample): Columns {
  const named = findCoordinates(sample.columns)
  const find = (field: 'latitude' | 'longitude') =>
    named[field].find(
      (name) =>
        (sample.ownCrs !== undefined || !isAngleName(name)) &&
        areNumbers(sample, { field, areMetres: true }, name, (number) => Math.abs(number) > LARGEST_ANGLE),
    )
  const [latitude, longitude] = [find('latitude'), find('longitude')]
  return latitude === undefined || longitude === undefined ? {} : { latitude, longitude }
}

/**
 * Columns with the names of the fields, a column whose values are unique, or else a template of the name and other columns. Only events need their
 * start in it: they have the same name and place each year.
 */
function guessIdentities(sample: Sample, columns: Columns): { identities: Columns[]; repeatedKey: string | undefined } {
  const keys = ID_NAMES.flatMap((pattern) => sample.columns.filter((name) => matches(pattern, name)))
  const unique = [...new Set([...keys.filter((name) => isKey(sample, name)), ...findNumbered(sample, columns)])]
  const byKey = unique.map(
    (column): Columns => (valuesOf(sample, column).every(isUuid) ? { id: column } : { externalId: column }),
  )
  const { name, streetAddress, administrativeAreaCode, jibunAddress, latitude, longitude } = columns
  const start = sample.columns.find((column) => matches(START_NAME, column) && areDates(sample, column))
  const places = [streetAddress, administrativeAreaCode, jibunAddress, latitude, longitude]
  const chains = [[name, ...places], ...(start === undefined ? [] : [[name, start, ...places]])].map((sources) =>
    distinctColumns(sources).map((_, index, parts) => parts.slice(0, index + 1)),
  )
  // A file may contain a few rows twice by mistake. The import reports them.
  const few = (names: readonly string[]) => countRepeated(sample, names) < MAX_REPEATED * sample.rows.length
  const exact = chains.flat().filter((names) => countRepeated(sample, names) === 0)
  const nearly = chains.flatMap((chain) => chain.slice(-1)).filter((names) => !exact.includes(names) && few(names))
  const byTemplate = [...exact, ...nearly].map(
    (names): Columns => ({ externalId: { template: names.map((each) => `{${each}}`).join('|') } }),
  )
  const repeatedKey = unique.length === 0 ? keys.find((key) => isNearlyKey(sample, key)) : undefined
  return { identities: [...identityByName(sample), ...byKey, ...byTemplate], repeatedKey }
}

function distinctColumns(sources: readonly (Columns[RowField] | string)[]): string[] {
  return [...new Set(sources.filter((source) => typeof source === 'string'))]
}

/** The columns called like a number or a code that no fact has, where each row has a value and none repeats. */
function findNumbered(sample: Sample, columns: Columns): string[] {
  const used = Object.keys(columns).flatMap((field) => columnsOfField(columns, field))
  return sample.columns.filter(
    (name) => isKeyName(name) && !used.includes(name) && countRepeated(sample, [name]) === 0 && !areDates(sample, name),
  )
}

/** Whether a column repeats no value, and nearly all rows have one: the import reports the others. */
function isKey(sample: Sample, column: string): boolean {
  const rows = sample.rows.filter((row) => textOf(row[column]).trim() !== '')
  const without = sample.rows.length - rows.length
  const isFull = without < rows.length && without <= Math.max(1, MAX_OTHERS * sample.rows.length)
  return isFull && countRepeated({ ...sample, rows }, [column]) === 0
}

/** The columns that are called `id` and `externalId`, if each row has a value in one of them and neither repeats a value. */
function identityByName(sample: Sample): Columns[] {
  const named = ['id', 'externalId'].filter((name) => sample.columns.includes(name))
  const fitting = named.filter((name) => name !== 'id' || valuesOf(sample, name).every((id) => id === '' || isUuid(id)))
  const repeats = fitting.some((name) => {
    const values = valuesOf(sample, name).filter((value) => value !== '')
    return new Set(values).size < values.length
  })
  const isKnown = sample.rows.every((row) => fitting.some((name) => textOf(row[name]) !== ''))
  return repeats || !isKnown ? [] : [Object.fromEntries(fitting.map((name) => [name, name]))]
}

/** With a larger share of repeated rows, columns do not identify a row. */
const MAX_REPEATED = 0.1

/** Whether at most half of the rows repeat a value of the column. A column with more is no key, but the code of a type, for example. */
function isNearlyKey(sample: Sample, column: string): boolean {
  return countRepeated(sample, [column]) <= sample.rows.length / 2
}

function valuesOf({ rows }: Sample, column: string): string[] {
  return rows.map((row) => textOf(row[column]))
}

/** Number of rows whose values in the columns are empty or repeat an earlier row. */
export function countRepeated(sample: Sample, columns: readonly string[]): number {
  const values = sample.rows.map((row) => columns.map((column) => textOf(row[column])))
  const keys = values.filter((texts) => texts.some((text) => text !== '')).map((texts) => JSON.stringify(texts))
  return values.length - new Set(keys).size
}

/** A few cells of a column may hold other text, which the import then reports. */
const MAX_OTHERS = 0.05

const DATE = /^\d{1,4}\s?[-./年년]\s?\d{1,2}\s?[-./月월]|^(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])$/

/** Whether a column has values, and nearly all begin with a date. */
export function areDates(sample: Sample, column: string): boolean {
  const values = valuesOf(sample, column).filter((text) => text.trim() !== '')
  const others = values.filter((text) => !DATE.test(text.trim()))
  return values.length > 0 && others.length <= MAX_OTHERS * values.length
}

/** Whether a column has values, and nearly all are numbers in a range. */
function areNumbers(
  sample: Sample,
  style: Omit<CoordinateStyle, 'decimal'>,
  column: string,
  isInRange: (number: number) => boolean,
): boolean {
  const values = valuesOf(sample, column).filter((text) => text.trim() !== '')
  const others = values.filter((text) => !isInRange(readNumber(text, { ...style, decimal: sample.decimal })))
  return values.length > 0 && others.length <= MAX_OTHERS * values.length
}

/** Returns the number in a cell, or else NaN. */
export function readNumber(text: string, style: CoordinateStyle): number {
  return Number(plainCoordinate(text, style))
}
