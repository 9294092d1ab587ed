import { hasText, MAX_ROW_LENGTH } from '../source.ts'
import { type Archive, type Sheet, unescapeText, type Workbook } from './archive.ts'
import { type CellValue, type NumberFormat, parseMoment } from './number-format.ts'

/** A row of a sheet: its number, and the values of its cells by the number of the column, from 0. Empty cells are not there. */
export interface SheetRow {
  number: number
  cells: Map<number, CellValue>
}

/** Returns what a cell shows. */
export function shownOf(value: CellValue | undefined): string | number | undefined {
  return typeof value === 'object' ? value.code : value
}

/** Excel has no more. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384
const LETTERS = 26
const BEFORE_A = 64

/** Returns the row of a cell, from 1, and its column, from 0: 7 and 2 for `C7`. Undefined if no sheet has such a cell. */
function findCell(name: string): { row: number; column: number } | undefined {
  const [, letters = '', digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(name) ?? []
  let number = 0
  for (const letter of letters) number = number * LETTERS + letter.charCodeAt(0) - BEFORE_A
  const row = Number(digits)
  return number <= MAX_COLUMNS && row >= 1 && row <= MAX_ROWS ? { row, column: number - 1 } : undefined
}

/** Returns the letters of a column: `C` for 2, `AA` for 26. */
export function lettersOf(column: number): string {
  const rest = Math.floor(column / LETTERS)
  return (rest > 0 ? lettersOf(rest - 1) : '') + String.fromCharCode(BEFORE_A + 1 + (column % LETTERS))
}

/** Called with the row and the name of each cell with a formula whose value is not in the file. */
type UncalculatedListener = (row: number, cell: string) => void

/** Yields the rows of a sheet that have values. */
async function* readSheet(
  archive: Archive,
  part: string,
  workbook: Workbook,
  onUncalculated: UncalculatedListener,
): AsyncGenerator<SheetRow> {
  const rows: SheetRow[] = []
  let [number, column, length, text, isFormula] = [0, -1, 0, '', false]
  let cells: SheetRow['cells'] = new Map()
  let uncalculated: number[] = []
  const reading = archive.read(part, (name, { r, t: type = 'n', s: style = '0' }, content) => {
    if (name === 'f') isFormula = true
    else if (name === 'v' || name === 't') {
      text += content
      length += content.length
      if (length > MAX_ROW_LENGTH) throw new Error(`a row is longer than ${MAX_ROW_LENGTH} characters`)
    } else if (name === 'c') {
      column = (r === undefined ? column + 1 : findCell(r)?.column) ?? MAX_COLUMNS
      if (column >= MAX_COLUMNS) throw beyond()
      // Some programs write 0 for the value of a formula, and that the file is to be calculated.
      const lacksValue = (text === '' && type !== 'str') || (text === '0' && workbook.isUncalculated)
      const value = cellValue(type, text, workbook.styles[Number(style)], workbook)
      if (isFormula && lacksValue) uncalculated.push(column)
      else if (value !== undefined && shownOf(value) !== '') cells.set(column, value)
      ;[text, isFormula] = ['', false]
    } else if (name === 'row') {
      number = r === undefined ? number + 1 : Number(r)
      if (!(Number.isInteger(number) && number >= 1 && number <= MAX_ROWS)) throw beyond()
      for (const each of uncalculated) onUncalculated(number, lettersOf(each) + number)
      if ([...cells.values()].some((value) => hasText(shownOf(value)))) rows.push({ number, cells })
      ;[column, length, cells, uncalculated] = [-1, 0, new Map(), []]
    }
  })
  for await (const _ of reading) yield* rows.splice(0)
  yield* rows
}

const beyond = () =>
  new Error(`a cell is beyond ${lettersOf(MAX_COLUMNS - 1)}${MAX_ROWS}, the last one that a sheet has`)

/** A cell with an error, such as `#N/A`, has no value. */
function cellValue(
  type: string,
  text: string,
  format: NumberFormat | undefined,
  workbook: Workbook,
): CellValue | undefined {
  if (text === '' || type === 'e') return undefined
  if (type === 's') {
    const shared = workbook.texts[Number(text)]
    if (shared === undefined) throw new Error('it lacks a text of its cells; save it again')
    return shared
  }
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  const number = type === 'n' ? Number(text) : type === 'd' ? parseMoment(text, workbook.startsIn1904) : undefined
  if (number === undefined) return unescapeText(text)
  // Other programs than Excel write ids of more digits, and numbers greater, than JavaScript has.
  const isExact = /^\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isExact ? (format?.(number) ?? number) : text
}

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
      lastOfHeader = Math.max(row.number, ...bottoms.filter((bottom) => bottom < row.number + MAX_HEADER_ROWS))
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
  const onElement = (name: string, { ref = '' }: Readonly<Record<string, string>>) => {
    if (name !== 'mergeCell') return
    const [start, end] = ref.split(':', 2).map(findCell)
    if (start && end && end.row > start.row) merged.push({ column: start.column, top: start.row, bottom: end.row })
    if (merged.length > MAX_MERGED) throw new Error(`more than ${MAX_MERGED} cells are merged; separate them`)
  }
  // They stand after the rows, so reading them means reading the part once more.
  if (await archive.includes(part, 'mergeCell')) await archive.readWhole(part, onElement, Number.POSITIVE_INFINITY)
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
