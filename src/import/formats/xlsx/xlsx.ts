import { open, stat } from 'node:fs/promises'
import { messageOf, operationFailed } from '../../../errors.ts'
import { nameColumns } from '../columns.ts'
import type { SourceFile } from '../dialect.ts'
import { requireRegularFile } from '../regular-file.ts'
import type { SourceRow } from '../source-row.ts'
import { Archive } from './archive.ts'
import { lettersOf, readSheet, type SheetRow } from './sheet.ts'
import { findSheet, readStyles, readTexts } from './workbook.ts'

/** A row with fewer cells is the title of the sheet, and no header. */
const MIN_COLUMNS = 2

/**
 * Yields the rows of a sheet after its header, which is the first row with two cells. A row's line is its number in the sheet.
 * @throws `OPERATION_FAILED` if the file is no spreadsheet, has no such sheet, or has a column twice
 */
export async function* readXlsx(
  file: SourceFile,
  { onBytes, onHeader }: { onBytes: (count: number) => void; onHeader: (names: readonly string[]) => void },
): AsyncGenerator<SourceRow> {
  await checkStart(file)
  await using archive = await Archive.open(file)
  const { name, part, startsIn1904 } = await findSheet(archive, file)
  const workbook = { texts: await readTexts(archive, file), styles: await readStyles(archive), startsIn1904 }
  let columns: Map<number, string> | undefined
  for await (const row of readSheet(archive, part, workbook)) {
    if (columns) yield toRow(row, columns, name)
    else if (row.cells.size >= MIN_COLUMNS) {
      columns = headerOf(row, file, name)
      onHeader([...columns.values()])
    }
  }
  onBytes((await stat(file.path)).size)
}

/** @throws `OPERATION_FAILED` if the file is not a ZIP archive */
async function checkStart(file: SourceFile): Promise<void> {
  await requireRegularFile(file)
  const { name, path } = file
  const start = Buffer.alloc(4)
  try {
    await using handle = await open(path)
    await handle.read(start, 0, start.length, 0)
  } catch (error) {
    throw operationFailed(`${name}: can't be read: ${messageOf(error)}`, error)
  }
  if (start.toString('latin1') === 'PK\x03\x04') return
  if (start.toString('hex') === 'd0cf11e0') {
    throw operationFailed(`${name}: is an old Excel file (.xls) or has a password; save it as .xlsx without a password`)
  }
  throw operationFailed(`${name}: is no spreadsheet; if it is text, name it ${name.replace(/\.xlsx$/i, '.csv')}`)
}

function headerOf({ number, cells }: SheetRow, { name: fileName }: SourceFile, sheet: string): Map<number, string> {
  const width = Math.max(...cells.keys()) + 1
  const names = Array.from({ length: width }, (_, column) => String(cells.get(column) ?? '').trim())
  return new Map(nameColumns(names, `${fileName}: ${cellName(sheet, 0, number)}`).entries())
}

function toRow({ number, cells }: SheetRow, columns: ReadonlyMap<number, string>, sheet: string): SourceRow {
  const unnamed = [...cells.keys()].find((column) => !columns.has(column))
  if (unnamed !== undefined) {
    const place = cellName(sheet, unnamed, number)
    const problem = 'a cell has no column in the header; name the column, or clear the cell'
    return { line: number, problem, placeOf: () => place }
  }
  const fields = Object.fromEntries([...columns].map(([column, name]) => [name, cells.get(column)]))
  const placeOf = (names: readonly string[]) =>
    [...columns]
      .filter(([, name]) => names.includes(name))
      .map(([column]) => cellName(sheet, column, number))
      .join(', ') || `${sheetName(sheet)}, row ${number}`
  return { line: number, fields, placeOf }
}

function cellName(sheet: string, column: number, row: number): string {
  return `${sheetName(sheet)}!${lettersOf(column)}${row}`
}

/** A name with spaces or signs has quotes, as in a formula. */
function sheetName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`
}
