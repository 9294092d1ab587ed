import { operationFailed, shorten } from '../errors/errors.ts'
import { nearestName } from '../errors/nearest-name.ts'
import { isObject, parseExactJson, textOfNumber } from '../json.ts'
import { Angle, plainNumber } from './coordinate-text.ts'
import { valuesOf } from './field-schemas.ts'
import { adviseEntry, type Dialect, type Fields, type SourceFile, type SourceRow } from './formats/source.ts'
import type { ColumnSource, Columns, ItemFile } from './manifest.ts'
import { Misfit, ROW_FIELDS } from './parse-item.ts'
import type { Problem } from './problem.ts'

/** Returns the mapping of the fields of an item to the columns of a file. Without one, the columns are called like the fields. */
export function columnMapping({ columns, dialect }: ItemFile): (row: Fields) => Fields {
  if (!columns) return (row) => row
  const sources = Object.entries(columns)
  return (row) =>
    Object.fromEntries(sources.map(([field, source]) => [field, readSource(field, source, row, dialect.decimal)]))
}

/**
 * Returns the part of a mapping that names the item of a row. It maps nothing if an id is made of a column with a bad value, because that names no
 * item, or another one.
 */
export function identityMapping(file: ItemFile): (row: Fields, bad: readonly string[]) => Fields {
  const { columns } = file
  if (!columns) return (row) => row
  const mapped = Object.entries(columns).filter(([field]) => field === 'id' || field === 'externalId')
  const map = columnMapping({ ...file, columns: Object.fromEntries(mapped) })
  const names = mappedColumns(Object.fromEntries(mapped))
  return (row, bad) => (names.some((name) => bad.includes(name)) ? {} : map(row))
}

function readSource(field: string, source: ColumnSource, row: Fields, decimal: Dialect['decimal']): unknown {
  if (typeof source === 'string') return readValue(row, source)
  if (Array.isArray(source)) {
    if (field === 'keywords') return source.flatMap((column) => valuesOf(readValue(row, nameOf(column))))
    return Object.fromEntries(source.flatMap((attribute) => readAttribute(attribute, row, decimal)))
  }
  if ('value' in source) return source.value
  if ('degrees' in source) return readAngle(source, row)
  if ('template' in source) return fillTemplate(source.template, row)
  const names = 'first' in source ? source.first : [source.column]
  return names.map((name) => readValue(row, name)).find((value) => textOf(value).trim() !== '') ?? source.default
}

function readAngle({ degrees, minutes, seconds, hemisphere }: AngleSource, row: Fields): Angle {
  const textIn = (name: string | undefined) => (name === undefined ? undefined : textOf(readValue(row, name)))
  const side = typeof hemisphere === 'object' ? hemisphere.value : textIn(hemisphere)
  return new Angle(
    [degrees, minutes, seconds].map((name) => textIn(name) ?? ''),
    side,
  )
}

function readValue(row: Fields, name: string): unknown {
  return findValue(row, name)?.value
}

/**
 * Returns the value of a column, or undefined if the row lacks the column. `a.b` is the member `b` of the object `a`, unless the row has a
 * member of the whole name.
 */
function findValue(row: object, name: string): { value: unknown } | undefined {
  // A column may be called `constructor`, which is a member of the prototype too.
  if (Object.hasOwn(row, name)) return { value: Reflect.get(row, name) }
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const outer = name.slice(0, dot)
    const inner: unknown = Object.hasOwn(row, outer) ? Reflect.get(row, outer) : undefined
    const found = isObject(inner) ? findValue(inner, name.slice(dot + 1)) : undefined
    if (found) return found
  }
  return undefined
}

/** Objects in objects are followed to this depth. */
const NESTED_DEPTH = 3

/** Returns the values of a row, and the members of its objects by names such as `a.b`. */
export function withNested(row: object, depth = NESTED_DEPTH): Fields {
  const fields: Fields = { ...row }
  for (const [name, value] of depth > 0 ? Object.entries(row) : []) {
    if (!isObject(value)) continue
    for (const [inner, each] of Object.entries(withNested(value, depth - 1))) {
      if (!Object.hasOwn(fields, `${name}.${inner}`)) fields[`${name}.${inner}`] = each
    }
  }
  return fields
}

