import type { Archive } from './archive.ts'
import { showNumber } from './number-format.ts'
import { unescapeText, type Workbook } from './workbook.ts'

/** A row of a sheet: its number, and the values of its cells by the number of the column, from 0. Empty cells are not there. */
export interface SheetRow {
  number: number
  cells: Map<number, string | number>
}

/** Yields the rows of a sheet that have values. */
export async function* readSheet(archive: Archive, part: string, workbook: Workbook): AsyncGenerator<SheetRow> {
  const rows: SheetRow[] = []
  let row: SheetRow = { number: 0, cells: new Map() }
  let column = -1
  let type = 'n'
  let style = 0
  let text = ''
  let isValue = false
  const reading = archive.read(part, {
    open: (name, attributes) => {
      if (name === 'row') {
        row = { number: Number(attributes.r ?? row.number + 1), cells: new Map() }
        column = -1
      }
      if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r)
        if (column >= MAX_COLUMNS) throw new Error(`a row has more than ${MAX_COLUMNS} columns`)
        type = attributes.t ?? 'n'
        style = Number(attributes.s ?? 0)
        text = ''
      }
      isValue = name === 'v' || name === 't'
    },
    text: (content) => {
      if (isValue) text += content
    },
    close: (name) => {
      isValue = false
      if (name === 'c') {
        const value = cellValue(type, text, style, workbook)
        if (value !== undefined && value !== '') row.cells.set(column, value)
      }
      if (name === 'row' && row.cells.size > 0) rows.push(row)
    },
  })
  for await (const _ of reading) yield* rows.splice(0)
  yield* rows
}

/** A cell with an error, such as `#N/A`, has no value. */
function cellValue(type: string, text: string, style: number, workbook: Workbook): string | number | undefined {
  if (text === '' || type === 'e') return undefined
  if (type === 's') return workbook.texts[Number(text)]
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n') return unescapeText(text)
  const number = Number(text)
  // Other programs than Excel write ids of more digits, and numbers greater, than JavaScript has.
  const isExact = /^\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isExact ? showNumber(number, workbook.styles[style] ?? { kind: 'number' }, workbook.startsIn1904) : text
}

/** Excel has no more. */
const MAX_COLUMNS = 16_384
const LETTERS = 26
const BEFORE_A = 64

/** The number of the column in the name of a cell: 2 for `C7`. */
function columnOf(cell: string): number {
  let number = 0
  for (const letter of cell.replace(/\d+$/, '')) number = number * LETTERS + letter.charCodeAt(0) - BEFORE_A
  return number - 1
}

/** The letters of a column: `C` for 2, `AA` for 26. */
export function lettersOf(column: number): string {
  const rest = Math.floor(column / LETTERS)
  return (rest > 0 ? lettersOf(rest - 1) : '') + String.fromCharCode(BEFORE_A + 1 + (column % LETTERS))
}
