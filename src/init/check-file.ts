import type { BoundingBox } from '../catalog/box.ts'
import { columnMapping, textOf } from '../rows/column-mapping.ts'
import { readRows } from '../rows/formats/readers.ts'
import type { Fields, SourceRow } from '../rows/formats/source-row.ts'
import type { Columns, ItemFile } from '../rows/manifest.ts'
import type { ImportedItem } from '../rows/parse-item.ts'
import { readItems } from '../rows/read-items.ts'
import { ProblemGroups } from '../rows/row-problems.ts'
import { stableUuid } from '../rows/stable-uuid.ts'
import type { GuessedColumns } from './guess-columns.ts'

/** The report of an import on the rows of a file. */
export interface CheckedFile {
  rows: number
  /** The first items, as they would be stored. */
  items: ImportedItem[]
  /** The box that contains all items, in degrees; undefined without items. */
  extent: BoundingBox | undefined
  /** Bad rows, with the rows that repeat an identity. */
  bad: ProblemGroups
  badRows: number
  /** What may be wrong with the whole file. */
  warnings: ProblemGroups
  /** Rows with the identity of an earlier row. */
  repeated: number
  /** The codes that are empty in some rows, with the line of the first. */
  empty: ReadonlyMap<keyof Columns, number>
}

/** The number of rows that are checked. Their identities are in memory. */
const MAX_ROWS = 200_000
const SHOWN_ITEMS = 3
const CODES = ['administrativeAreaCode', 'categoryCode'] as const
/** The items are not stored, so any dataset serves. */
const NO_DATASET = '00000000-0000-0000-0000-000000000000'

/** Reads the rows of a file as an import would, without a database. Rows after the first 200,000 are not read. */
async function checkFile(file: ItemFile): Promise<CheckedFile> {
  const checked: CheckedFile = {
    rows: 0,
    items: [],
    extent: undefined,
    bad: new ProblemGroups(),
    badRows: 0,
    warnings: new ProblemGroups(),
    repeated: 0,
    empty: new Map(),
  }
  const empty = new Map<keyof Columns, number>()
  const lines = new Map<string, number>()
  const map = columnMapping(file)
  const onWarning = (warning: { line: number; reason: string; kind?: string }) =>
    checked.warnings.add({ file: file.name, ...warning })
  const rows = watched(readRows(file, { onWarning }), ({ fields, line }) => {
    const mapped = map(fields)
    for (const code of CODES) if (!empty.has(code) && textOf(mapped[code]).trim() === '') empty.set(code, line)
  })
  for await (const row of readItems(file, rows, NO_DATASET)) {
    checked.rows += 1
    for (const warning of row.warnings) onWarning({ line: row.line, ...warning })
    const given = 'problem' in row ? row : undefined
    const problem = 'item' in row ? findRepeated(lines, row.item, row.line) : given
    if (problem) checked.bad.add({ file: file.name, line: row.line, reason: problem.problem, kind: problem.kind })
    if (problem) checked.badRows += 1
    if (problem && 'item' in row) checked.repeated += 1
    if (!problem && 'item' in row) addItem(checked, row.item)
    if (checked.rows >= MAX_ROWS) break
  }
  return { ...checked, empty }
}

type GoodRow = Extract<SourceRow, { fields: Fields }>

async function* watched(rows: AsyncIterable<SourceRow>, onRow: (row: GoodRow) => void): AsyncGenerator<SourceRow> {
  for await (const row of rows) {
    if ('fields' in row) onRow(row)
    yield row
  }
}

function findRepeated(lines: Map<string, number>, { id, hasOwnId, externalId }: ImportedItem, line: number) {
  // The id of a row without one is made of its externalId.
  const keys = hasOwnId && externalId !== null ? [id, stableUuid(externalId, NO_DATASET)] : [id]
  const first = keys.map((key) => lines.get(key)).find((known) => known !== undefined)
  if (first === undefined) for (const key of keys) lines.set(key, line)
  const kind = `its ${hasOwnId ? 'id or externalId' : 'externalId'} stands twice`
  return first === undefined ? undefined : { problem: `${kind}, first at line ${first}`, kind }
}

function addItem(checked: CheckedFile, item: ImportedItem): void {
  if (checked.items.length < SHOWN_ITEMS) checked.items.push(item)
  const [longitude, latitude] = [Number(item.longitude), Number(item.latitude)]
  const { west = longitude, south = latitude, east = longitude, north = latitude } = checked.extent ?? {}
  checked.extent = {
    west: Math.min(west, longitude),
    south: Math.min(south, latitude),
    east: Math.max(east, longitude),
    north: Math.max(north, latitude),
  }
}

/** Checks all rows. Takes the next mapping if rows share an identity. */
export async function settleColumns(
  file: UnmappedFile,
  [first, ...others]: GuessedColumns['mappings'],
): Promise<Attempt> {
  let best = await attempt(file, first)
  for (const columns of others) {
    if (best.checked.repeated === 0) break
    const next = await attempt(file, columns)
    if (next.checked.repeated < best.checked.repeated) best = next
  }
  return best
}

type UnmappedFile = Omit<ItemFile, 'columns'>

interface Attempt {
  file: ItemFile
  checked: CheckedFile
}

/** Checks all rows with a mapping. Gives a default to codes that are empty. */
async function attempt(file: UnmappedFile, columns: Columns): Promise<Attempt> {
  const checked = await checkFile({ ...file, columns })
  const completed = { ...file, columns: withDefaults(columns, checked) }
  const { empty } = checked
  return { file: completed, checked: empty.size > 0 ? { ...(await checkFile(completed)), empty } : checked }
}

function withDefaults(columns: Columns, { empty }: CheckedFile): Columns {
  const completed = [...empty.keys()].flatMap((field) => {
    const column = columns[field]
    return typeof column === 'string' ? [[field, { column, default: 'unknown' }] as const] : []
  })
  return { ...columns, ...Object.fromEntries(completed) }
}
