import { Readable } from 'node:stream'
import { CsvError, type InfoRecord, parse } from 'csv-parse'
import { operationFailed } from '../../errors.ts'
import { MAX_ROW_LENGTH, type SourceRow } from './source-row.ts'

/**
 * Yields the rows of comma-separated values (RFC 4180) with a header row. An empty cell means no value.
 * @throws `OPERATION_FAILED` if the text is not CSV, or the header has a column twice or a different separator
 */
export async function* readCsv(text: AsyncIterable<string>, fileName: string): AsyncGenerator<SourceRow> {
  let parsedLines = 0
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_LENGTH,
    on_record: (record, { lines }) => {
      parsedLines = lines
      return record
    },
  })
  const source = Readable.from(text, { objectMode: true })
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let header: string[] | undefined
  let nextLine = 1
  let emptyLines = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
      const line = nextLine + info.empty_lines - emptyLines
      emptyLines = info.empty_lines
      nextLine = info.lines + 1
      if (header) {
        yield toRow(line, header, record)
        continue
      }
      header = record
      checkHeader(header, `${fileName}:${line}`)
    }
  } catch (error) {
    // The parser drops its last rows after an error, so `nextLine` may be many lines before the bad row.
    if (error instanceof CsvError)
      throw operationFailed(`${fileName}:${parsedLines + 1}: is not CSV: ${error.message}`, error)
    throw error
  } finally {
    source.destroy()
  }
}

const OTHER_SEPARATORS = [
  { separator: ';', name: 'semicolons' },
  { separator: '\t', name: 'tabs' },
  { separator: '|', name: 'vertical bars' },
]

/** If commas give fewer columns than this, and another separator at least this many, the file uses the other separator. */
const FEWEST_COLUMNS = 3

function checkHeader(header: readonly string[], place: string): void {
  // A set, because a header can have a million columns.
  const seen = new Set<string>()
  const repeated = header.find((name) => seen.size === seen.add(name).size)
  if (repeated !== undefined) throw operationFailed(`${place}: the header has the column "${repeated}" twice`)
  if (header.length >= FEWEST_COLUMNS) return
  const other = OTHER_SEPARATORS.find(({ separator }) => header.join().split(separator).length >= FEWEST_COLUMNS)
  if (!other) return
  const miller = `mlr --csv --ifs '${other.separator === '\t' ? 'tab' : other.separator}' --ofs , cat FILE`
  throw operationFailed(
    `${place}: the columns are separated by ${other.name}, and must be by commas; save the file with commas, or convert it: ${miller}`,
  )
}

function toRow(line: number, header: readonly string[], cells: readonly string[]): SourceRow {
  if (cells.length !== header.length) {
    return { line, problem: `has ${cells.length} cells, and the header ${header.length}` }
  }
  // An empty cell keeps its key, so that the column counts as present.
  return { line, fields: Object.fromEntries(header.map((name, index) => [name, cells[index] || undefined])) }
}
