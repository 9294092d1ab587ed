import { shorten } from '../errors/errors.ts'
import {
  ColumnCheck,
  columnMapping,
  columnsOfField,
  findBadNumber,
  mappedColumns,
  numberColumns,
  textOf,
  unknownFields,
} from './column-mapping.ts'
import { plainCoordinate } from './coordinate-text.ts'
import { findDoubts } from './formats/no-value.ts'
import { readFile } from './formats/readers.ts'
import type { ByteListener, FieldsRow } from './formats/source.ts'
import type { Columns, ItemFile } from './manifest.ts'
import { identityOf, Misfit, parseItem, ROW_FIELDS, type RowItem } from './parse-item.ts'
import { PositionReader } from './position.ts'
import type { Problem } from './problem.ts'

/** A good row of a file. */
export interface Row {
  line: number
  item: RowItem
}

/**
 * Yields the rows of a file, as its entry in the manifest says, and what is wrong with others: the one door to files.
 * @throws `OPERATION_FAILED` if the file can't be read, or lacks a column that its entry names
 */
export async function* rows(file: ItemFile, onBytes?: ByteListener): AsyncGenerator<Row | Problem> {
  const used = file.columns ? mappedColumns(file.columns) : ROW_FIELDS
  const columns = new ColumnCheck(file, { mapped: file.columns ? used : [], known: used, lackOf: fieldCheck(file) })
  const reader = new RowReader(file)
  const zones = file.dialect.crs === undefined ? undefined : new ZoneCheck()
  for await (const row of readFile(file, onBytes)) {
    const lack = columns.see(row)
    if ('columns' in row) continue
    if ('reason' in row) {
      yield row
      continue
    }
    const unknown = reader.isFirst ? unknownFields(file.columns, row.fields) : []
    if (unknown.length > 0)
      yield { line: row.line, reason: `${IGNORED}: ${shorten(unknown.join(', '), NAMES_SHOWN)}`, warns: 'warning' }
    if (lack) yield lack
    // Not yield*, which takes several promises for each row.
    if (!file.isExact) for (const doubt of findDoubts(file, used, row)) yield doubt
    const zone = zones?.see(row)
    if (zone) yield zone
    const read = reader.read(row)
    const zero = 'item' in read ? findZero(read.item, file.isExact) : undefined
    if (zero) yield { line: row.line, ...zero }
    yield read
  }
  const lack = columns.end()
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

/** Characters of the names of columns that are shown. */
const NAMES_SHOWN = 500
const IGNORED = 'not fields of an item, so ignored'
const COORDINATES = ['latitude', 'longitude'] as const

/** Says which coordinates are 0, as where a value is missing. One may be right. */
function findZero(item: RowItem, isExact: boolean): Pick<Problem, 'reason' | 'warns'> | undefined {
  const [zero, other] = COORDINATES.filter((field) => item[field] === '0')
  if (zero === undefined) return undefined
  if (other !== undefined) return { reason: 'latitude and longitude are both 0', warns: 'warning' }
  return isExact ? undefined : { reason: `${zero} is 0`, warns: 'doubt' }
}
/** Characters of a value that are shown. */
const SHOWN = 60

/** What a column with the zone of metres is called. */
const ZONE = /^(utm|gk)?[ _-]?(zone|zona|huso|fuso|fuseau)[ _-]?(utm|no|nr|number)?$/i

/** Finds a column with more than one zone: a file has one reference system. */
class ZoneCheck {
  #column: string | undefined
  #first: string | undefined

  see({ line, fields }: FieldsRow): Problem | undefined {
    if (this.#first === '') return undefined
    this.#column ??= Object.keys(fields).find((name) => ZONE.test(name)) ?? ''
    const zone = textOf(fields[this.#column]).trim()
    if (this.#column === '') this.#first = ''
    if (!/^\d{1,2} ?[A-Z]?$/i.test(zone) || zone === this.#first) return undefined
    const first = this.#first
    this.#first = first === undefined ? zone : ''
    if (first === undefined) return undefined
    const advice = 'convert the coordinates, or make a file and an entry of "items" of each zone'
    const reason = `the column ${this.#column} has several zones, and "crs" is one reference system; ${advice}`
    return { line, reason, value: `${first} and ${zone}`, warns: 'warning' }
  }
}

const IDENTITY = ['id', 'externalId']

const identityColumns = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([field]) => IDENTITY.includes(field)))

/** Makes items of the rows of a file. */
class RowReader {
  isFirst = true
  readonly #file: ItemFile
  readonly #map: ReturnType<typeof columnMapping>
  /** Maps what names an item, also of a row with a bad number. */
  readonly #mapIdentity: ReturnType<typeof columnMapping>
  readonly #numbers: readonly string[]
  /** The coordinate that a column has. */
  readonly #coordinates: ReadonlyMap<string, (typeof COORDINATES)[number]>
  readonly #position: PositionReader

  constructor(file: ItemFile) {
    const { columns } = file
    this.#file = file
    this.#map = columnMapping(file)
    this.#mapIdentity = columnMapping({ ...file, columns: columns && identityColumns(columns) })
    this.#numbers = numberColumns(columns)
    const named = COORDINATES.flatMap((field) => columnsOfField(columns, field).map((name) => [name, field] as const))
    this.#coordinates = new Map(named)
    this.#position = new PositionReader(file)
  }

  read(given: FieldsRow): Row | Problem {
    this.isFirst = false
    const row = this.#withNumbers(given)
    const item = this.#parse(row)
    return item instanceof Misfit ? this.#problemOf(row, item) : { line: row.line, item }
  }

  #parse({ fields, crs }: FieldsRow): RowItem | Misfit {
    const bad = findBadNumber(this.#numbers, this.#file, fields)
    if (bad) return bad
    const read = this.#position.read(this.#map(fields), crs)
    return read instanceof Misfit ? read : parseItem(read, this.#file.isExact)
  }

  /** Adds the values of the bad fields to a problem, where they stand, and what names the item. */
  #problemOf({ line, fields, placeOf }: FieldsRow, { reason, badFields, value }: Misfit): Problem {
    const { columns } = this.#file
    const mapped = value === undefined ? this.#map(fields) : {}
    const shown = [...new Set(badFields.map((field) => shorten(textOf(mapped[field]).trim(), SHOWN)))].filter(Boolean)
    const names = badFields.flatMap((field) => columnsOfField(columns, field))
    const other = value === undefined ? names.filter((name) => !badFields.includes(name)) : []
    const place = placeOf?.(names) ?? (other.length > 0 ? `column ${other.join(', ')}` : undefined)
    const text = value ?? shown.join(' and ')
    const placed = place === undefined ? text : text === '' ? place : `${text} (${place})`
    // A bad value names no item, or another one.
    const isBad =
      columns && IDENTITY.some((field) => columnsOfField(columns, field).some((name) => names.includes(name)))
    const identity = isBad ? undefined : identityOf(this.#mapIdentity(fields))
    return { line, reason, value: placed === '' ? undefined : placed, identity }
  }

  /**
   * Gives columns of numbers the numbers of a row in place of the codes that show them. A coordinate stays as it is shown if that can be
   * read: a cell can show 373358 as 37°33'58".
   */
  #withNumbers(row: FieldsRow): FieldsRow {
    if (!row.numbers) return row
    const { decimal } = this.#file.dialect
    const isWanted = (name: string, shown: string) => {
      const field = this.#coordinates.get(name)
      if (field === undefined) return this.#numbers.includes(name)
      return Number.isNaN(Number(plainCoordinate(shown, { field, decimal, areMetres: false })))
    }
    const restored = Object.entries(row.numbers).filter(([name]) => isWanted(name, String(row.fields[name])))
    return { ...row, fields: { ...row.fields, ...Object.fromEntries(restored) } }
  }
}
