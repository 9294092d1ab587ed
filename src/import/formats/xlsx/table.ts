import type { Archive } from './archive.ts'
import type { SheetRow } from './cells.ts'
import { type MergedCell, readMergedCells } from './merged-cells.ts'
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
  let header: SheetRow | undefined
  let lastOfHeader = 0
  let isYielded = false
  for await (const row of readSheet(archive, part, workbook, merged, onUncalculated)) {
    if (header === undefined) {
      if (row.cells.size < MIN_COLUMNS) continue
      header = row
      lastOfHeader = endOfHeader(row, merged)
    } else if (row.number <= lastOfHeader) {
      for (const [column, value] of row.cells) header.cells.set(column, value)
    } else {
      if (!isYielded) yield header
      isYielded = true
      yield row
    }
  }
  if (header && !isYielded) yield header
}

function endOfHeader({ number }: SheetRow, merged: readonly MergedCell[]): number {
  const fitting = merged.filter(({ top, bottom }) => top === number && bottom < number + MAX_HEADER_ROWS)
  return fitting.reduce((end, { bottom }) => Math.max(end, bottom), number)
}
