import { operationFailed } from '../../errors/errors.ts'
import type { SourceFile } from '../formats/dialect.ts'
import { readRows } from '../formats/readers.ts'
import type { Fields } from '../formats/source-row.ts'
import type { Inference } from '../inference.ts'
import { findReferenceSystem } from '../reference-system.ts'
import { textOf, withNested } from '../row/column-mapping.ts'
import { describeCoordinate } from '../row/coordinate-text.ts'
import { matches, NAMES, PROJECTED_NAMES } from './column-names.ts'
import type { Sample } from './guess-columns.ts'
import { inferDecimal } from './infer-decimal.ts'

/** Number of rows on which the guesses are based. */
const SAMPLE_ROWS = 5_000

/** Reads the first rows, and the system that the file itself names, if it is not that of WGS 84. */
export async function readSample(
  file: SourceFile,
): Promise<{ sample: Sample; inference: Inference | undefined; ownCrs: string | undefined }> {
  let ownCrs: string | undefined
  const rows: Fields[] = []
  for await (const row of readRows(file)) {
    if ('fields' in row) {
      rows.push(withNested(row.fields))
      ownCrs ??= row.crs === undefined ? undefined : findReferenceSystem(row.crs)?.code
    }
    if (rows.length >= SAMPLE_ROWS) break
  }
  if (rows.length === 0) throw operationFailed(`${file.name}: has no rows to guess the columns from`)
  const columns = [...new Set(rows.flatMap(Object.keys))]
  const { decimal, inference } = inferDecimal(rows, columns.filter(isPlaceName))
  const sample = { columns, rows, decimal }
  return { sample, inference, ownCrs: ownCrs === 'EPSG:4326' ? undefined : ownCrs }
}

/** Returns a sentence about the first coordinates that are no numbers. */
export function findUnread({ columns, rows }: Sample): string | undefined {
  for (const column of columns.filter(isPlaceName)) {
    const text = rows.map((row) => textOf(row[column])).find((each) => each.trim() !== '') ?? ''
    const what = describeCoordinate(text)
    if (what !== undefined)
      return `the column ${column} has ${text.slice(0, SHOWN)}, ${what}; write latitude and longitude into two columns, as numbers of degrees`
  }
  return undefined
}

/** Characters of a value that are shown. */
const SHOWN = 60

function isPlaceName(column: string): boolean {
  const patterns = [...(NAMES.latitude ?? []), ...(NAMES.longitude ?? []), ...Object.values(PROJECTED_NAMES)]
  return patterns.some((pattern) => matches(pattern, column))
}
