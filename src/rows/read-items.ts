import { shorten } from '../errors/errors.ts'
import { watchColumns } from './check-columns.ts'
import {
  columnMapping,
  columnsOfField,
  findBadNumber,
  identityMapping,
  mappedColumns,
  numberColumns,
  textOf,
  unknownFields,
} from './column-mapping.ts'
import { plainCoordinate } from './coordinate-text.ts'
import { findDoubtfulTexts } from './formats/no-value.ts'
import type { Fields, SourceRow } from './formats/source-row.ts'
import type { ItemFile } from './manifest.ts'
import { type ImportedItem, identityOf, parseItem, ROW_FIELDS, type RowIdentity } from './parse-item.ts'
import { explainPosition, positionConverter } from './position.ts'

/** An item with its warnings, or the reason why its row is bad and which item the row names. */
type ReadItem = { line: number; warnings: { reason: string; kind?: string; isGuess?: true }[] } & (
  | { item: ImportedItem }
  | { problem: string; kind?: string | undefined; identity: RowIdentity | undefined }
)

/**
 * Yields the items of the rows of a file, as its entry in the manifest says, and the bad rows.
 * @throws `OPERATION_FAILED` if the file can't be read, or no row has a mapped column
 */
export async function* readItems(
  file: ItemFile,
  rows: AsyncIterable<SourceRow>,
  datasetId: string,
): AsyncGenerator<ReadItem> {
  const parse = rowParser(file, datasetId)
  const mapIdentity = identityMapping(file)
  const columns = watchColumns(file)
  const withNumbers = numberRestorer(file)
  const used = file.columns ? mappedColumns(file.columns) : ROW_FIELDS
  let isFirst = true
  for await (const given of rows) {
    const row = withNumbers(given)
    const { line } = row
    const unknown = isFirst && 'fields' in row ? unknownFields(file.columns, row.fields) : []
    const doubtful = 'fields' in row && !file.isExact ? findDoubtfulTexts(file, used, row.fields) : []
    const ignored = unknown.length > 0 ? [{ reason: `not fields of an item, so ignored: ${unknown.join(', ')}` }] : []
    const warnings = [...ignored, ...doubtful]
    if ('fields' in row) {
      isFirst = false
      columns.see(row.fields)
    }
    const parsed = 'fields' in row ? parse(row) : { ...row, badFields: [] }
    if ('item' in parsed)
      yield { line, item: parsed.item, warnings: [...warnings, ...parsed.warnings.map((reason) => ({ reason }))] }
    else {
      const identity = 'fields' in row ? identityOf(mapIdentity(row.fields, parsed.badFields)) : undefined
      yield { line, warnings, identity, ...placedProblem(file, row, parsed) }
    }
  }
  columns.end()
}

/**
 * Returns a function that gives columns of numbers the numbers of a row in place of the codes that show them. A coordinate stays as it is
 * shown if that can be read: a cell can show 373358 as 37°33'58".
 */
function numberRestorer({ columns, dialect: { decimal } }: ItemFile): (row: SourceRow) => SourceRow {
  const numbers = numberColumns(columns)
  const fields = new Map(COORDINATES.flatMap((field) => columnsOfField(columns, field).map((name) => [name, field])))
  const isWanted = (name: string, shown: string) => {
    const field = fields.get(name)
    if (field === undefined) return numbers.includes(name)
    return Number.isNaN(Number(plainCoordinate(shown, { field, decimal, areMetres: false })))
  }
  return (row) => {
    if (!('fields' in row) || !row.numbers) return row
    const restored = Object.entries(row.numbers).filter(([name]) => isWanted(name, String(row.fields[name])))
    return { ...row, fields: { ...row.fields, ...Object.fromEntries(restored) } }
  }
}

type BadItem = Extract<ReturnType<typeof parseItem>, { problem: string }> & { kind?: string | undefined }

/** Returns a function that makes the item of a row, as the manifest says. */
function rowParser(file: ItemFile, datasetId: string) {
  const map = columnMapping(file)
  const convertPosition = positionConverter(file)
  const numbers = numberColumns(file.columns)
  return (row: Extract<SourceRow, { fields: Fields }>): ReturnType<typeof parseItem> | BadItem => {
    const bad = findBadNumber(numbers, file, row.fields)
    if (bad) return { ...bad, badFields: ['extraAttributes'] }
    const fields = map(row.fields)
    const positioned = convertPosition(fields, row.crs)
    if ('problem' in positioned) return withValues({ ...positioned, badFields: [...COORDINATES] }, fields)
    const parsed = parseItem(positioned.fields, datasetId, file.isExact)
    if ('item' in parsed) return parsed
    const advice = parsed.badFields.some(isCoordinate) ? explainPosition(file, fields) : undefined
    return withValues(advice === undefined ? parsed : { ...parsed, problem: `${parsed.problem}; ${advice}` }, fields)
  }
}

/** Adds the values of bad fields to a problem that has none of them. */
function withValues(bad: BadItem, fields: Fields): BadItem {
  const texts = bad.badFields.map((field) => shorten(textOf(fields[field]).trim(), SHOWN))
  const shown = [...new Set(texts)].filter((text) => text !== '')
  if (shown.length === 0 || shown.some((text) => bad.problem.includes(text))) return bad
  return { ...bad, problem: `${bad.problem}; the file has ${shown.join(' and ')}`, kind: bad.problem }
}

/** Characters of a value that are shown. */
const SHOWN = 60
const COORDINATES = ['latitude', 'longitude'] as const
const isCoordinate = (field: string) => COORDINATES.some((each) => each === field)

/** The problem of a row, with the cells of its bad fields or the number of its feature if its line does not find them. */
function placedProblem({ columns }: ItemFile, { placeOf }: SourceRow, { problem, kind, badFields }: BadItem) {
  const names = badFields.flatMap((field) => columnsOfField(columns, field))
  const place = placeOf?.(names)
  return place === undefined ? { problem, kind } : { problem: `${problem} (${place})`, kind: kind ?? problem }
}
