import { open, stat } from 'node:fs/promises'
import { messageOf, OperationFailed, operationFailed } from '../../../errors/errors.ts'
import type { Problem } from '../../problem.ts'
import { nameColumns } from '../csv.ts'
import { requireRegularFile } from '../read-text.ts'
import { findSignature } from '../signatures.ts'
import { adviseEntry, type ByteListener, type FieldsRow, type SourceFile, type SourceRow } from '../source.ts'
import { Archive, readWorkbook, type Sheet, type Workbook } from './archive.ts'
import { lettersOf, readTable, type SheetRow, shownOf } from './sheet.ts'

/**
 * Yields the rows of the table in a sheet. A row's line is its number in the sheet.
 * @throws `OPERATION_FAILED` if the file is no spreadsheet, has no such sheet, or the sheet has no header, or a column twice
 */
export async function* readXlsx(file: SourceFile, onBytes: ByteListener): AsyncGenerator<SourceRow> {
  try {
    await using archive = await openArchive(file)
    yield* readChosen(archive, file)
  } catch (error) {
    throw unreadable(file, error)
  }
  onBytes((await stat(file.path)).size)
}

/** Returns the visible sheets of a file that have a table, at most six. */
export async function readTables(file: SourceFile): Promise<Table[]> {
  try {
    await using archive = await openArchive(file)
    return await findTables(archive, await readWorkbook(archive, file))
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable({ name }: SourceFile, error: unknown): OperationFailed {
  if (error instanceof OperationFailed) return error
  return operationFailed(`${name}: can't be read as a spreadsheet: ${messageOf(error)}`, error)
}

/** @throws `OPERATION_FAILED` if the file is not a ZIP archive */
async function openArchive(file: SourceFile): Promise<Archive> {
  await requireRegularFile(file)
  const { name, path } = file
  const start = Buffer.alloc(512)
  try {
    await using handle = await open(path)
    await handle.read(start, 0, start.length, 0)
  } catch (error) {
    throw operationFailed(`${name}: can't be read: ${messageOf(error)}`, error)
  }
  if (start.toString('latin1', 0, 4) === 'PK\x03\x04') return Archive.open(path)
  if (start.toString('hex', 0, 4) === 'd0cf11e0') {
    throw operationFailed(`${name}: is an old Excel file (.xls) or has a password; save it as .xlsx without a password`)
  }
  const asText = `is no spreadsheet; if it is text, name it ${name.replace(/\.xlsx$/i, '.csv')}`
  throw operationFailed(`${name}: ${findSignature(start, name) ?? asText}`)
}

async function* readChosen(archive: Archive, file: SourceFile): AsyncGenerator<SourceRow> {
  const workbook = await readWorkbook(archive, file)
  const sheet = chooseSheet(archive, file, workbook)
  const shown = JSON.stringify(sheet.name)
  const isGuess = file.dialect.sheet === undefined && workbook.sheets.filter(({ isVisible }) => isVisible).length > 1
  const tables = isGuess ? await findTables(archive, workbook) : []
  const uncalculated = { count: 0, line: 0, cell: '' }
  const onUncalculated = (line: number, cell: string) => {
    if (uncalculated.count === 0) Object.assign(uncalculated, { line, cell })
    uncalculated.count += 1
  }
  let toRow: ((row: SheetRow) => FieldsRow | Problem) | undefined
  for await (const row of readTable(archive, sheet, workbook, onUncalculated)) {
    if (toRow) {
      yield toRow(row)
      continue
    }
    const names = nameHeader(row, file, sheet.name)
    toRow = rowMaker(row, names, sheet.name)
    yield { line: row.number, columns: names }
    const choice = `of the sheets with a table, ${shown} is read; ${adviseTables(file, tables)}`
    if (tables.length > 1) yield { line: row.number, reason: choice, warns: 'warning' }
  }
  if (!toRow) {
    const advice = tables.length > 0 ? `; ${adviseTables(file, tables)}` : ''
    throw operationFailed(`${file.name}: the sheet ${shown} has no header, which is a row with two cells${advice}`)
  }
  const { count, line, cell } = uncalculated
  const place = `${count}, the first in ${cell}; open the file in a spreadsheet program and save it`
  const reason = `formulas without a value in the file, which count as empty: ${place}`
  if (count > 0) yield { line, reason, warns: 'warning' }
}

function nameHeader({ number, cells }: SheetRow, { name: fileName }: SourceFile, sheet: string): string[] {
  const width = Math.max(...cells.keys()) + 1
  const names = Array.from({ length: width }, (_, column) => String(shownOf(cells.get(column)) ?? '').trim())
  return nameColumns(names, `${fileName}: ${cellName(sheet, 0, number)}`)
}

/** Returns a function that makes the rows after the header. `names` has those of its columns. */
function rowMaker(header: SheetRow, names: readonly string[], sheet: string): (row: SheetRow) => FieldsRow | Problem {
  // One stray cell in the header can make thousands of columns without names. After the first row, they are there if they have a value.
  let expected = [...names.keys()]
  return ({ number, cells }) => {
    const place = (column: number) => cellName(sheet, column, number)
    const beyond = [...cells.keys()].find((column) => column >= names.length)
    if (beyond !== undefined) {
      const reason = 'a cell has no column in the header; name the column, or clear the cell'
      return { line: number, reason, value: place(beyond) }
    }
    const nameOf = (column: number) => names[column] ?? ''
    const present = [...expected, ...[...cells.keys()].filter((column) => !header.cells.has(column))]
    expected = [...header.cells.keys()]
    const fields = Object.fromEntries(present.map((column) => [nameOf(column), shownOf(cells.get(column))]))
    const codes = [...cells].flatMap(([column, value]) =>
      typeof value === 'object' ? [[nameOf(column), value.number] as const] : [],
    )
    const placeOf = (wanted: readonly string[]) =>
      names.flatMap((name, column) => (wanted.includes(name) ? place(column) : [])).join(', ') ||
      `${sheetName(sheet)}, row ${number}`
    return { line: number, fields, ...(codes.length > 0 && { numbers: Object.fromEntries(codes) }), placeOf }
  }
}

/** A name of a sheet with spaces or signs has quotes, as in a formula. */
function sheetName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`
}

const cellName = (sheet: string, column: number, row: number) => `${sheetName(sheet)}!${lettersOf(column)}${row}`

/** A visible sheet with a table. */
export interface Table {
  name: string
  example: string
  /** Whether it is read if the manifest does not name a sheet. */
  isDefault: boolean
}

const MAX_TABLES = 6

/** Returns the sheet that the manifest names, or the first visible one. */
function chooseSheet(archive: Archive, file: SourceFile, { sheets }: Workbook): Sheet {
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
async function findTables(archive: Archive, workbook: Workbook): Promise<Table[]> {
  const tables: Table[] = []
  const visible = workbook.sheets.filter(({ isVisible, part }) => isVisible && archive.has(part))
  for (const sheet of visible) {
    const example = await firstRow(archive, sheet, workbook)
    if (example !== undefined) tables.push({ name: sheet.name, example, isDefault: sheet === visible[0] })
    if (tables.length === MAX_TABLES) break
  }
  return tables
}

/** Says how to choose another sheet with a table. */
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
