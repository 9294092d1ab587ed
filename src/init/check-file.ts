import type { BoundingBox } from '../catalog/box.ts'
import type { Columns, ItemFile } from '../rows/manifest.ts'
import type { RowItem } from '../rows/parse-item.ts'
import { type Problem, ProblemList } from '../rows/problem.ts'
import { rows } from '../rows/rows.ts'
import type { GuessedColumns } from './guess-columns.ts'

/** The report of an import on the rows of a file. */
export interface CheckedFile {
  rows: number
  /** The first items, as they would be stored. */
  items: RowItem[]
  /** The box that contains all items, in degrees; undefined without items. */
  extent: BoundingBox | undefined
  /** Bad rows, with the rows that repeat an identity. */
  bad: ProblemList
  badRows: number
  /** What may be wrong with the whole file. */
  warnings: ProblemList
  /** Rows with the identity of an earlier row. */
  repeated: number
  /** The codes that are empty in some rows, with the line of the first. */
  empty: ReadonlyMap<keyof Columns, number>
}

/** The number of rows that are checked. Their identities are in memory. */
const MAX_ROWS = 200_000
const SHOWN_ITEMS = 3
const CODES = ['administrativeAreaCode', 'categoryCode'] as const

/** Reads the rows of a file as an import would, without a database. Rows after the first 200,000 are not read. */
async function checkFile(file: ItemFile): Promise<CheckedFile> {
  const checked: CheckedFile = {
    rows: 0,
    items: [],
    extent: undefined,
    bad: new ProblemList(),
    badRows: 0,
    warnings: new ProblemList(),
    repeated: 0,
    empty: new Map(),
  }
  const empty = new Map<keyof Columns, number>()
  const lines = new Map<string, number>()
  const { columns = {} } = file
  const isComplete = ['name', 'latitude', 'longitude'].every((field) => Object.hasOwn(columns, field))
  if (!isComplete || !(Object.hasOwn(columns, 'externalId') || Object.hasOwn(columns, 'id'))) return checked
  for await (const row of rows(file)) {
    const problem = 'reason' in row ? row : findRepeated(lines, row.item, row.line)
    if (problem?.warns !== undefined) checked.warnings.add({ file: file.name, ...problem })
    else {
      checked.rows += 1
      if (problem) checked.bad.add({ file: file.name, ...problem })
      if (problem) checked.badRows += 1
      if (problem && 'item' in row) checked.repeated += 1
      if (!problem && 'item' in row) addItem(checked, row.item)
      for (const code of CODES)
        if (problem?.reason.includes(`${code} is required`) && !empty.has(code)) empty.set(code, row.line)
    }
    if (checked.rows >= MAX_ROWS) break
  }
  return { ...checked, empty }
}

function findRepeated(lines: Map<string, number>, { id, externalId }: RowItem, line: number): Problem | undefined {
  const keys = [id, externalId].filter((key) => key !== undefined && key !== null)
  const first = keys.map((key) => lines.get(key)).find((known) => known !== undefined)
  if (first === undefined) for (const key of keys) lines.set(key, line)
  const field = id === undefined ? 'externalId' : 'id or externalId'
  return first === undefined ? undefined : { line, reason: `same ${field}`, as: `line ${first}` }
}

function addItem(checked: CheckedFile, item: RowItem): void {
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
