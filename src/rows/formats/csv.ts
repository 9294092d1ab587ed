import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { operationFailed } from '../../errors/errors.ts'
import type { Problem } from '../problem.ts'
import { adviseEntry, hasText, MAX_ROW_LENGTH, type SourceFile, type SourceRow } from './source.ts'

/**
 * Yields the header and the rows of separated values (RFC 4180). An empty cell means no value, and so does one that a row lacks at its end.
 * Above the header, lines with one cell are a title.
 * @throws `OPERATION_FAILED` if a row is too long, or the header has a column twice or a different separator
 */
export async function* readCsv(given: AsyncIterable<string>, file: SourceFile): AsyncGenerator<SourceRow> {
  const { text, hint } = await splitHint(given, file)
  const delimiter = separatorOf(file, hint)
  // The line with the hint is the first line of the file.
  const records = readRecords(text, file, delimiter, hint === undefined ? 1 : 2)
  let header: string[] | undefined
  const short = { count: 0, line: 0 }
  for await (const record of withoutTitle(records, delimiter)) {
    if (header) {
      if (!record.problem && record.cells.length < header.length) {
        if (short.count === 0) short.line = record.line
        short.count += 1
      }
      const swallowed = findSwallowed(record, header.length, delimiter)
      if (swallowed) yield swallowed
      yield toRow(record, header)
    } else {
      header = readHeader(record, delimiter, file)
      yield { line: record.line, columns: header }
    }
  }
  const rows = short.count === 1 ? '1 row has' : `${short.count} rows have`
  const reason = `${rows} fewer cells than the header; the missing ones at the end count as empty`
  if (short.count > 0) yield { line: short.line, reason, warns: 'warning' }
}

/** A title has at most this number of lines. */
const MAX_TITLE = 20

/** Leaves out the lines with one cell above the first row with several. */
async function* withoutTitle(records: AsyncIterable<CsvRecord>, delimiter: string): AsyncGenerator<CsvRecord> {
  let title: CsvRecord[] | undefined = []
  for await (const record of records) {
    if (title && title.length < MAX_TITLE && !record.problem && mayBeTitle(record.cells, delimiter)) {
      title.push(record)
      continue
    }
    // So many lines with one cell are the rows of a file with one column.
    if (title?.length === MAX_TITLE) yield* title
    title = undefined
    yield record
  }
  yield* title ?? []
}

/** Whether a row above the header may be a title: it has one cell, also with other separators. */
export function mayBeTitle(cells: readonly string[], delimiter: string): boolean {
  return cells.filter(hasText).length <= 1 && !otherSeparator(cells, delimiter)
}

/** The separator that the manifest says, or else the file. @throws `OPERATION_FAILED` if they say different ones */
function separatorOf(file: SourceFile, hint: string | undefined): string {
  const { delimiter = hint ?? ',' } = file.dialect
  if (hint === undefined || hint === delimiter) return delimiter
  throw operationFailed(
    `${file.name}:1: says that its separator is "${hint}"; ${adviseEntry(file, { delimiter: hint })}`,
  )
}

/** If a separator gives fewer columns than this, and another one at least this many, the file uses the other one. */
const MIN_COLUMNS = 3

function otherSeparator(cells: readonly string[], delimiter: string): (typeof SEPARATORS)[number] | undefined {
  if (cells.length >= MIN_COLUMNS) return undefined
  const text = cells.join(delimiter)
  const columnsOf = (separator: string) => text.split(separator).length
  const [other] = [...SEPARATORS].sort((one, two) => columnsOf(two.separator) - columnsOf(one.separator))
  return other && columnsOf(other.separator) >= MIN_COLUMNS && other.separator !== delimiter ? other : undefined
}

function readHeader({ cells, line, problem }: CsvRecord, delimiter: string, file: SourceFile): string[] {
  const place = `${file.name}:${line}`
  if (problem !== undefined) throw operationFailed(`${place}: ${problem}`)
  const names = nameColumns(cells, place)
  const other = otherSeparator(cells, delimiter)
  if (!other) return names
  const expected = SEPARATORS.find(({ separator }) => separator === delimiter)?.name ?? `"${delimiter}"`
  const isGiven = file.dialect.delimiter !== undefined
  const advice = adviseEntry(file, { delimiter: other.separator })
  throw operationFailed(
    `${place}: the columns are separated by ${other.name}, ${isGiven ? 'but the manifest says' : 'not by'} ${expected}; ${advice}`,
  )
}

