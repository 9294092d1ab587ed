import { operationFailed } from '../errors/errors.ts'
import { textOf, withNested } from '../rows/column-mapping.ts'
import { describeCoordinate, isPacked } from '../rows/coordinate-text.ts'
import type { SourceFile } from '../rows/formats/dialect.ts'
import { emptyCells, findNoValues } from '../rows/formats/no-value.ts'
import { readFile } from '../rows/formats/readers.ts'
import type { Fields } from '../rows/formats/source-row.ts'
import type { Inference } from '../rows/inference.ts'
import { findReferenceSystem } from '../rows/reference-system.ts'
import { findCoordinates } from './column-names.ts'
import { readNumber, type Sample } from './guess-columns.ts'
import { inferDecimal } from './infer-decimal.ts'

/** Number of rows on which the guesses are based. */
const SAMPLE_ROWS = 5_000

/** Reads the first rows. */
export async function readSample(file: SourceFile): Promise<{ sample: Sample; inferences: (Inference | undefined)[] }> {
  let ownCrs: string | undefined
  const given: Fields[] = []
  let problem: string | undefined
  for await (const row of readFile(file)) {
    if ('fields' in row) {
      given.push(row.fields)
      ownCrs ??= row.crs === undefined ? undefined : findReferenceSystem(row.crs)?.code
    } else if ('reason' in row && row.warns === undefined)
      problem ??= `all of its rows are bad, the first at line ${row.line}: ${row.reason}`
    if (given.length >= SAMPLE_ROWS) break
  }
  if (given.length === 0) throw operationFailed(`${file.name}: ${problem ?? 'has no rows to guess the columns from'}`)
  const found = findNoValues(given)
  const withEmpty = emptyCells(found?.texts)
  const rows = given.map((fields) => withNested(withEmpty(fields)))
  const columns = [...new Set(rows.flatMap(Object.keys))]
  const { decimal, inference } = inferDecimal(rows, placesIn(columns))
  const sample = { columns, rows, decimal, empty: found?.texts, ownCrs: ownCrs === 'EPSG:4326' ? undefined : ownCrs }
  return { sample, inferences: [found && sayEmpty(found, rows.length), inference] }
}

function sayEmpty({ texts, column, count }: NonNullable<ReturnType<typeof findNoValues>>, rows: number): Inference {
  const example = `the column ${column} has one in ${count} of the first ${rows} rows`
  const chosen = { choice: texts.join(' or '), example, write: `"empty": ${JSON.stringify(texts)}` }
  const alternative = { choice: 'only a cell without text', example: '', write: 'no "empty"' }
  return { what: 'an empty cell', chosen, alternatives: [alternative] }
}

/** Names that are numbers of degrees. */
const DEGREES = /^-?\d{1,3}[.,]\d+$/

/** Returns a sentence with a value of the columns that may have coordinates, or else of the first column. */
export function findUnread({ columns, rows, decimal }: Sample): string {
  const number = columns.find((column) => DEGREES.test(column))
  if (number !== undefined)
    return `the first line has no names of columns, but values such as ${number}; add a line with names above it`
  const places = placesIn(columns)
  const { latitude } = findCoordinates(columns)
  const found = (places.length > 0 ? places : columns).flatMap((column) => {
    const texts = rows.map((row) => textOf(row[column])).filter((each) => each.trim() !== '')
    const limit = latitude.includes(column) ? LARGEST_LATITUDE : LARGEST_LONGITUDE
    const wrong = texts.map((text) => ({ column, text, what: describeWrong(text, decimal, limit) }))
    return wrong.find(({ what }) => what !== undefined) ?? wrong.slice(0, 1)
  })
  const {
    column,
    text,
    what = '',
  } = found.find((each) => describeCoordinate(each.text)) ?? found.find((each) => each.what) ?? found[0] ?? NONE
  const is = places.length > 0 || describeCoordinate(text) ? what : 'and no column is called like a coordinate'
  const only = columns.length === 1 ? '; if the file has more columns, add "delimiter" with what separates them' : ''
  return `the column ${column} has ${text.slice(0, SHOWN)}, ${is}; write latitude and longitude into two columns, as numbers of degrees${only}`
}

const NONE = { column: '', text: '', what: undefined }
const LARGEST_LATITUDE = 90
const LARGEST_LONGITUDE = 180

/** Says why a text is no number of degrees up to a limit; undefined if it is one. */
function describeWrong(text: string, decimal: Sample['decimal'], limit: number): string | undefined {
  const what = describeCoordinate(text) ?? (isPacked(text) ? PACKED : undefined)
  const number = Math.abs(readNumber(text, { field: 'longitude', decimal, areMetres: false }))
  if (what !== undefined || number <= limit) return what
  if (number <= LARGEST_LONGITUDE) return `more than ${limit} degrees; some rows may have both columns exchanged`
  return number > limit
    ? 'no number of degrees: it may have lost its decimal sign, or be metres, which need "crs"'
    : 'no number of degrees'
}

const PACKED = `metres, or degrees, minutes and seconds without their signs, such as 373000 for 37°30'00"`
/** Characters of a value that are shown. */
const SHOWN = 60

function placesIn(columns: readonly string[]): string[] {
  const { latitude, longitude } = findCoordinates(columns)
  const found = new Set([...latitude, ...longitude])
  return columns.filter((column) => found.has(column))
}
