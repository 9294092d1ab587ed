import { operationFailed } from '../../errors/errors.ts'
import { readCsv } from './csv.ts'
import { readGeoJson } from './geojson.ts'
import { emptyCells } from './no-value.ts'
import { readText } from './read-text.ts'
import { findOtherWay, linesOf } from './signatures.ts'
import {
  type ByteListener,
  type Dialect,
  hasText,
  MAX_ROW_LENGTH,
  parseJsonRow,
  type SourceFile,
  type SourceRow,
} from './source.ts'
import { readXlsx } from './xlsx/xlsx.ts'

/** A format of files, by the ending of their names. */
interface Format {
  name: string
  ending: RegExp
  /** The members of a dialect that say something about files in the format. */
  dialect: readonly (keyof Dialect)[]
  read: (file: SourceFile, onBytes: ByteListener) => AsyncIterable<SourceRow>
}

const ofText =
  (read: (text: AsyncIterable<string>, file: SourceFile) => AsyncIterable<SourceRow>): Format['read'] =>
  (file, onBytes) =>
    read(readText(file, onBytes), file)

const ALL = ['decimal', 'crs', 'empty'] as const

const FORMATS: readonly Format[] = [
  {
    name: 'CSV',
    ending: /\.(csv|tsv|txt)(\.gz)?$/i,
    dialect: ['encoding', 'delimiter', ...ALL],
    read: ofText(readCsv),
  },
  { name: 'NDJSON', ending: /\.(ndjson|jsonl)(\.gz)?$/i, dialect: ['encoding', ...ALL], read: ofText(readNdjson) },
  {
    name: 'GeoJSON',
    ending: /\.(geojson|geojsonl|geojsons)(\.gz)?$/i,
    dialect: ['encoding', ...ALL],
    read: ofText(readGeoJson),
  },
  { name: 'spreadsheet', ending: /\.xlsx$/i, dialect: ['sheet', ...ALL], read: readXlsx },
]

/** Returns the format of a file. @throws `OPERATION_FAILED` for an unknown ending, and for a dialect that the format does not have */
export function formatOf(file: SourceFile): Format {
  const { name, dialect } = file
  const format = FORMATS.find(({ ending }) => ending.test(name))
  if (!format) {
    const endings =
      '.csv, .tsv, .txt, .ndjson, .jsonl, .geojson, .geojsonl or .geojsons, with or without .gz, or in .xlsx'
    throw operationFailed(`${name}: ${findOtherWay(file) ?? `must end in ${endings}`}`)
  }
  const members: readonly string[] = format.dialect
  const other = Object.keys(dialect).find((member) => !members.includes(member))
  if (other !== undefined) throw operationFailed(`${name}: has no "${other}"; remove it from its entry in the manifest`)
  return format
}

/** Yields the header of a file and the rows that have a value. @throws `OPERATION_FAILED` if it is not what its name and its dialect say */
export async function* readFile(file: SourceFile, onBytes: ByteListener = () => {}): AsyncGenerator<SourceRow> {
  const withEmpty = emptyCells(file.dialect.empty)
  for await (const row of formatOf(file).read(file, onBytes)) {
    if (!('fields' in row)) yield row
    else {
      const fields = withEmpty(row.fields)
      if (Object.values(fields).some(hasText)) yield fields === row.fields ? row : { ...row, fields }
    }
  }
}

/** Yields the rows of NDJSON, which has a JSON object per line. */
async function* readNdjson(text: AsyncIterable<string>, { name }: SourceFile): AsyncGenerator<SourceRow> {
  let line = 0
  let rest = ''
  for await (const chunk of text) {
    const isFirst = line === 0 && rest === ''
    if (isFirst && /^\s*\[/.test(chunk))
      throw operationFailed(`${name}: is a list; write a line for each object: ${linesOf(name, '.[]')}`)
    if (isFirst && /^\s*\{\s*\n/.test(chunk))
      throw operationFailed(`${name}: is JSON over several lines; write each object to one: ${linesOf(name, '.')}`)
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const json of lines) {
      line += 1
      if (json.trim() !== '') yield parseJsonRow(line, json)
    }
    if (rest.length > MAX_ROW_LENGTH) {
      throw operationFailed(`${name}:${line + 1}: is longer than ${MAX_ROW_LENGTH} characters`)
    }
  }
  if (rest.trim() !== '') yield parseJsonRow(line + 1, rest)
}
