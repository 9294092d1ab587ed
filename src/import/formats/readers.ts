import { operationFailed } from '../../errors/errors.ts'
import { readCsv } from './csv.ts'
import type { Dialect, SourceFile } from './dialect.ts'
import { readGeoJson } from './geojson.ts'
import { findMojibake } from './mojibake.ts'
import { readNdjson } from './ndjson.ts'
import { readText } from './read-text.ts'
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
    dialect: ['encoding', 'delimiter', 'decimal', 'crs'],
    hasHeader: true,
    read: ofText(readCsv),
  },
  {
    ending: /\.(ndjson|jsonl)(\.gz)?$/i,
    dialect: ['encoding', 'decimal', 'crs'],
    hasHeader: false,
    read: ofText(readNdjson),
  },
  {
    ending: /\.(geojson|geojsonl|geojsons)(\.gz)?$/i,
    dialect: ['encoding', 'decimal', 'crs'],
    hasHeader: false,
    read: ofText(readGeoJson),
  },
  {
    ending: /\.xlsx$/i,
    dialect: ['sheet', 'decimal', 'crs'],
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
  if (!format)
    throw operationFailed(
      `${name}: must end in .ndjson, .csv or .geojson, with or without .gz, or in .xlsx${otherWay(name)}`,
    )
  const members: readonly string[] = format.dialect
  const other = Object.keys(dialect).find((member) => !members.includes(member))
  if (other === undefined) return format
  throw operationFailed(`${name}: has no "${other}"; remove it from its entry in the manifest`)
}

/** How to get a file that can be read from one of another format. */
const OTHER_WAYS: readonly { ending: RegExp; remedy: (name: string, base: string) => string }[] = [
  {
    ending: /\.(gpkg|shp|km[lz]|gml|gpx|fgb|tab|mif|osm|parquet)$/i,
    remedy: (name, base) => `convert it with GDAL: ogr2ogr -t_srs EPSG:4326 ${base}.geojson ${name}`,
  },
  {
    ending: /\.(xls|xlsm|xlsb|xlt|ods|fods|numbers)$/i,
    remedy: (_, base) => `open it in a spreadsheet program, and save it as ${base}.xlsx`,
  },
  {
    ending: /\.json$/i,
    remedy: (name, base) =>
      `if it is GeoJSON, name it ${base}.geojson; if it is a list, write a line for each object: jq -c '.[]' ${name} > ${base}.ndjson`,
  },
  { ending: /\.(zip|7z|rar|tar|bz2|xz|tgz)$/i, remedy: () => 'unpack it' },
]

function otherWay(name: string): string {
  const found = OTHER_WAYS.find(({ ending }) => ending.test(name))
  return found ? `; ${found.remedy(name, name.replace(found.ending, ''))}` : ''
}

/**
 * Yields the rows of a file that have a value.
 * @throws `OPERATION_FAILED` if the file can't be read, or is not what its name and its dialect say
 */
export async function* readRows(file: SourceFile, observer: Partial<RowObserver> = {}): AsyncGenerator<SourceRow> {
  const complete = { onBytes: () => {}, onHeader: () => {}, onWarning: () => {}, ...observer }
  let isFirst = true
  for await (const row of formatOf(file).read(file, complete)) {
    if ('fields' in row) {
      if (!Object.values(row.fields).some(hasText)) continue
      const wrong = findMojibake(row.fields) ?? (isFirst ? findMojibake(Object.keys(row.fields)) : undefined)
      if (wrong) complete.onWarning({ line: row.line, ...wrong })
      isFirst = false
    }
    yield row
  }
}
