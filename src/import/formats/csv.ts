import { Readable } from 'node:stream'
import { CsvError, type InfoRecord, parse } from 'csv-parse'
import { operationFailed } from '../../errors.ts'
import { MAX_ROW_LENGTH, type SourceRow } from './rows.ts'

/** Reads comma-separated values (RFC 4180) with a header row; an empty cell is no value. */
export async function* readCsv(text: AsyncIterable<string>, fileName: string): AsyncGenerator<SourceRow> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_LENGTH,
  })
  const source = Readable.from(text, { objectMode: true })
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let header: string[] | undefined
  let nextLine = 1
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
      const line = nextLine
      nextLine = info.lines + 1
      if (!header) header = readHeader(record, fileName)
      else yield toRow(line, header, record)
    }
  } catch (error) {
    if (error instanceof CsvError) throw operationFailed(`${fileName}:${nextLine}: is not CSV: ${error.message}`, error)
    throw error
  } finally {
    source.destroy()
  }
}

function readHeader(cells: string[], fileName: string): string[] {
  const repeated = cells.find((name, index) => cells.indexOf(name) !== index)
  if (repeated !== undefined) throw operationFailed(`${fileName}:1: the header has the column "${repeated}" twice`)
  return cells
}

function toRow(line: number, header: readonly string[], cells: readonly string[]): SourceRow {
  if (cells.length !== header.length) {
    return { line, problem: `has ${cells.length} cells, and the header ${header.length}` }
  }
  // Not an empty object: a cell that is empty is no value, but its column is there.
  return { line, fields: Object.fromEntries(header.map((name, index) => [name, cells[index] || undefined])) }
}
