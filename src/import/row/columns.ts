import { operationFailed } from '../../errors.ts'
import type { ColumnSource, Columns, ItemFile } from '../manifest.ts'
import { ITEM_FIELDS } from './fields.ts'

type Fields = Record<string, unknown>

/** Gives a row of a file under the names of an item's fields. */
export type MapColumns = (fields: Fields) => Fields

const PLACEHOLDER = /\{([^{}]*)\}/g

/** Maps rows as the manifest says; without a mapping the columns are the fields. */
export function columnMapping({ columns }: ItemFile): MapColumns {
  if (!columns) return (fields) => fields
  const sources = Object.entries(columns)
  return (fields) => Object.fromEntries(sources.map(([field, source]) => [field, valueFrom(source, fields)]))
}

function valueFrom(source: ColumnSource, fields: Fields): unknown {
  if (typeof source === 'string') return fields[source]
  if (Array.isArray(source)) return Object.fromEntries(source.flatMap((name) => member(name, fields[name])))
  if ('value' in source) return source.value
  return fillTemplate(source.template, fields)
}

function member(name: string, value: unknown): [string, unknown][] {
  return value === undefined || value === null || value === '' ? [] : [[name, value]]
}

/** A template none of whose columns has a value is no value. */
function fillTemplate(template: string, fields: Fields): string | undefined {
  const names = columnsOf(template)
  if (names.length > 0 && names.every((name) => textOf(fields[name]) === '')) return undefined
  return template.replace(PLACEHOLDER, (_, name: string) => textOf(fields[name]))
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

function columnsOf(source: ColumnSource): string[] {
  if (typeof source !== 'string') return []
  return [...source.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])
}

/**
 * Checks that a file of rows with fixed columns has those that the manifest names.
 * @throws `OPERATION_FAILED` naming the missing ones.
 */
export function requireColumns({ name, columns }: ItemFile, present: Fields): void {
  const missing = Object.values(columns ?? {})
    .flatMap(sourceColumns)
    .filter((column) => !Object.hasOwn(present, column))
  if (missing.length > 0) throw operationFailed(`${name}: has no column ${[...new Set(missing)].join(', ')}`)
}

function sourceColumns(source: ColumnSource): string[] {
  if (typeof source === 'string') return [source]
  if (Array.isArray(source)) return source
  return 'template' in source ? columnsOf(source.template) : []
}

const KNOWN = new Set<string>([...ITEM_FIELDS, 'datasetId', 'dataset'])

/** The names of a row that mean nothing. What the item detail says of its dataset is passed over in silence. */
export function unknownFields(columns: Columns | undefined, fields: Fields): string[] {
  return columns ? [] : Object.keys(fields).filter((name) => !KNOWN.has(name))
}
