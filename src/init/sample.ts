import { operationFailed } from '../errors/errors.ts'
import { isObject } from '../json.ts'
import { textOf, withNested } from '../rows/column-mapping.ts'
import { emptyCells, findNoValues } from '../rows/formats/no-value.ts'
import { readFile } from '../rows/formats/readers.ts'
import type { Fields, SourceFile } from '../rows/formats/source.ts'
import { explainProblem } from '../rows/problem.ts'
import { findReferenceSystem } from '../rows/reference-system.ts'
import { type Choice, written } from './choice.ts'

/** The columns of a file, with the names of members of objects, and their values in the first rows. */
export interface Sample {
  columns: readonly string[]
  rows: readonly Fields[]
  empty: readonly string[] | undefined
  /** The system that the file itself names, if it is not WGS 84. */
  ownCrs: string | undefined
}

/** Columns are chosen by so many rows. */
const SAMPLE_ROWS = 5_000

/** Reads the first rows. @throws `OPERATION_FAILED` if the file can't be read or has no good row */
export async function readSample(file: SourceFile): Promise<{ sample: Sample; choices: Choice[] }> {
  let ownCrs: string | undefined
  const given: Fields[] = []
  let problem: string | undefined
  for await (const row of readFile(file)) {
    if ('fields' in row) {
      given.push(row.fields)
      ownCrs ??= row.crs === undefined ? undefined : findReferenceSystem(row.crs)?.code
    } else if ('reason' in row && row.warns === undefined)
      problem ??= `all of its rows are bad, the first at line ${row.line}: ${explainProblem(row)}`
    if (given.length >= SAMPLE_ROWS) break
  }
  if (given.length === 0) throw operationFailed(`${file.name}: ${problem ?? 'has no rows to choose the columns from'}`)
  const found = findNoValues(given)
  const withEmpty = emptyCells(found?.texts)
  const rows = given.map((fields) => withNested(withEmpty(fields)))
  const columns = [...new Set(rows.flatMap(Object.keys))]
  const sample = { columns, rows, empty: found?.texts, ownCrs: ownCrs === 'EPSG:4326' ? undefined : ownCrs }
  return { sample, choices: found ? [emptyChoice(found, rows.length)] : [] }
}

function emptyChoice({ texts, column, count }: NonNullable<ReturnType<typeof findNoValues>>, rows: number): Choice {
  const example = `${column} has one in ${count} of the first ${rows} rows`
  const empty = { choice: `${texts.join(', ')} are no value`, example, write: written({ empty: texts }) }
  return { what: 'empty', readings: [empty, { choice: 'they are texts', example: '', write: 'no "empty"' }] }
}

/** The texts of a column without those that are blank. */
export function textsIn({ rows }: Sample, column: string): string[] {
  return rows.map((row) => textOf(row[column]).trim()).filter((text) => text !== '')
}

/** Number of rows whose values in the columns are blank or repeat an earlier row. */
export function countRepeated({ rows }: Pick<Sample, 'rows'>, columns: readonly string[]): number {
  const values = rows.map((row) => columns.map((column) => textOf(row[column]).trim()))
  const keys = values.filter((texts) => texts.some((text) => text !== '')).map((texts) => JSON.stringify(texts))
  return values.length - new Set(keys).size
}

/** A few cells of a column may hold other text, which an import reports. */
export const MAX_OTHERS = 0.05

/** Whether a column has texts, and nearly all are as they should be. */
export function fits(texts: readonly string[], isRight: (text: string) => boolean): boolean {
  return texts.length > 0 && texts.filter((text) => !isRight(text)).length <= MAX_OTHERS * texts.length
}

const DATE = /^\d{1,4}\s?[-./년]\s?\d{1,2}\s?[-./月월]|^(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])$/

/** Whether nearly all values of a column begin with a date. */
export function areDates(sample: Sample, column: string): boolean {
  return fits(textsIn(sample, column), (text) => DATE.test(text))
}

/** The columns whose values are objects. */
export function objectColumns({ columns, rows }: Sample): string[] {
  return columns.filter((column) => rows.some((row) => isObject(row[column])))
}
