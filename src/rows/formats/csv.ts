import { type Parser, parse } from 'csv-parse'
import { operationFailed } from '../../errors/errors.ts'
import type { Problem } from '../problem.ts'
import { adviseEntry, hasText, MAX_ROW_LENGTH, type SourceFile, type SourceRow } from './source.ts'

/**
 * Yields the header and the rows of separated values (RFC 4180). An empty cell means no value, and so does one that a row lacks at its end.
 * Above the header, lines with one cell are a title.
 * @throws `OPERATION_FAILED` if a row is too long, or the header has a column twice or a different separator
 */
export async function* readCsv(text: AsyncIterable<string>, file: SourceFile): AsyncGenerator<SourceRow> {
  let read: ReturnType<typeof startTable> | undefined
  for await (const chunk of text) {
    read ??= startTable(chunk, file)
    for (const row of read(chunk)) yield row
  }
  for (const row of read?.() ?? []) yield row
}

/** Returns a function that makes rows of the parts of a text, and ends it without one. It needs the first part to begin. */
function startTable(start: string, file: SourceFile): (chunk?: string) => Generator<SourceRow> {
  if (/^\s*(?:\[\s*)?\{\s*"/.test(start))
    throw operationFailed(`${file.name}: is JSON; name it ${file.name.replace(/\.\w+(?=(\.gz)?$)/, '.json')}`)
  const { hint, length } = findHint(start)
  const delimiter = separatorOf(file, hint)
  const records = new CsvRecords(delimiter, hint === undefined ? 1 : 2)
  const toRows = rowMaker(file, delimiter)
  let skipped = length
  return function* (chunk) {
    for (const record of records.read(chunk?.slice(skipped))) yield* toRows(record)
    skipped = 0
    const reason = `is longer than ${MAX_ROW_LENGTH} characters; if a quote opens in this row, close it`
    if (records.unread > MAX_ROW_LENGTH) throw operationFailed(`${file.name}:${records.line}: ${reason}`)
    if (chunk === undefined) yield* toRows()
  }
}

const MAX_TITLE = 20

/** Returns a function that makes the header and the rows below a title of records, and what is left without one at the end. */
function rowMaker(file: SourceFile, delimiter: string): (record?: CsvRecord) => SourceRow[] {
  const title: CsvRecord[] = []
  const short = { count: 0, line: 0 }
  let header: readonly string[] | undefined
  const toRows = (record: CsvRecord): SourceRow[] => {
    const { line, cells, problem } = record
    if (!header) {
      header = readHeader(record, delimiter, file)
      return [{ line, columns: header }]
    }
    if (!problem && cells.length < header.length && short.count++ === 0) short.line = line
    const swallowed = findSwallowed(record, header.length, delimiter)
    const row = toRow(record, header)
    return swallowed ? [swallowed, row] : [row]
  }
  return (record) => {
    if (record && header) return toRows(record)
    if (record && title.length < MAX_TITLE && !record.problem && mayBeTitle(record.cells, delimiter)) {
      title.push(record)
      return []
    }
    // So many lines with one cell are the rows of a file with one column.
    if (record) return [...(title.length === MAX_TITLE ? title : []), record].flatMap(toRows)
    const rows = header ? [] : title.flatMap(toRows)
    const lacking = short.count === 1 ? '1 row has' : `${short.count} rows have`
    const reason = `${lacking} fewer cells than the header; the missing ones at the end count as empty`
    return short.count > 0 ? [...rows, { line: short.line, reason, warns: 'warning' }] : rows
  }
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

function otherSeparator(
  cells: readonly string[],
  delimiter: string,
  fewest = MIN_COLUMNS,
): (typeof SEPARATORS)[number] | undefined {
  if (cells.length >= fewest) return undefined
  const text = cells.join(delimiter)
  const columnsOf = (separator: string) => text.split(separator).length
  const [other] = [...SEPARATORS].sort((one, two) => columnsOf(two.separator) - columnsOf(one.separator))
  return other && columnsOf(other.separator) >= fewest && other.separator !== delimiter ? other : undefined
}

function readHeader({ cells, line, problem }: CsvRecord, delimiter: string, file: SourceFile): string[] {
  const place = `${file.name}:${line}`
  if (problem !== undefined) throw operationFailed(`${place}: ${problem}`)
  const names = nameColumns(cells, place)
  // A file with one column is none.
  const other = otherSeparator(cells, delimiter, Math.min(cells.length + 1, MIN_COLUMNS))
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
    const ends = countLineEnds(cell)
    const separators = cell.split(delimiter).length - 1
    const expected = ends * (width - 1)
    return ends > 0 && (separators === expected || (cells.length < width && separators > expected))
  })
  if (found === -1) return undefined
  const reason =
    'a cell has as many separators as a row, so a quote that does not close may have made one row of several'
  return { line, reason, value: `cell ${found + 1}, line ${line} to ${lastLine}`, warns: 'warning' }
}

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

/**
 * Returns the names of the columns in a header, without spaces around them. A column without a name, which Excel likes to add, is called by its number.
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

const countLineEnds = (text: string) => text.match(/\r\n?|\n/g)?.length ?? 0

interface CsvRecord {
  /** The line that the row starts on, and the one that it ends on. */
  line: number
  lastLine: number
  cells: readonly string[]
  /** What is wrong with its quotes. */
  problem?: string | undefined
}

/** A quote is text in a cell that does not start with one. A file can have several line ends, if lines were added on another system. */
export const CSV = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, relax_quotes: true }

/** Reads the rows with values of a text in parts. The parser parses each part at once. */
class CsvRecords {
  readonly #parser: Parser
  /** The line that the next row starts on. */
  line: number
  /** About how many characters a row has that has not ended. */
  unread = 0
  #isOpen = false

  constructor(delimiter: string, firstLine: number) {
    this.line = firstLine
    // Only the last row can have an error, a quote that is never closed.
    const onSkip = () => {
      this.#isOpen = true
      return undefined
    }
    this.#parser = parse({ ...CSV, delimiter, raw: true, skip_records_with_error: true, on_skip: onSkip })
  }

  /** Yields the rows that end in the next part, or all that is left at the end. */
  *read(chunk?: string): Generator<CsvRecord> {
    if (chunk === undefined) this.#parser.end()
    else this.#parser.write(chunk)
    this.unread += chunk?.length ?? 0
    for (let next: RawRecord | null = this.#parser.read(); next !== null; next = this.#parser.read()) {
      const { record: cells, raw } = next
      const { line } = this
      // The last character ends the row.
      const lastLine = line + countLineEnds(raw.slice(0, -1))
      this.line = lastLine + 1
      this.unread = 0
      if (cells.some(hasText)) yield { line, lastLine, cells, problem: findBadQuote(cells, raw) }
    }
    const problem = 'a quote opens in this row and is never closed, so it takes the rest of the file; close it'
    if (this.#isOpen) yield { line: this.line, lastLine: this.line, cells: [], problem }
  }
}

interface RawRecord {
  record: string[]
  raw: string
}

/** Finds a cell with text after its closing quote, which keeps its quotes. Another cell that starts with a quote has it twice in the file. */
function findBadQuote(cells: readonly string[], raw: string): string | undefined {
  const bad = cells.findIndex((cell) => cell.startsWith('"') && !raw.includes(`"${cell.replaceAll('"', '""')}"`))
  if (bad === -1) return undefined
  return `cell ${bad + 1} has text after its closing quote; write a quote inside of quotes twice ("")`
}