/** A coordinate in several columns. */
export type AngleSource = Extract<ColumnSource, { degrees: string }>
/** One of the columns that make extraAttributes or keywords. */
type Attribute = Extract<ColumnSource, readonly unknown[]>[number]

function readAttribute(attribute: Attribute, row: Fields, decimal: Dialect['decimal']): [string, unknown][] {
  const name = nameOf(attribute)
  const value = readValue(row, name)
  if (value === undefined || value === null || value === '') return []
  const isNumber = typeof attribute === 'object' && typeof value === 'string'
  if (isNumber && value.trim() === '') return []
  return [[name, isNumber ? parseExactJson(plainNumber(value, decimal)) : value]]
}

const nameOf = (attribute: Attribute) => (typeof attribute === 'string' ? attribute : attribute.column)

/** Returns the columns of a mapping whose values must be numbers. */
export function numberColumns(columns: Columns | undefined): string[] {
  const attributes = columns?.extraAttributes
  return Array.isArray(attributes) ? attributes.flatMap((each) => (typeof each === 'object' ? each.column : [])) : []
}

/** A number as JSON has it (RFC 8259 section 6). */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/
/** Characters of a value that are shown. */
const SHOWN = 60

/** Says which of the columns has a value that is not a number, and what it is; undefined if all are numbers. */
export function findBadNumber(names: readonly string[], file: ItemFile, row: Fields): Misfit | undefined {
  const { decimal } = file.dialect
  const isNumber = (text: string, sign = decimal) => JSON_NUMBER.test(plainNumber(text, sign))
  const textIn = (name: string) => textOf(readValue(row, name)).trim()
  const bad = names.find((name) => textIn(name) !== '' && !isNumber(textIn(name)))
  if (bad === undefined) return undefined
  const text = textIn(bad)
  const signs = ([',', '.'] as const).filter((sign) => sign !== decimal && isNumber(text, sign))
  const advice = signs.map((sign) => `${adviseEntry(file, { decimal: sign })} if it is ${plainNumber(text, sign)}`)
  const reason = [`the column ${bad} must be a number`, ...advice].join('; ')
  return new Misfit(reason, ['extraAttributes'], shorten(text, SHOWN))
}

const PLACEHOLDER = /\{([^{}]*)\}/g

/** Returns undefined if no column of the template has a value. */
function fillTemplate(template: string, row: Fields): string | undefined {
  const names = placeholdersOf(template)
  if (names.length > 0 && names.every((name) => textOf(readValue(row, name)) === '')) return undefined
  return template.replace(PLACEHOLDER, (_, name: string) => textOf(readValue(row, name)))
}

/** Returns a value as text. Objects and arrays become JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  if (value instanceof Angle) return value.text
  // Templates make external ids, so a number has the same text here as in a field of text.
  return JSON.stringify(value, (_key, member) => (JSON.isRawJSON(member) ? JSON.rawJSON(textOfNumber(member)) : member))
}

function placeholdersOf(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])
}

export function mappedColumns(columns: Columns): string[] {
  return [...new Set(Object.values(columns).flatMap(columnsOf))]
}

/** Returns the columns of a file that a field comes from. Without a mapping, it is the one of the same name. */
export function columnsOfField(columns: Columns | undefined, field: string): string[] {
  if (!columns) return [field]
  return Object.entries(columns).flatMap(([name, source]) => (name === field ? columnsOf(source) : []))
}

function columnsOf(source: ColumnSource): string[] {
  if (typeof source === 'string') return [source]
  if (Array.isArray(source)) return source.map(nameOf)
  if ('column' in source) return [source.column]
  if ('first' in source) return source.first
  if ('template' in source) return placeholdersOf(source.template)
  // The members of an angle. A constant is no column, also as a hemisphere.
  return 'value' in source ? [] : Object.values(source).filter((name) => typeof name === 'string')
}

