import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { operationFailed } from '../../errors.ts'
import { nameColumns } from './columns.ts'
import { adviseEntry, type SourceFile } from './dialect.ts'
import { SEPARATORS, splitHint } from './separators.ts'
import { MAX_ROW_LENGTH, type SourceRow } from './source-row.ts'

/** A file can have several, for example if lines were added on another system. The parser alone would take the first one for all. */
export const LINE_ENDS = ['\r\n', '\n', '\r']

/**
 * Yields the rows of separated values (RFC 4180) with a header row. An empty cell means no value.
 * @throws `OPERATION_FAILED` if the text is not CSV, or the header has a column twice or a different separator
 */
export async function* readCsv(
  given: AsyncIterable<string>,
  file: SourceFile,
  onHeader: (names: readonly string[]) => void,
): AsyncGenerator<SourceRow> {
  const { text, hint } = await splitHint(given)
  const delimiter = separatorOf(file, hint)
  // The line with the hint is the first line of the file.
  const firstLine = hint === undefined ? 1 : 2
  let parsedLines = 0
  const countLines = lineCounter()
  /** The numbers of lines and of empty lines up to the end of each parsed row, until the loop below takes it. */
  const ends: { lines: number; emptyLines: number }[] = []
  const parser = parse({
    delimiter,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_LENGTH,
    on_record: (record, { lines, empty_lines: emptyLines }) => {
      parsedLines = countLines(record, lines)
      ends.push({ lines: parsedLines, emptyLines })
      return record
    },
  })
  const source = Readable.from(text, { objectMode: true })
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let header: string[] | undefined
  let nextLine = firstLine
  let emptyBefore = 0
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      const { lines = 0, emptyLines = 0 } = ends.shift() ?? {}
      const line = nextLine + emptyLines - emptyBefore
      emptyBefore = emptyLines
      nextLine = lines + firstLine
      if (header) {
        yield toRow(line, header, record)
        continue
      }
      header = readHeader(record, delimiter, file, line)
      onHeader(header)
    }
  } catch (error) {
    // The parser drops its last rows after an error, so `nextLine` may be many lines before the bad row.
    if (error instanceof CsvError)
      throw operationFailed(
        `${file.name}:${parsedLines + firstLine}: is not CSV: ${error.message.replace(/ at line \d+$/, '')}`,
        error,
      )
    throw error
  } finally {
    source.destroy()
  }
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

function readHeader(header: readonly string[], delimiter: string, file: SourceFile, line: number): string[] {
  const place = `${file.name}:${line}`
  const names = nameColumns(header, place)
  if (header.length >= MIN_COLUMNS) return names
  const text = header.join(delimiter)
  const columnsOf = (separator: string) => text.split(separator).length
  const [other] = [...SEPARATORS].sort((one, two) => columnsOf(two.separator) - columnsOf(one.separator))
  if (!other || columnsOf(other.separator) < MIN_COLUMNS || other.separator === delimiter) return names
  const expected = SEPARATORS.find(({ separator }) => separator === delimiter)?.name ?? `"${delimiter}"`
  const advice = adviseEntry(file, { delimiter: other.separator })
  throw operationFailed(`${place}: the columns are separated by ${other.name}, and must be by ${expected}; ${advice}`)
}

function toRow(line: number, header: readonly string[], cells: readonly string[]): SourceRow {
  if (cells.length !== header.length) {
    return { line, problem: `has ${cells.length} cells, and the header ${header.length}` }
  }
  // An empty cell keeps its key, so that the column counts as present.
  return { line, fields: Object.fromEntries(header.map((name, index) => [name, cells[index] || undefined])) }
}
