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
  const splitter = new CsvSplitter(delimiter, hint === undefined ? 1 : 2)
  const toRows = rowMaker(file, delimiter)
  let skipped = length
  return function* (chunk) {
    for (const record of splitter.split(chunk?.slice(skipped) ?? '', chunk === undefined)) yield* toRows(record)
    skipped = 0
    const reason = `is longer than ${MAX_ROW_LENGTH} characters; if a quote opens in this row, close it`
    if (splitter.length > MAX_ROW_LENGTH) throw operationFailed(`${file.name}:${splitter.line}: ${reason}`)
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

const ANY_LINE_END = /\r\n|\n|\r/
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

interface CsvRecord {
  /** The line that the row starts on, and the one that it ends on. */
  line: number
  lastLine: number
  cells: readonly string[]
  /** What is wrong with its quotes. */
  problem?: string | undefined
}

/** Splits a text into rows with values. A quote is text in a cell that does not start with one. */
export class CsvSplitter {
  readonly #delimiter: number
  /** The line that the row starts on. */
  line: number
  /** What has started and not ended: a row, and the start of a cell. */
  #row = emptyRow()
  #rest = ''
  /** The characters of the rest that need no second look. */
  #seen = 0

  constructor(delimiter: string, firstLine: number) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.line = firstLine
  }

  /** The characters of what has started. */
  get length(): number {
    return this.#row.characters + this.#rest.length
  }

  /** Yields the rows that end in the next part of the text. */
  *split(chunk: string, isLast = false): Generator<CsvRecord> {
    const text = this.#rest + chunk
    let start = 0
    while (start < text.length || (isLast && this.#row.cells.length > 0)) {
      const isQuoted = text[start] === '"'
      const close = isQuoted ? closingQuote(text, start + Math.max(1, this.#seen)) : start + this.#seen - 1
      const end = close === text.length ? close : this.#endOfCell(text, close + 1)
      if (!isLast && (end === text.length || (end === text.length - 1 && text[end] === '\r'))) {
        this.#seen = (isQuoted ? close : end) - start
        break
      }
      this.#seen = 0
      if (close === text.length && isQuoted) {
        const problem = 'a quote opens in this row and is never closed, so it takes the rest of the file; close it'
        yield { line: this.line, lastLine: this.line, cells: [], problem }
        return
      }
      this.#addCell(text, start, isQuoted ? close : undefined, end)
      start = end + (text.startsWith('\r\n', end) ? 2 : 1)
      if (text.charCodeAt(end) === this.#delimiter) continue
      const record = this.#endRow()
      if (record.cells.some(hasText)) yield record
    }
    this.#rest = text.slice(start)
  }

  /** The index of the separator or line end after a cell, or of the end of the text. */
  #endOfCell(text: string, from: number): number {
    let at = from
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) break
    }
    return at
  }

  /** @param close is the index of the closing quote, if there is one */
  #addCell(text: string, start: number, close: number | undefined, end: number): void {
    const isWhole = close === end - 1
    const cell = isWhole ? text.slice(start + 1, close).replaceAll('""', '"') : text.slice(start, end)
    const number = this.#row.cells.push(cell)
    this.#row.characters += cell.length
    if (close === undefined) return
    this.#row.lineEnds += cell.split(ANY_LINE_END).length - 1
    if (!isWhole)
      this.#row.problem ??= `cell ${number} has text after its closing quote; write a quote inside of quotes twice ("")`
  }

  #endRow(): CsvRecord {
    const { line } = this
    const { cells, lineEnds, problem } = this.#row
    this.line += lineEnds + 1
    this.#row = emptyRow()
    return { line, lastLine: line + lineEnds, cells, problem }
  }
}

/** What of a row has been read. */
interface RowStart {
  cells: string[]
  characters: number
  lineEnds: number
  problem?: string
}

const emptyRow = (): RowStart => ({ cells: [], characters: 0, lineEnds: 0 })

/** The index of the quote that closes a cell, or of the end of the text. Two quotes are one in the cell. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at
}
