import { operationFailed } from '../../errors.ts'
import type { Fields } from '../formats/source-row.ts'
import type { ColumnSource, Columns, ItemFile } from '../manifest.ts'
import { ROW_FIELDS } from './parse-item.ts'

/** Returns the values of a row by the names of an item's fields. */
export type MapColumns = (row: Fields) => Fields

/** Returns the mapping that the manifest gives for a file. Without a mapping the columns are the fields. */
export function columnMapping({ columns }: ItemFile): MapColumns {
  if (!columns) return (row) => row
  const sources = Object.entries(columns)
  return (row) => Object.fromEntries(sources.map(([field, source]) => [field, readSource(source, row)]))
}

function readSource(source: ColumnSource, row: Fields): unknown {
  if (typeof source === 'string') return readValue(row, source)
  if (Array.isArray(source)) return Object.fromEntries(source.flatMap((name) => attribute(name, readValue(row, name))))
  if ('value' in source) return source.value
  return fillTemplate(source.template, row)
}

/** A column may be called `constructor`: without its own value the row's prototype would give one. */
function readValue(row: Fields, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined
}

function attribute(name: string, value: unknown): [string, unknown][] {
  return value === undefined || value === null || value === '' ? [] : [[name, value]]
}

const PLACEHOLDER = /\{([^{}]*)\}/g

/** A template is no value if none of its columns has a value. */
function fillTemplate(template: string, row: Fields): string | undefined {
  const names = placeholdersOf(template)
  if (names.length > 0 && names.every((name) => textOf(readValue(row, name)) === '')) return undefined
  return template.replace(PLACEHOLDER, (_, name: string) => textOf(readValue(row, name)))
}

/** An object, an array and a number with many digits are written as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function placeholdersOf(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])
}

/**
 * Checks that a row has each column that the manifest names.
 * @throws `OPERATION_FAILED` with the missing columns.
 */
export function requireColumns({ name, columns }: ItemFile, row: Fields): void {
  const missing = Object.values(columns ?? {})
    .flatMap(columnsOf)
    .filter((column) => !Object.hasOwn(row, column))
  if (missing.length > 0) throw operationFailed(`${name}: has no column ${[...new Set(missing)].join(', ')}`)
}

function columnsOf(source: ColumnSource): string[] {
  if (typeof source === 'string') return [source]
  if (Array.isArray(source)) return source
  return 'template' in source ? placeholdersOf(source.template) : []
}

/** The item detail has `datasetId` and `dataset`, so an answer of the API can be imported without a warning. */
const KNOWN_FIELDS = new Set<string>([...ROW_FIELDS, 'datasetId', 'dataset'])

/** Returns the names in a row that are not fields of an item. A file with a mapping has none. */
export function unknownFields(columns: Columns | undefined, row: Fields): string[] {
  return columns ? [] : Object.keys(row).filter((name) => !KNOWN_FIELDS.has(name))
}
