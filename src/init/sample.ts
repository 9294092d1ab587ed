import { operationFailed, shorten } from '../errors/errors.ts'
import { isObject } from '../json.ts'
import { textOf, withNested } from '../rows/column-mapping.ts'
import { emptyCells, findNoValues } from '../rows/formats/no-value.ts'
import { readFile } from '../rows/formats/readers.ts'
import type { Fields, SourceFile } from '../rows/formats/source.ts'
import type { ItemFile } from '../rows/manifest.ts'
import { Places, type StoredPlace } from '../rows/places.ts'
import { explainProblem, ProblemList } from '../rows/problem.ts'
import { findReferenceSystem } from '../rows/reference-system.ts'
import { rows as readItems } from '../rows/rows.ts'
import { type Choice, toReading } from './choice.ts'

/** A few cells of a column may hold other text, which an import reports. */
export const MAX_OTHERS = 0.05
/** A key such as 172-2-000001 is none. */
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

/** A file that is read once: its first rows, then all. */
interface SampledFile {
  sample: Sample
  /** The texts that mean no value. */
  empty: string[] | undefined
  /** The system that the file itself names, if it is not WGS 84. */
  ownCrs: string | undefined
  choices: Choice[]
  /** All rows, also those of the sample. */
  rows: AsyncIterable<Fields>
}

/** Columns are chosen by so many rows. */
const SAMPLE_ROWS = 5_000

/** Reads the first rows. @throws `OPERATION_FAILED` if the file can't be read or has no good row */
export async function readSample(file: SourceFile): Promise<SampledFile> {
  const source = readFile(file)
  const given: Fields[] = []
  let crs: string | undefined
  let problem: string | undefined
  while (given.length < SAMPLE_ROWS) {
    const { value: row, done } = await source.next()
    if (done) break
    if ('fields' in row) {
      given.push(row.fields)
      crs ??= row.crs === undefined ? undefined : findReferenceSystem(row.crs)?.code
    } else if ('reason' in row && row.warns === undefined)
      problem ??= `all of its rows are bad, the first at line ${row.line}: ${explainProblem(row)}`
  }
  if (given.length === 0) throw operationFailed(`${file.name}: ${problem ?? 'has no rows to choose the columns from'}`)
  const found = findNoValues(given)
  const withEmpty = emptyCells(found?.texts)
  const sample = new Sample(given.map((fields) => withNested(withEmpty(fields))))
  async function* rows() {
    yield* sample.rows
    for await (const row of source) if ('fields' in row) yield withNested(withEmpty(row.fields))
  }
  const ownCrs = crs === 'EPSG:4326' ? undefined : crs
  return { sample, empty: found?.texts, ownCrs, choices: found ? [emptyChoice(found, given.length)] : [], rows: rows() }
}

function emptyChoice({ texts, column, count }: NonNullable<ReturnType<typeof findNoValues>>, rows: number): Choice {
  const example = `${column} has one in ${count} of the first ${rows} rows`
  const empty = toReading(`${texts.join(', ')} are no value`, example, { empty: texts })
  return { what: 'empty', readings: [empty, { choice: 'they are texts', example: '', write: 'no "empty"' }] }
}

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
