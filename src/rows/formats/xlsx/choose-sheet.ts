import { operationFailed } from '../../../errors/errors.ts'
import { adviseEntry, type SourceFile } from '../dialect.ts'
import type { Archive } from './archive.ts'
import { type SheetRow, shownOf } from './cells.ts'
import { readTable } from './table.ts'
import type { Sheet, Workbook } from './workbook.ts'

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
