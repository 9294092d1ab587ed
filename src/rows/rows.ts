import { shorten } from '../errors/errors.ts'
import {
  columnCheck,
  columnMapping,
  columnsOfField,
  findBadNumber,
  identityMapping,
  mappedColumns,
  numberColumns,
  textOf,
  unknownFields,
} from './column-mapping.ts'
import { COORDINATES, plainCoordinate } from './coordinate-text.ts'
import { findDoubts } from './formats/no-value.ts'
import { readFile } from './formats/readers.ts'
import type { ByteListener, Fields, FieldsRow } from './formats/source.ts'
import type { ItemFile } from './manifest.ts'
import { identityOf, Misfit, parseItem, ROW_FIELDS, type RowItem } from './parse-item.ts'
import { positionReader } from './position.ts'
import type { Problem } from './problem.ts'

/** A good row of a file. */
export interface Row {
  line: number
  item: RowItem
}

/**
 * Yields the rows of a file, as its entry in the manifest says, and what is wrong with others: the one door to files.
 * @param onRow receives each row that can be read, as it is in the file
 * @throws `OPERATION_FAILED` if the file can't be read, or lacks a column that its entry names
 */
export async function* rows(
  file: ItemFile,
  onBytes?: ByteListener,
  onRow?: (row: FieldsRow) => void,
): AsyncGenerator<Row | Problem> {
  const used = file.columns ? mappedColumns(file.columns) : ROW_FIELDS
  const checkColumns = columnCheck(file, { mapped: file.columns ? used : [], known: used, lackOf: fieldCheck(file) })
  const readItem = itemReader(file)
  const findZone = file.dialect.crs === undefined ? undefined : zoneCheck()
  let isFirst = true
  for await (const row of readFile(file, onBytes)) {
    const lack = checkColumns(row)
    if ('columns' in row) continue
    if ('reason' in row) {
      yield row
      continue
    }
    onRow?.(row)
    const unknown = isFirst ? unknownFields(file.columns, row.fields) : []
    isFirst = false
    if (unknown.length > 0)
      yield { line: row.line, reason: `${IGNORED}: ${shorten(unknown.join(', '), NAMES_SHOWN)}`, warns: 'warning' }
    if (lack) yield lack
    // Not yield*, which takes several promises for each row.
    if (!file.isExact) for (const doubt of findDoubts(file, used, row)) yield doubt
    const zone = findZone?.(row)
    if (zone) yield zone
    const read = readItem(row)
    const zero = 'item' in read ? findZero(read.item, file.isExact) : undefined
    if (zero) yield { line: row.line, ...zero }
    yield read
  }
  const lack = checkColumns()
  if (lack) yield lack
}

const REQUIRED = ['name', 'administrativeAreaCode', 'categoryCode', 'latitude', 'longitude']

/** Returns a function that says which required fields have no column. */
function fieldCheck({ columns }: ItemFile): (names: readonly string[]) => string | undefined {
  return (names) => {
    const given = columns ? Object.keys(columns) : names
    const fields = REQUIRED.filter((field) => !given.includes(field))
    if (!given.includes('id') && !given.includes('externalId')) fields.push('externalId (or id)')
    if (fields.length === 0) return undefined
    return `${columns ? 'no column is mapped to' : 'has no column for'} ${fields.join(', ')}`
  }
}

const NAMES_SHOWN = 500
const IGNORED = 'not fields of an item, so ignored'

/** Says which coordinates are 0, as where a value is missing. One may be right. */
function findZero(item: RowItem, isExact: boolean): Pick<Problem, 'reason' | 'warns'> | undefined {
  const [zero, other] = COORDINATES.filter((field) => item[field] === '0')
  if (zero === undefined) return undefined
  if (other !== undefined) return { reason: 'latitude and longitude are both 0', warns: 'warning' }
  return isExact ? undefined : { reason: `${zero} is 0`, warns: 'doubt' }
}
const SHOWN = 60

