import type { Archive } from './archive.ts'
import { type CellValue, findCell, type SheetRow } from './cells.ts'

/** The rows that a cell is merged over, from its own. */
export interface MergedCell {
  column: number
  top: number
  bottom: number
}

/** They are in memory. */
const MAX_MERGED = 1_000_000

/** Returns the cells of a sheet that are merged over rows, from the top. */
export async function readMergedCells(archive: Archive, part: string): Promise<MergedCell[]> {
  // They stand after the rows, so reading them means reading the part once more.
  if (!(await archive.includes(part, 'mergeCell'))) return []
  const merged: MergedCell[] = []
  const reading = archive.read(part, {
    open: (name, { ref = '' }) => {
      if (name !== 'mergeCell') return
      const [start, end] = ref.split(':', 2).map(findCell)
      if (start && end && end.row > start.row) merged.push({ column: start.column, top: start.row, bottom: end.row })
      if (merged.length > MAX_MERGED) throw new Error(`more than ${MAX_MERGED} cells are merged; separate them`)
    },
  })
  for await (const _ of reading);
  return merged.sort((one, other) => one.top - other.top)
}

/** Returns a function that gives each row, from the top, the values of cells above that are merged with its own. */
export function mergedFiller(merged: readonly MergedCell[]): (row: SheetRow) => void {
  const open = new Map<number, { bottom: number; value: CellValue }>()
  let next = 0
  return ({ number, cells }) => {
    for (const [column, { bottom, value }] of open) {
      if (number > bottom) open.delete(column)
      else cells.set(column, value)
    }
    for (let cell = merged[next]; cell && cell.top <= number; cell = merged[++next]) {
      const value = cells.get(cell.column)
      if (cell.top === number && value !== undefined) open.set(cell.column, { bottom: cell.bottom, value })
    }
  }
}
