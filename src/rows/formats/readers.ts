import { operationFailed } from '../../errors/errors.ts'
import { readCsv } from './csv.ts'
import type { Dialect, SourceFile } from './dialect.ts'
import { readGeoJson } from './geojson.ts'
import { findMojibake } from './mojibake.ts'
import { readNdjson } from './ndjson.ts'
import { emptyCells } from './no-value.ts'
import { readText } from './read-text.ts'
import { findOtherWay } from './signatures.ts'
import { hasText, type RowObserver, type SourceRow } from './source-row.ts'
import { readXlsx } from './xlsx/xlsx.ts'

/** A format of files, by the ending of their names. */
interface Format {
  ending: RegExp
  /** The members of a dialect that say something about files in the format. */
  dialect: readonly (keyof Dialect)[]
  /** Whether the file has a header with the columns of all rows. */
  hasHeader: boolean
  read: (file: SourceFile, observer: RowObserver) => AsyncIterable<SourceRow>
}

type TextReader = (
  text: AsyncIterable<string>,
  file: SourceFile,
  onHeader: RowObserver['onHeader'],
) => AsyncIterable<SourceRow>

const ofText =
  (read: TextReader): Format['read'] =>
  (file, { onBytes, onHeader }) =>
    read(readText(file, onBytes), file, onHeader)

const FORMATS: readonly Format[] = [
  {
    ending: /\.(csv|tsv|txt)(\.gz)?$/i,
    dialect: ['encoding', 'delimiter', 'decimal', 'crs', 'empty'],
    hasHeader: true,
    read: ofText(readCsv),
  },
  {
    ending: /\.(ndjson|jsonl)(\.gz)?$/i,
    dialect: ['encoding', 'decimal', 'crs', 'empty'],
    hasHeader: false,
    read: ofText(readNdjson),
  },
  {
    ending: /\.(geojson|geojsonl|geojsons)(\.gz)?$/i,
    dialect: ['encoding', 'decimal', 'crs', 'empty'],
    hasHeader: false,
    read: ofText(readGeoJson),
  },
  {
    ending: /\.xlsx$/i,
    dialect: ['sheet', 'decimal', 'crs', 'empty'],
    hasHeader: true,
    read: readXlsx,
  },
]

/**
 * Returns the format of a file.
 * @throws `OPERATION_FAILED` for an unknown ending, and for a dialect that says what the format does not have
 */
export function formatOf({ name, dialect }: SourceFile): Format {
  const format = FORMATS.find(({ ending }) => ending.test(name))
  if (!format) {
    const ways = [
      `${name}: must end in .csv, .tsv, .txt, .ndjson, .jsonl, .geojson, .geojsonl or .geojsons, with or without .gz, or in .xlsx`,
      findOtherWay(name),
    ]
    throw operationFailed(ways.filter((each) => each !== undefined).join('; '))
  }
  const members: readonly string[] = format.dialect
  const other = Object.keys(dialect).find((member) => !members.includes(member))
  if (other === undefined) return format
  throw operationFailed(`${name}: has no "${other}"; remove it from its entry in the manifest`)
}

/**
 * Yields the rows of a file that have a value.
 * @throws `OPERATION_FAILED` if the file can't be read, or is not what its name and its dialect say
 */
export async function* readRows(file: SourceFile, observer: Partial<RowObserver> = {}): AsyncGenerator<SourceRow> {
  const complete = { onBytes: () => {}, onHeader: () => {}, onWarning: () => {}, ...observer }
  const withEmpty = emptyCells(file.dialect.empty)
  let isFirst = true
  for await (const given of formatOf(file).read(file, complete)) {
    const row = 'fields' in given ? { ...given, fields: withEmpty(given.fields) } : given
    if ('fields' in row) {
      if (!Object.values(row.fields).some(hasText)) continue
      const wrong = findMojibake(row.fields) ?? (isFirst ? findMojibake(Object.keys(row.fields)) : undefined)
      if (wrong) complete.onWarning({ line: row.line, ...wrong })
      isFirst = false
    }
    yield row
  }
}