/** What a column with the zone of metres is called. */
const ZONE = /^(utm|gk)?[ _-]?(zone|zona|huso|fuso|fuseau)[ _-]?(utm|no|nr|number)?$/i

/** Returns a function that finds a column with more than one zone: a file has one reference system. */
function zoneCheck(): (row: FieldsRow) => Problem | undefined {
  let column: string | undefined
  let first: string | undefined
  return ({ line, fields }) => {
    if (first === '') return undefined
    column ??= Object.keys(fields).find((name) => ZONE.test(name)) ?? ''
    if (column === '') first = ''
    const zone = textOf(fields[column]).trim()
    if (!/^\d{1,2} ?[A-Z]?$/i.test(zone) || zone === first) return undefined
    const before = first
    first = before === undefined ? zone : ''
    if (before === undefined) return undefined
    const advice = 'convert the coordinates, or make a file and an entry of "items" of each zone'
    const reason = `the column ${column} has several zones, and "crs" is one reference system; ${advice}`
    return { line, reason, value: `${before} and ${zone}`, warns: 'warning' }
  }
}

/** Returns a function that makes the item of a row. */
function itemReader(file: ItemFile): (row: FieldsRow) => Row | Problem {
  const map = columnMapping(file)
  const mapIdentity = identityMapping(file)
  const numbers = numberColumns(file.columns)
  const restore = numberRestorer(file, numbers)
  const readPosition = positionReader(file)
  const parse = ({ fields, crs }: FieldsRow) => {
    const read = findBadNumber(numbers, file, fields) ?? readPosition(map(fields), crs)
    return read instanceof Misfit ? read : parseItem(read, file.isExact)
  }
  return (given) => {
    const row = restore(given)
    const item = parse(row)
    if (!(item instanceof Misfit)) return { line: row.line, item }
    const mapped = item.value === undefined ? map(row.fields) : {}
    const names = item.badFields.flatMap((field) => columnsOfField(file.columns, field))
    const identity = identityOf(mapIdentity(row.fields, names))
    return { line: row.line, reason: item.reason, value: describeValue(row, item, mapped, names), identity }
  }
}

/** Says which values the bad fields of a row have, and where they stand. */
function describeValue(
  row: FieldsRow,
  { badFields, value }: Misfit,
  mapped: Fields,
  names: string[],
): string | undefined {
  const shown = [...new Set(badFields.map((field) => shorten(textOf(mapped[field]).trim(), SHOWN)))].filter(Boolean)
  const other = value === undefined ? names.filter((name) => !badFields.includes(name)) : []
  const place = row.placeOf?.(names) ?? (other.length > 0 ? `column ${other.join(', ')}` : undefined)
  const text = value ?? shown.join(' and ')
  const placed = place === undefined ? text : text === '' ? place : `${text} (${place})`
  return placed === '' ? undefined : placed
}

/**
 * Returns a function that gives columns of numbers the numbers of a row in place of the codes that show them. A coordinate stays as it is shown
 * if that can be read: a cell can show 373358 as 37°33'58".
 */
function numberRestorer(
  { columns, dialect: { decimal } }: ItemFile,
  numbers: readonly string[],
): (row: FieldsRow) => FieldsRow {
  const named = COORDINATES.flatMap((field) => columnsOfField(columns, field).map((name) => [name, field] as const))
  const coordinates = new Map(named)
  const isWanted = (name: string, shown: string) => {
    const field = coordinates.get(name)
    if (field === undefined) return numbers.includes(name)
    return Number.isNaN(Number(plainCoordinate(shown, { field, decimal, areMetres: false })))
  }
  return (row) => {
    if (!row.numbers) return row
    const restored = Object.entries(row.numbers).filter(([name]) => isWanted(name, String(row.fields[name])))
    return { ...row, fields: { ...row.fields, ...Object.fromEntries(restored) } }
  }
}