function toRow({ line, lastLine, cells, problem }: CsvRecord, header: readonly string[]): SourceRow {
  const reason = problem ?? describeExcess(cells, header)
  if (reason === undefined) {
    // An empty cell keeps its key, so that the column counts as present.
    return { line, fields: Object.fromEntries(header.map((name, index) => [name, readCell(cells[index])])) }
  }
  const end = lastLine > line ? `the row ends at line ${lastLine}, so a quote in it may lack its end` : undefined
  return { line, reason, value: end }
}

/** What Excel writes so that a text stays one: `="02139"`. */
const EXCEL_TEXT = /^="(.*)"$/s

/** The value of a cell; undefined for none. `\\N` is how databases write no value. */
function readCell(cell: string | undefined): string | undefined {
  if (!cell || cell === '\\N') return undefined
  const text = cell.startsWith('="') ? EXCEL_TEXT.exec(cell)?.[1] : undefined
  return text === undefined ? cell : text.replaceAll('""', '"') || undefined
}

function describeExcess(cells: readonly string[], header: readonly string[]): string | undefined {
  const length = cells.findLastIndex(hasText) + 1
  if (length <= header.length) return undefined
  const lower = length >= 2 * header.length ? '; remove the lines above the header' : ''
  return `has ${length} cells, and the header ${header.length}${lower}`
}

/**
 * Warns of a cell with as many separators as the lines in it would have: two stray quotes make one row of several. A name with a line feed has
 * fewer.
 */
function findSwallowed({ line, lastLine, cells }: CsvRecord, width: number, delimiter: string): Problem | undefined {
  if (lastLine === line || width < 2) return undefined
  const found = cells.findIndex((cell) => {
    const ends = cell.split(ANY_LINE_END).length - 1
    const separators = cell.split(delimiter).length - 1
    const expected = ends * (width - 1)
    return ends > 0 && (separators === expected || (cells.length < width && separators > expected))
  })
  if (found === -1) return undefined
  const reason =
    'a cell has as many separators as a row, so a quote that does not close may have made one row of several'
  return { line, reason, value: `cell ${found + 1}, line ${line} to ${lastLine}`, warns: 'warning' }
}

/** The usual separators of columns. */
export const SEPARATORS = [
  { separator: ',', name: 'commas' },
  { separator: ';', name: 'semicolons' },
  { separator: '\t', name: 'tabs' },
  { separator: '|', name: 'vertical bars' },
  { separator: '~', name: 'tildes' },
  { separator: '^', name: 'carets' },
] as const

/** Excel reads and writes the separator in a line before the header. */
const HINT = /^(?:"sep=(.)"|sep=(.))(?:\r\n?|\n)/i

/** Returns the separator in the line `sep=;` at the start of a text, and the length of the line. */
export function findHint(start: string): { hint: string | undefined; length: number } {
  const found = HINT.exec(start)
  return { hint: found?.[1] ?? found?.[2], length: found?.[0].length ?? 0 }
}

