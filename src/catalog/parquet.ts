import { setImmediate } from 'node:timers/promises'
import type { SchemaElement } from 'hyparquet-writer'
import { attributeColumn, EXPORT_FIELDS, ITEM_COLUMNS } from './columns.ts'
import type { Attributes } from './sql/export-lines.ts'

/*
 * GeoParquet 1.1 (https://geoparquet.org/releases/v1.1.0): a column for each member of an exported item, and `geometry` as WKB. Its
 * coordinates are in OGC:CRS84, which is the default.
 */

/** An item as PostgreSQL writes it (`arrayLines`): its values in the order of `EXPORT_FIELDS`. */
type Item = readonly (string | null | readonly (string | null)[])[]

/** A row group ends with the batch that reaches one of these numbers. They bound the memory of an export (docs/limits.md). */
const GROUP_ITEMS = 10_000
const GROUP_CHARACTERS = 4 * 1024 * 1024

const GEO = {
  version: '1.1.0',
  primary_column: 'geometry',
  columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'] } },
}

/** A column of the file. */
interface Column {
  /** The column, and the parts of a list. */
  schema: readonly [SchemaElement, ...SchemaElement[]]
  valueIn: (item: Item) => unknown
}

/**
 * The parts of a file.
 * @param batches are lines of `arrayLines`, joined with commas
 */
export async function* encodeParquet(
  batches: AsyncIterable<string>,
  attributes: Attributes,
): AsyncGenerator<Uint8Array> {
  // Loaded here, because most gateways write no such file.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const columns = columnsOf(attributes)
  const schema = [{ name: 'item', num_children: columns.length }, ...columns.flatMap((column) => column.schema)]
  const writer = new ByteWriter()
  const file = new ParquetWriter({ writer, schema, kvMetadata: [{ key: 'geo', value: JSON.stringify(GEO) }] })
  const take = (): Uint8Array => {
    const bytes = new Uint8Array(writer.getBuffer())
    writer.index = 0
    return bytes
  }
  for await (const items of groupsOf(batches)) {
    const first = file.row_groups.length
    for (const { schema, valueIn } of columns) {
      file.write({ columnData: [{ name: schema[0].name, data: items.map(valueIn) }], rowGroupSize: items.length })
      yield take()
      // A whole group would keep all other requests waiting for a tenth of a second.
      await setImmediate()
    }
    // The library has written a group for each column. A file with one group of all columns has the same bytes before its footer.
    const groups = file.row_groups.splice(first)
    file.row_groups.push({
      columns: groups.flatMap((group) => group.columns),
      num_rows: BigInt(items.length),
      total_byte_size: groups.reduce((sum, group) => sum + group.total_byte_size, 0n),
    })
    file.num_rows -= BigInt(items.length * (columns.length - 1))
  }
  await file.finish()
  const end = take()
  if (file.row_groups.length === 0) setTypeOfRowGroups(end)
  yield end
}

/** In the footer of a file without rows: the field `num_rows` with 0, then `row_groups` with an empty list whose elements have no type. */
const NO_ROW_GROUPS = Buffer.from([0x16, 0, 0x19, 0])
/** The type of a struct (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). */
const STRUCT = 12

/** Writes the type into the list: hyparquet-writer 0.17 finds it in the first element, and arrow-rs refuses a list without one. */
function setTypeOfRowGroups(footer: Uint8Array): void {
  footer[Buffer.from(footer).lastIndexOf(NO_ROW_GROUPS) + NO_ROW_GROUPS.length - 1] = STRUCT
}

/** The items of each row group. */
async function* groupsOf(batches: AsyncIterable<string>): AsyncGenerator<Item[]> {
  let items: Item[] = []
  let characters = 0
  for await (const lines of batches) {
    const batch: Item[] = JSON.parse(`[${lines}]`)
    items.push(...batch)
    characters += lines.length
    if (items.length < GROUP_ITEMS && characters < GROUP_CHARACTERS) continue
    yield items
    items = []
    characters = 0
  }
  if (items.length > 0) yield items
}

function columnsOf(attributes: Attributes): Column[] {
  const members = EXPORT_FIELDS.flatMap((field, n) =>
    field === 'extraAttributes' && attributes ? attributes.map((name, k) => attribute(name, n, k)) : member(field, n),
  )
  const [latitude, longitude] = [EXPORT_FIELDS.indexOf('latitude'), EXPORT_FIELDS.indexOf('longitude')]
  const geometry: Column = {
    schema: [{ name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' }],
    valueIn: (item) => pointOf(Number(item[longitude]), Number(item[latitude])),
  }
  return [...members, geometry]
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const REQUIRED = { repetition_type: 'REQUIRED' } as const

/** The column of a member, which is the value `n` of an item. */
function member(name: string, n: number): Column {
  // Only `images` are no column of an item. They are a text, too.
  const { type = 'String', isList = false, isRequired = true } = ITEM_COLUMNS.get(name) ?? {}
  const column = { name, repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' } as const
  if (isList) {
    const list = { name: 'list', repetition_type: 'REPEATED', num_children: 1 } as const
    return {
      schema: [{ ...column, converted_type: 'LIST', num_children: 1 }, list, { name: 'element', ...REQUIRED, ...TEXT }],
      valueIn: (item) => item[n],
    }
  }
  if (type === 'Decimal') return { schema: [{ ...column, type: 'DOUBLE' }], valueIn: (item) => Number(item[n]) }
  if (type === 'DateTime') {
    const timestamp = {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    } as const
    return { schema: [{ ...column, ...timestamp }], valueIn: (item) => new Date(String(item[n])) }
  }
  return { schema: [{ ...column, ...TEXT }], valueIn: (item) => item[n] }
}

/** The column of an extra attribute, which is the value `k` of the list `n` of an item. */
function attribute(name: string, n: number, k: number): Column {
  return {
    schema: [{ name: attributeColumn(name), repetition_type: 'OPTIONAL', ...TEXT }],
    valueIn: (item) => item[n]?.[k],
  }
}

/** A point as WKB, with the least significant byte first (OGC 06-103r4 section 8.2). */
function pointOf(x: number, y: number): Buffer {
  const bytes = Buffer.alloc(21)
  bytes.writeUInt8(1)
  bytes.writeUInt32LE(1, 1)
  bytes.writeDoubleLE(x, 5)
  bytes.writeDoubleLE(y, 13)
  return bytes
}
