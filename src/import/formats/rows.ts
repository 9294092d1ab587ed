import { operationFailed } from '../../errors.ts'
import { readCsv } from './csv.ts'
import { readGeoJson } from './geojson.ts'
import { readNdjson } from './ndjson.ts'

/** A row of a file, as the file has it, or what keeps it from being read; `line` is the one it starts on. */
export type SourceRow = { line: number } & ({ fields: Record<string, unknown> } | { problem: string })

/** A row of more characters is refused: it would have to be held in memory. */
export const MAX_ROW_LENGTH = 10_000_000

type Reader = (text: AsyncIterable<string>, fileName: string) => AsyncIterable<SourceRow>

const READERS: readonly { ending: RegExp; read: Reader }[] = [
  { ending: /\.csv(\.gz)?$/i, read: readCsv },
  { ending: /\.ndjson(\.gz)?$/i, read: readNdjson },
  { ending: /\.geojson(\.gz)?$/i, read: readGeoJson },
]

/**
 * The reader for a file, by the ending of its name.
 * @throws `OPERATION_FAILED` for any other ending.
 */
export function readerOf(fileName: string): Reader {
  const found = READERS.find(({ ending }) => ending.test(fileName))
  if (!found) throw operationFailed(`${fileName}: must end in .ndjson, .csv or .geojson, with or without .gz`)
  return found.read
}

/** Parses one JSON object of a file. */
export function parseRow(line: number, json: string): SourceRow {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { line, fields: { ...value } }
    return { line, problem: 'must be a JSON object' }
  } catch (error) {
    if (error instanceof SyntaxError) return { line, problem: `is not JSON: ${error.message}` }
    throw error
  }
}
