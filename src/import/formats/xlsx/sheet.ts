import { hasText, MAX_ROW_LENGTH } from '../source-row.ts'
import type { Archive } from './archive.ts'
import { type CellValue, findCell, lettersOf, MAX_COLUMNS, MAX_ROWS, type SheetRow, shownOf } from './cells.ts'
import { type MergedCell, mergedFiller } from './merged-cells.ts'
import { numberOfMoment, showNumber } from './show-number.ts'
import { unescapeText, type Workbook } from './workbook.ts'

/** The element of a cell as it is read. */
interface CellElement {
  column: number
  type: string
  style: number
  text: string
  isFormula: boolean
}

/** Called with the row and the name of each cell with a formula whose value is not in the file. */
export type UncalculatedListener = (row: number, cell: string) => void

/** Yields the rows of a sheet that have values. */
export async function* readSheet(
  archive: Archive,
  part: string,
  workbook: Workbook,
  merged: readonly MergedCell[],
  onUncalculated: UncalculatedListener,
): AsyncGenerator<SheetRow> {
  const rows: SheetRow[] = []
  const fillMerged = mergedFiller(merged)
  let row: SheetRow = { number: 0, cells: new Map() }
  let cell: CellElement = { column: -1, type: 'n', style: 0, text: '', isFormula: false }
  let length = 0
  let isValue = false
  const reading = archive.read(part, {
    open: (name, attributes) => {
      if (name === 'row') {
        row = { number: rowNumber(attributes.r, row.number + 1), cells: new Map() }
        cell.column = -1
        length = 0
      }
      if (name === 'c') cell = toCell(attributes, cell.column + 1)
      cell.isFormula ||= name === 'f'
      isValue = name === 'v' || name === 't'
    },
    text: (content) => {
      if (!isValue) return
      cell.text += content
      length += content.length
      if (length > MAX_ROW_LENGTH) throw new Error(`a row is longer than ${MAX_ROW_LENGTH} characters`)
    },
    close: (name) => {
      isValue = false
      if (name === 'c') {
        if (isUncalculated(cell, workbook)) onUncalculated(row.number, lettersOf(cell.column) + row.number)
        else addValue(row, cell.column, cellValue(cell, workbook))
      }
      if (name !== 'row' || ![...row.cells.values()].some((value) => hasText(shownOf(value)))) return
      fillMerged(row)
      rows.push(row)
    },
  })
  for await (const _ of reading) yield* rows.splice(0)
  yield* rows
}

function rowNumber(given: string | undefined, next: number): number {
  const number = given === undefined ? next : Number(given)
  if (Number.isInteger(number) && number >= 1 && number <= MAX_ROWS) return number
  throw beyond()
}

function toCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>, next: number): CellElement {
  const column = r === undefined ? next : findCell(r)?.column
  if (column === undefined || column >= MAX_COLUMNS) throw beyond()
  return { column, type: t, style: Number(s), text: '', isFormula: false }
}

const beyond = () =>
  new Error(`a cell is beyond ${lettersOf(MAX_COLUMNS - 1)}${MAX_ROWS}, the last one that a sheet has`)

/** Whether the value of a formula is not in the file. Some programs write 0 for it, and that the file is to be calculated. */
function isUncalculated({ isFormula, type, text }: CellElement, workbook: Workbook): boolean {
  return isFormula && ((text === '' && type !== 'str') || (text === '0' && workbook.isUncalculated))
}

function addValue({ cells }: SheetRow, column: number, value: CellValue | undefined): void {
  if (value !== undefined && shownOf(value) !== '') cells.set(column, value)
}

/** A cell with an error, such as `#N/A`, has no value. */
function cellValue({ type, text, style }: CellElement, workbook: Workbook): CellValue | undefined {
  if (text === '' || type === 'e') return undefined
  if (type === 's') return sharedText(text, workbook)
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  const { startsIn1904, styles } = workbook
  const number = type === 'd' ? numberOfMoment(text, startsIn1904) : Number(text)
  if ((type !== 'n' && type !== 'd') || number === undefined) return unescapeText(text)
  // Other programs than Excel write ids of more digits, and numbers greater, than JavaScript has.
  const isExact = /^\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isExact ? showNumber(number, styles[style] ?? [], startsIn1904) : text
}

function sharedText(index: string, { texts }: Workbook): string {
  const text = texts[Number(index)]
  if (text === undefined) throw new Error('it lacks a text of its cells; save it again')
  return text
}
