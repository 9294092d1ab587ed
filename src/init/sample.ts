import { operationFailed, shorten } from '../errors/errors.ts'
import { isObject } from '../json.ts'
import { textOf, withNested } from '../rows/column-mapping.ts'
import { emptyCells, findNoValues } from '../rows/formats/no-value.ts'
import type { Fields, FieldsRow, SourceFile } from '../rows/formats/source.ts'
import { explainProblem } from '../rows/problem.ts'
import { findReferenceSystem } from '../rows/reference-system.ts'
import { rows } from '../rows/rows.ts'
import { type Choice, toReading } from './choice.ts'

/** A few cells of a column may hold other text, which an import reports. */
export const MAX_OTHERS = 0.05
/** A date. A key such as 172-2-000001 is not one. */
const DATE =
  /^(?:(?:19|20)\d\d|\d{1,2})\s?[-./년年]\s?\d{1,2}\s?[-./月월](?!\s?\d{5}|\s?0\d\d)|^(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])$/
const MAX_EXAMPLE_LENGTH = 60

/** The text of a cell; empty if it is blank. */
export function cellOf(row: Fields, column: string): string {
  return textOf(row[column]).trim()
}

/** The first rows of a file, by which its columns are chosen. A member of an object is a column too. */
export class Sample {
  readonly rows: readonly Fields[]
  readonly columns: readonly string[]
  /** The columns whose values are objects. */
  readonly objects: readonly string[]
  readonly #texts = new Map<string, readonly string[]>()

  constructor(rows: readonly Fields[]) {
    this.rows = rows
    this.columns = [...new Set(rows.flatMap(Object.keys))]
    this.objects = this.columns.filter((column) => rows.some((row) => isObject(row[column])))
  }

  /** The texts of a column without those that are blank. */
  texts(column: string): readonly string[] {
    const texts = this.#texts.get(column) ?? this.rows.map((row) => cellOf(row, column)).filter((text) => text !== '')
    this.#texts.set(column, texts)
    return texts
  }

  example(column: string): string {
    return shorten(this.texts(column)[0] ?? '', MAX_EXAMPLE_LENGTH)
  }

  /** Whether a column has texts, and nearly all are as they should be. */
  fits(column: string, isRight: (text: string) => boolean): boolean {
    const texts = this.texts(column)
    return texts.length > 0 && texts.filter((text) => !isRight(text)).length <= MAX_OTHERS * texts.length
  }

  /** Whether nearly all values of a column begin with a date. */
  areDates(column: string): boolean {
    return this.fits(column, (text) => DATE.test(text))
  }

  /** The number of different values of columns together. */
  countValues(columns: readonly string[]): number {
    const values = this.rows.map((row) => columns.map((column) => cellOf(row, column)))
    return new Set(values.filter((texts) => texts.some((text) => text !== '')).map((texts) => JSON.stringify(texts)))
      .size
  }
}

/** The first rows of a file, and what they show. */
interface SampledFile {
  sample: Sample
  /** The texts that mean no value. */
  empty: string[] | undefined
  /** The system that the file itself names, if it is not WGS 84. */
  ownCrs: string | undefined
  choices: Choice[]
}

/** Columns are chosen by this number of rows. */
const SAMPLE_ROWS = 5_000

/** Reads the first rows, without columns. @throws `OPERATION_FAILED` if the file can't be read or has no good row */
export async function readSample(file: SourceFile): Promise<SampledFile> {
  const given: FieldsRow[] = []
  let problem = 'has no rows to choose the columns from'
  for await (const row of rows({ ...file, columns: {}, isExact: false }, undefined, (each) => given.push(each))) {
    if (given.length >= SAMPLE_ROWS) break
    if (given.length === 0 && 'reason' in row && row.warns === undefined)
      problem = `all of its rows are bad, the first at line ${row.line}: ${explainProblem(row)}`
  }
  if (given.length === 0) throw operationFailed(`${file.name}: ${problem}`)
  const found = findNoValues(given.map(({ fields }) => fields))
  const withEmpty = emptyCells(found?.texts)
  const sample = new Sample(given.map(({ fields }) => withNested(withEmpty(fields))))
  const crs = given.find((row) => row.crs !== undefined)?.crs
  const code = crs === undefined ? undefined : findReferenceSystem(crs)?.code
  const ownCrs = code === 'EPSG:4326' ? undefined : code
  return { sample, empty: found?.texts, ownCrs, choices: found ? [emptyChoice(found, given.length)] : [] }
}

function emptyChoice({ texts, column, count }: NonNullable<ReturnType<typeof findNoValues>>, rows: number): Choice {
  const example = `${column} has one in ${count} of the first ${rows} rows`
  const empty = toReading(`${texts.join(', ')} are no value`, example, { empty: texts })
  return { what: 'empty', readings: [empty, { choice: 'they are texts', example: '', write: 'no "empty"' }] }
}