/** Returns a text without the line `sep=;` that Excel writes before the header, and the separator that it names. */
async function splitHint(
  text: AsyncIterable<string>,
  { name }: SourceFile,
): Promise<{ text: AsyncIterable<string>; hint: string | undefined }> {
  const chunks = text[Symbol.asyncIterator]()
  const first = await chunks.next()
  const start = first.done ? '' : first.value
  if (/^\s*(?:\[\s*)?\{\s*"/.test(start)) {
    throw operationFailed(`${name}: is JSON; name it ${name.replace(/\.\w+(?=(\.gz)?$)/, '.json')}`)
  }
  const { hint, length } = findHint(start)
  return { text: joined(start.slice(length), chunks), hint }
}

async function* joined(start: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  if (start !== '') yield start
  yield* { [Symbol.asyncIterator]: () => rest }
}

/**
 * Returns the names of the columns in a header. A column without a name, which Excel likes to add, is called by its number. Spaces around a name are none of it.
 * @throws `OPERATION_FAILED` if two columns have the same name
 */
export function nameColumns(header: readonly string[], place: string): string[] {
  const names = header.map((name, index) => name.trim() || `column ${index + 1}`)
  // A set, because a header can have a million columns.
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.size === seen.add(name).size)
  if (repeated === undefined) return names
  throw operationFailed(`${place}: the header has the column "${repeated}" twice; rename one of the two in the file`)
}

/** A file can have several, for example if lines were added on another system. The parser alone would take the first one for all. */
export const LINE_ENDS = ['\r\n', '\n', '\r']

/** The cells of a row. */
interface CsvRecord {
  /** The line that the row starts on, and the one that it ends on. */
  line: number
  lastLine: number
  cells: readonly string[]
  /** What is wrong with its quotes. */
  problem?: string | undefined
}

interface RawRecord {
  record: string[]
  raw: string
}

/**
 * Yields the rows of a text, without those that have no text. A quote inside a cell that does not start with one is text.
 * @param firstLine is the number of the first line
 * @throws `OPERATION_FAILED` if a row is too long
 */
async function* readRecords(
  text: AsyncIterable<string>,
  { name }: SourceFile,
  delimiter: string,
  firstLine: number,
): AsyncGenerator<CsvRecord> {
  let parsedLines = 0
  const countLines = lineCounter()
  /** The numbers of lines and of empty lines up to the end of each parsed row, and its problem, until the loop below takes it. */
  const ends: { lines: number; emptyLines: number; problem: string | undefined }[] = []
  let unclosed: string | undefined
  const parser = parse({
    ...{ delimiter, record_delimiter: LINE_ENDS, max_record_size: MAX_ROW_LENGTH },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true, raw: true },
    // With `raw`, it is called with an object, unlike its type.
    on_record: (given: string[] | RawRecord, { lines, empty_lines: emptyLines }) => {
      const { record, raw } = Array.isArray(given) ? { record: given, raw: '' } : given
      parsedLines = countLines(record, lines)
      // A cell after whose closing quote more text comes keeps its quotes. Other cells can start with a quote too.
      const problem = record.some((cell) => cell.startsWith('"')) ? findBadQuote(raw, delimiter) : undefined
      ends.push({ lines: parsedLines, emptyLines, problem })
      return record
    },
    // An error of the parser would drop the rows that are parsed and not taken yet.
    skip_records_with_error: true,
    on_skip: (error, raw) => {
      if (error?.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
      unclosed = raw
    },
  })
  const source = Readable.from(text, { objectMode: true })
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let nextLine = firstLine
  let emptyBefore = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      const { lines = 0, emptyLines = 0, problem } = ends.shift() ?? {}
      const line = nextLine + emptyLines - emptyBefore
      emptyBefore = emptyLines
      nextLine = lines + firstLine
      if (cells.some(hasText)) yield { line, lastLine: nextLine - 1, cells, problem }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const place = `${name}:${parsedLines + firstLine}`
    throw operationFailed(
      `${place}: is longer than ${MAX_ROW_LENGTH} characters; if a quote opens in this row, close it`,
      error,
    )
  } finally {
    source.destroy()
  }
  if (unclosed !== undefined) yield unclosedRecord(unclosed, nextLine)
}

/** Returns a function that corrects the number of lines up to each record: the parser counts the line end CR LF in a cell twice. */
function lineCounter(): (record: readonly string[], lines: number) => number {
  let counted = 0
  let doubled = 0
  return (record, lines) => {
    if (lines > counted + 1) for (const cell of record) doubled += cell.split('\r\n').length - 1
    counted = lines
    return lines - doubled
  }
}

const ANY_LINE_END = /\r\n|\n|\r/

/** Says which cell has text after its closing quote. The parser reads on as if the cell had no quotes. */
function findBadQuote(raw: string, delimiter: string): string | undefined {
  const row = raw.replace(/^[\r\n]+|[\r\n]+$/g, '')
  for (let start = 0, cell = 1; start < row.length; cell += 1) {
    let end = start
    if (row[start] === '"') {
      end = row.indexOf('"', start + 1) + 1
      while (end > 0 && row[end] === '"') end = row.indexOf('"', end + 1) + 1
      if (end > 0 && end < row.length && row[end] !== delimiter)
        return `cell ${cell} has text after its closing quote; write a quote inside of quotes twice ("")`
    } else end = row.indexOf(delimiter, start)
    if (end <= 0 && end !== start) return undefined
    start = end + 1
  }
  return undefined
}

/** The rest of a file after a quote that has no end. */
function unclosedRecord(raw: string, nextLine: number): CsvRecord {
  const line = nextLine + raw.split(ANY_LINE_END).findIndex(hasText)
  const problem = 'a quote opens in this row and is never closed, so it takes the rest of the file; close it'
  return { line, lastLine: line, cells: [], problem }
}
