import { hasText, MAX_ROW_LENGTH } from '../source-row.ts'
import type { Archive } from './archive.ts'
import { type CellValue, findCell, lettersOf, MAX_COLUMNS, MAX_ROWS, type SheetRow, shownOf } from './cells.ts'
import { parseMoment } from './number-format.ts'
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
  onUncalculated: UncalculatedListener,
): AsyncGenerator<SheetRow> {
  const rows: SheetRow[] = []
  let row: SheetRow = { number: 0, cells: new Map() }
  let cell = newCell(-1)
  let length = 0
  let isValue = false
  const reading = archive.read(part, {
    open: (name, { r, t, s }) => {
      if (name === 'row') {
        row = { number: r === undefined ? row.number + 1 : Number(r), cells: new Map() }
        if (!(Number.isInteger(row.number) && row.number >= 1 && row.number <= MAX_ROWS)) throw beyond()
        cell = newCell(-1)
        length = 0
      }
      if (name === 'c') cell = newCell(r === undefined ? cell.column + 1 : findCell(r)?.column, t, s)
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
      if (name === 'row' && [...row.cells.values()].some((value) => hasText(shownOf(value)))) rows.push(row)
      if (name !== 'c') return
      if (isUncalculated(cell, workbook)) return onUncalculated(row.number, lettersOf(cell.column) + row.number)
      const value = cellValue(cell, workbook)
      if (value !== undefined && shownOf(value) !== '') row.cells.set(cell.column, value)
    },
  })
  for await (const _ of reading) yield* rows.splice(0)
  yield* rows
}

function newCell(column: number | undefined, type = 'n', style = '0'): CellElement {
  if (column === undefined || column >= MAX_COLUMNS) throw beyond()
  return { column, type, style: Number(style), text: '', isFormula: false }
}

const beyond = () =>
  new Error(`a cell is beyond ${lettersOf(MAX_COLUMNS - 1)}${MAX_ROWS}, the last one that a sheet has`)

/** Whether the value of a formula is not in the file. Some programs write 0 for it, and that the file is to be calculated. */
function isUncalculated({ isFormula, type, text }: CellElement, workbook: Workbook): boolean {
  return isFormula && ((text === '' && type !== 'str') || (text === '0' && workbook.isUncalculated))
}

/** A cell with an error, such as `#N/A`, has no value. */
function cellValue({ type, text, style }: CellElement, workbook: Workbook): CellValue | undefined {
  if (text === '' || type === 'e') return undefined
  if (type === 's') return sharedText(text, workbook)
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  const number = type === 'n' ? Number(text) : type === 'd' ? parseMoment(text, workbook.startsIn1904) : undefined
  if (number === undefined) return unescapeText(text)
  // Other programs than Excel write ids of more digits, and numbers greater, than JavaScript has.
  const isExact = /^\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isExact ? (workbook.styles[style]?.(number) ?? number) : text
}

function sharedText(index: string, { texts }: Workbook): string {
  const text = texts[Number(index)]
  if (text === undefined) throw new Error('it lacks a text of its cells; save it again')
  return text
}
