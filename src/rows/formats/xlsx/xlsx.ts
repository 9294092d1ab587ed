import { open, stat } from 'node:fs/promises'
import { messageOf, OperationFailed, operationFailed } from '../../../errors/errors.ts'
import type { Problem } from '../../problem.ts'
import { nameColumns } from '../csv.ts'
import type { SourceFile } from '../dialect.ts'
import { requireRegularFile } from '../read-text.ts'
import { findSignature } from '../signatures.ts'
import type { ByteListener, FieldsRow, SourceRow } from '../source-row.ts'
import { Archive } from './archive.ts'
import { lettersOf, type SheetRow, shownOf } from './cells.ts'
import { chooseSheet, describeChoice, describeLack, findTables, readTable, type Table } from './table.ts'
import { readWorkbook } from './workbook.ts'

/**
 * Yields the rows of the table in a sheet. A row's line is its number in the sheet.
 * @throws `OPERATION_FAILED` if the file is no spreadsheet, has no such sheet, or the sheet has no header, or a column twice
 */
export async function* readXlsx(file: SourceFile, onBytes: ByteListener): AsyncGenerator<SourceRow> {
  try {
    await checkStart(file)
    await using archive = await Archive.open(file.path)
    yield* readChosen(archive, file)
  } catch (error) {
    throw unreadable(file, error)
  }
  onBytes((await stat(file.path)).size)
}

/**
 * Returns the visible sheets of a file that have a table, at most six.
 * @throws `OPERATION_FAILED` if the file is no spreadsheet
 */
export async function readTables(file: SourceFile): Promise<Table[]> {
  try {
    await checkStart(file)
    await using archive = await Archive.open(file.path)
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
async function checkStart(file: SourceFile): Promise<void> {
  await requireRegularFile(file)
  const { name, path } = file
  const start = Buffer.alloc(512)
  try {
    await using handle = await open(path)
    await handle.read(start, 0, start.length, 0)
  } catch (error) {
    throw operationFailed(`${name}: can't be read: ${messageOf(error)}`, error)
  }
  if (start.toString('latin1', 0, 4) === 'PK\x03\x04') return
  if (start.toString('hex', 0, 4) === 'd0cf11e0') {
    throw operationFailed(`${name}: is an old Excel file (.xls) or has a password; save it as .xlsx without a password`)
  }
  const other = findSignature(start, name)
  if (other !== undefined) throw operationFailed(`${name}: ${other}`)
  throw operationFailed(`${name}: is no spreadsheet; if it is text, name it ${name.replace(/\.xlsx$/i, '.csv')}`)
}

async function* readChosen(archive: Archive, file: SourceFile): AsyncGenerator<SourceRow> {
  const workbook = await readWorkbook(archive, file)
  const sheet = chooseSheet(archive, file, workbook)
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
    if (tables.length > 1) yield { line: row.number, reason: describeChoice(file, sheet, tables), warns: 'warning' }
  }
  if (!toRow) throw operationFailed(`${file.name}: ${describeLack(file, sheet, tables)}`)
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

function cellName(sheet: string, column: number, row: number): string {
  return `${sheetName(sheet)}!${lettersOf(column)}${row}`
}

/** A name with spaces or signs has quotes, as in a formula. */
function sheetName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`
}
