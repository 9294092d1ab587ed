import { operationFailed } from '../../../errors/errors.ts'
import { adviseEntry, type SourceFile } from '../dialect.ts'
import type { Archive } from './archive.ts'
import { type CellValue, findCell, type SheetRow, shownOf } from './cells.ts'
import { readSheet, type UncalculatedListener } from './sheet.ts'
import type { Sheet, Workbook } from './workbook.ts'

/** A row with fewer cells is the title of the sheet, and no header. */
const MIN_COLUMNS = 2
/** A cell that is merged over more rows stands beside a table. */
const MAX_HEADER_ROWS = 3

/**
 * Yields the rows of the table in a sheet. The first one is the header: the first row with two cells, and the rows that its cells are
 * merged over. Nothing without a header.
 */
export async function* readTable(
  archive: Archive,
  { part }: Sheet,
  workbook: Workbook,
  onUncalculated: UncalculatedListener = () => {},
): AsyncGenerator<SheetRow> {
  const merged = await readMergedCells(archive, part)
  const fill = mergedFiller(merged)
  let header: SheetRow | undefined
  let lastOfHeader = 0
  for await (const row of readSheet(archive, part, workbook, onUncalculated)) {
    fill(row)
    if (lastOfHeader === 0) {
      if (row.cells.size < MIN_COLUMNS) continue
      header = row
      const bottoms = (merged.get(row.number) ?? []).map(({ bottom }) => bottom)
      lastOfHeader = bottoms.filter((bottom) => bottom < row.number + MAX_HEADER_ROWS).reduce(greater, row.number)
    } else if (row.number <= lastOfHeader) {
      for (const [column, value] of row.cells) header?.cells.set(column, value)
    } else {
      if (header) yield header
      header = undefined
      yield row
    }
  }
  if (header) yield header
}

const greater = (one: number, other: number) => Math.max(one, other)

/** A cell that is merged over rows, from its own. */
interface MergedCell {
  column: number
  top: number
  bottom: number
}

/** They are in memory. */
const MAX_MERGED = 1_000_000

/** Returns the cells of a sheet that are merged over rows, by the first of these rows. */
async function readMergedCells(archive: Archive, part: string): Promise<ReadonlyMap<number, readonly MergedCell[]>> {
  const merged: MergedCell[] = []
  const open = (name: string, { ref = '' }: Readonly<Record<string, string>>) => {
    if (name !== 'mergeCell') return
    const [start, end] = ref.split(':', 2).map(findCell)
    if (start && end && end.row > start.row) merged.push({ column: start.column, top: start.row, bottom: end.row })
    if (merged.length > MAX_MERGED) throw new Error(`more than ${MAX_MERGED} cells are merged; separate them`)
  }
  // They stand after the rows, so reading them means reading the part once more.
  if (await archive.includes(part, 'mergeCell')) await archive.readWhole(part, { open }, Number.POSITIVE_INFINITY)
  return Map.groupBy(merged, ({ top }) => top)
}

/** Returns a function that gives each row, from the top, the values of cells above that are merged with its own. */
function mergedFiller(merged: ReadonlyMap<number, readonly MergedCell[]>): (row: SheetRow) => void {
  const open = new Map<number, { bottom: number; value: CellValue }>()
  return ({ number, cells }) => {
    for (const [column, { bottom, value }] of open) {
      if (number > bottom) open.delete(column)
      else cells.set(column, value)
    }
    for (const { column, bottom } of merged.get(number) ?? []) {
      const value = cells.get(column)
      if (value !== undefined) open.set(column, { bottom, value })
    }
  }
}

/** A visible sheet with a table. */
export interface Table {
  name: string
  /** The first values of the first row. */
  example: string
  /** Whether it is read if the manifest does not name a sheet. */
  isDefault: boolean
}

/** A message names no more. */
const MAX_TABLES = 6

/**
 * Returns the sheet that the manifest names, or the first visible one.
 * @throws `OPERATION_FAILED` if there is none
 */
export function chooseSheet(archive: Archive, file: SourceFile, { sheets }: Workbook): Sheet {
  const { sheet } = file.dialect
  const found = sheets.find(({ name, isVisible }) => (sheet === undefined ? isVisible : name === sheet))
  if (!found) {
    const without = `has no visible sheet; ${adviseEntry(file, { sheet: '…' })}`
    const problem = sheet === undefined ? without : `has no sheet ${JSON.stringify(sheet)}`
    const names = sheets.map(({ name }) => JSON.stringify(name))
    throw operationFailed(`${file.name}: ${problem}; its sheets are ${names.join(', ')}`)
  }
  // Without its rows, an import would remove all items.
  if (archive.has(found.part)) return found
  throw operationFailed(`${file.name}: lacks the rows of its sheet ${JSON.stringify(found.name)}; save it again`)
}

/** Returns the first visible sheets that have a table. */
export async function findTables(archive: Archive, workbook: Workbook): Promise<Table[]> {
  const tables: Table[] = []
  const visible = workbook.sheets.filter(({ isVisible, part }) => isVisible && archive.has(part))
  for (const sheet of visible) {
    const example = await firstRow(archive, sheet, workbook)
    if (example !== undefined) tables.push({ name: sheet.name, example, isDefault: sheet === visible[0] })
    if (tables.length === MAX_TABLES) break
  }
  return tables
}

/** Says which of the sheets with a table is read, and how to choose. */
export function describeChoice(file: SourceFile, { name }: Sheet, tables: readonly Table[]): string {
  return `of the sheets with a table, ${JSON.stringify(name)} is read; ${adviseTables(file, tables)}`
}

/** Says that a sheet has no table, and which sheets have one. */
export function describeLack(file: SourceFile, { name }: Sheet, tables: readonly Table[]): string {
  const advice = tables.length > 0 ? `; ${adviseTables(file, tables)}` : ''
  return `the sheet ${JSON.stringify(name)} has no header, which is a row with two cells${advice}`
}

function adviseTables(file: SourceFile, tables: readonly Table[]): string {
  const choices = tables.map(({ name, example }, index) => {
    const choice = index === 0 ? adviseEntry(file, { sheet: name }) : JSON.stringify(name)
    return `${choice} if its table begins with ${example}`
  })
  return choices.join('; or ')
}

/** An example has this number of values and characters. */
const MAX_VALUES = 3
const MAX_LENGTH = 100

/** Returns the first values of the first row after the header, or of the header if there is no other row. */
async function firstRow(archive: Archive, sheet: Sheet, workbook: Workbook): Promise<string | undefined> {
  const rows: SheetRow[] = []
  for await (const row of readTable(archive, sheet, workbook)) if (rows.push(row) === 2) break
  const cells = rows.at(-1)?.cells
  const values = cells && [...cells].sort(([one], [other]) => one - other).slice(0, MAX_VALUES)
  return values
    ?.map(([, value]) => shownOf(value))
    .join(', ')
    .slice(0, MAX_LENGTH)
}
