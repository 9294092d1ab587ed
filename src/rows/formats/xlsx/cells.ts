/** What a cell shows, and the number that it shows as a code. */
export type CellValue = string | number | { code: string; number: number }

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
export const MAX_ROWS = 1_048_576
export const MAX_COLUMNS = 16_384
const LETTERS = 26
const BEFORE_A = 64

/** Returns the row of a cell, from 1, and its column, from 0: 7 and 2 for `C7`. Undefined if no sheet has such a cell. */
export function findCell(name: string): { row: number; column: number } | undefined {
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
