import type { Archive } from './archive.ts'
import { type CellValue, findCell, type SheetRow } from './cells.ts'
import { readSheet, type UncalculatedListener } from './sheet.ts'
import type { Sheet, Workbook } from './workbook.ts'

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
      lastOfHeader = bottoms.filter((bottom) => bottom < row.number + MAX_HEADER_ROWS).reduce(greater, row.number)
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

const greater = (one: number, other: number) => Math.max(one, other)

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
  const open = (name: string, { ref = '' }: Readonly<Record<string, string>>) => {
    if (name !== 'mergeCell') return
    const [start, end] = ref.split(':', 2).map(findCell)
    if (start && end && end.row > start.row) merged.push({ column: start.column, top: start.row, bottom: end.row })
    if (merged.length > MAX_MERGED) throw new Error(`more than ${MAX_MERGED} cells are merged; separate them`)
  }
  // They stand after the rows, so reading them means reading the part once more.
  if (await archive.includes(part, 'mergeCell')) await archive.readWhole(part, { open }, Number.POSITIVE_INFINITY)
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
