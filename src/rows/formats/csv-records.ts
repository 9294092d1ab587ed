import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { operationFailed } from '../../errors/errors.ts'
import type { SourceFile } from './dialect.ts'
import { hasText, MAX_ROW_LENGTH } from './source-row.ts'

/** A file can have several, for example if lines were added on another system. The parser alone would take the first one for all. */
export const LINE_ENDS = ['\r\n', '\n', '\r']

/** The cells of a row. */
export interface CsvRecord {
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
export async function* readRecords(
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

export const ANY_LINE_END = /\r\n|\n|\r/

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
