import { operationFailed } from '../../errors.ts'
import { readCsv } from './csv.ts'
import { readGeoJson } from './geojson.ts'
import { readNdjson } from './ndjson.ts'
import type { SourceRow } from './source-row.ts'

/** The reader of one file format. */
export interface RowReader {
  read: (text: AsyncIterable<string>, fileName: string) => AsyncIterable<SourceRow>
  /** Whether every row has the same columns, so that the first row shows which columns are missing. */
  hasFixedColumns: boolean
}

const READERS: readonly (RowReader & { ending: RegExp })[] = [
  { ending: /\.csv(\.gz)?$/i, read: readCsv, hasFixedColumns: true },
  { ending: /\.ndjson(\.gz)?$/i, read: readNdjson, hasFixedColumns: false },
  { ending: /\.geojson(\.gz)?$/i, read: readGeoJson, hasFixedColumns: false },
]

/**
 * Returns the reader for the ending of a file's name.
 * @throws `OPERATION_FAILED` for an unknown ending
 */
export function readerOf(fileName: string): RowReader {
  const reader = READERS.find(({ ending }) => ending.test(fileName))
  if (!reader) throw operationFailed(`${fileName}: must end in .ndjson, .csv or .geojson, with or without .gz`)
  return reader
}