/** Includes `datasetId` and `dataset`, so that an item from a response of the API can be imported without a warning. */
const KNOWN_FIELDS = new Set<string>([...ROW_FIELDS, 'datasetId', 'dataset'])

/** Returns the names in a row that are not fields of an item. Returns none if the file has a mapping. */
export function unknownFields(columns: Columns | undefined, row: Fields): string[] {
  const names = columns ? [] : Object.keys(row)
  // A row without any known name is bad, and may be a line of a file that is no data. So it is not shown.
  return names.some((name) => KNOWN_FIELDS.has(name)) ? names.filter((name) => !KNOWN_FIELDS.has(name)) : []
}

const MAX_NAMES = 1_000
const LISTED = 50

/** What the columns of a file must be. */
interface Expected {
  mapped: readonly string[]
  /** Names by which any data is recognized. Names of a file that has none of them may be secrets, and are not shown. */
  known: readonly string[]
  /** Says which fields have no column among some names; undefined if all have one. */
  lackOf: (names: readonly string[]) => string | undefined
}

/**
 * Returns a function that checks that a file has the columns that its entry in the manifest names: by its header, or else by all of its rows. It is
 * called with each row, and without one at the end. It returns at most one problem: the fields without a column.
 * @throws `OPERATION_FAILED` if a column is missing. If no row fits the header, the rows say more of what is wrong
 */
export function columnCheck(file: SourceFile, expected: Expected): (row?: SourceRow) => Problem | undefined {
  const missing = new Set(expected.mapped)
  const names = new Set<string>()
  let header: readonly string[] | undefined
  let isEmpty = true
  const checkHeader = (columns: readonly string[], line: number): Problem | undefined => {
    for (const column of columns) missing.delete(column)
    const lack = expected.lackOf(columns)
    const reason = describeLack(expected, columns, missing, lack)
    if (missing.size > 0) throw operationFailed(`${file.name}: ${reason}`)
    header = undefined
    return lack === undefined ? undefined : { line, reason, warns: 'lack' }
  }
  return (row) => {
    if (!row) {
      if (header && isEmpty) return checkHeader(header, 1)
      if (!header && missing.size > 0 && names.size > 0)
        throw operationFailed(`${file.name}: ${describeLack(expected, [...names], missing)}`)
    } else if ('columns' in row) header = row.columns
    else if ('reason' in row) isEmpty &&= row.warns !== undefined
    else {
      isEmpty = false
      if (header) return checkHeader(header, row.line)
      for (const column of missing) if (findValue(row.fields, column)) missing.delete(column)
      if (missing.size > 0 && names.size < MAX_NAMES)
        for (const name of Object.keys(withNested(row.fields))) names.add(name)
    }
    return undefined
  }
}

function describeLack(
  { mapped, known }: Expected,
  existing: readonly string[],
  missing: ReadonlySet<string>,
  lack?: string,
): string {
  const isKnown = existing.some((column) => known.includes(column))
  const listed = isKnown ? existing.slice(0, MAX_NAMES) : []
  // Of two that are equally near, the one that no field has is likelier.
  const likely = [...listed].sort((one, other) => Number(mapped.includes(one)) - Number(mapped.includes(other)))
  const named = [...missing].map((column) => {
    const nearest = nearestName(column, likely)
    return nearest === undefined ? column : `${column} (did you mean ${nearest}?)`
  })
  const lacks = named.length > 0 ? `has no column ${named.join(', ')}` : []
  return [lacks, lack ?? [], isKnown ? describeColumns(existing) : describeUnknown(existing)].flat().join('; ')
}

const describeColumns = (existing: readonly string[]) =>
  `the file has the columns ${existing.slice(0, LISTED).join(', ')}${existing.length > LISTED ? ', ...' : ''}`

const describeUnknown = ({ length }: readonly string[]) =>
  `the file has ${length === 1 ? '1 column' : `${length} columns`}, none of them expected; look at its first line`
