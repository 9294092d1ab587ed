import type { Fields } from '../rows/formats/source.ts'
import type { ItemFile } from '../rows/manifest.ts'
import { Places, type StoredPlace } from '../rows/places.ts'
import { ProblemList } from '../rows/problem.ts'
import { rows as readItems } from '../rows/rows.ts'
import { cellOf } from './sample.ts'

/** Rows that are read. The values of keys are in memory. */
const MAX_ROWS = 200_000
const SHOWN_TEXTS = 3
const MAX_TEXT_LENGTH = 40
const BEYOND_ASCII = /(?![\0-\x7f])\p{L}/u

/** What all rows show. */
interface Survey {
  /** At most 200,000. */
  rows: number
  /** The columns that are blank in some rows. */
  blank: ReadonlySet<string>
  /** The first texts with letters beyond ASCII. */
  texts: string[]
}

/** Reads all rows, and shows each to those who watch. */
export async function surveyRows(
  all: AsyncIterable<Fields>,
  columns: readonly string[],
  watching: readonly { see: (row: Fields) => void }[],
): Promise<Survey> {
  const blank = new Set<string>()
  const texts = new Set<string>()
  let rows = 0
  for await (const row of all) {
    for (const each of watching) each.see(row)
    for (const column of columns) {
      const text = cellOf(row, column)
      if (text === '') blank.add(column)
      else if (texts.size < SHOWN_TEXTS && BEYOND_ASCII.test(text)) texts.add(text.slice(0, MAX_TEXT_LENGTH))
    }
    rows += 1
    if (rows >= MAX_ROWS) break
  }
  return { rows, blank, texts: [...texts] }
}

/** What an import says of the rows. */
export interface CheckedRows {
  rows: number
  badRows: number
  /** The bad rows, and what may be wrong with others, by their reasons. */
  bad: string[]
  warnings: string[]
  /** The first, the middle and the last place as they would be stored. */
  places: StoredPlace[]
}

/** Reads the rows as an import does, without a database. */
export async function checkRows(file: ItemFile): Promise<CheckedRows> {
  const [bad, warnings, places] = [new ProblemList(), new ProblemList(), new Places()]
  let rows = 0
  for await (const row of readItems(file)) {
    const problems = 'reason' in row && row.warns !== undefined ? warnings : bad
    if ('reason' in row) problems.add({ file: file.name, ...row })
    if (problems === bad) rows += 1
    if ('item' in row) places.add(rows, row.item)
    if (rows >= MAX_ROWS) break
  }
  return {
    rows,
    badRows: bad.count,
    bad: bad.describe(),
    warnings: warnings.describe('warning: '),
    places: places.three,
  }
}
