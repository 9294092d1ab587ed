import type { ClientBase } from 'pg'
import { readRows } from '../formats/readers.ts'
import type { Fields, SourceRow } from '../formats/source-row.ts'
import type { ItemFile } from '../manifest.ts'
import { columnMapping, columnsOfField, findBadNumber, numberColumns, unknownFields } from '../row/column-mapping.ts'
import { type ImportedItem, parseItem } from '../row/parse-item.ts'
import { explainPosition, positionConverter } from '../row/position.ts'
import type { RowProblems } from '../row-problems.ts'
import { stagedJson, stageRows } from './staging.ts'

export interface ImportProgress {
  file: string
  /** Bytes of all files, before unpacking. */
  bytesRead: number
  bytesTotal: number
  rows: number
}

interface Staging {
  session: ClientBase
  table: string
  datasetId: string
  files: readonly ItemFile[]
  bytesTotal: number
  problems: RowProblems
  onProgress?: (progress: ImportProgress) => void
}

const BATCH_ROWS = 500
/** A batch of long rows ends at this number of characters. */
const BATCH_CHARACTERS = 250_000
const PROGRESS_INTERVAL_MS = 100

/**
 * Reads the rows of all files into the staging table. Adds bad rows and warnings to `problems`.
 * @throws `OPERATION_FAILED` if a file can't be read
 */
export async function stageFiles(staging: Staging): Promise<void> {
  const { session, table, problems, files, bytesTotal, onProgress } = staging
  let bytesRead = 0
  let rows = 0
  let reportedAt = 0
  let batch: string[] = []
  let batchCharacters = 0
  // The database adds a batch while the next one is read.
  let staged = Promise.resolve()
  const flush = async () => {
    await staged
    staged = stageRows(session, table, batch)
    // Awaited later; without this line, Node would report an unhandled rejection before that.
    staged.catch(() => {})
    batch = []
    batchCharacters = 0
  }
  for (const [file, itemFile] of files.entries()) {
    const read = readRows(itemFile, (count) => {
      bytesRead += count
    })
    for await (const row of readItems(itemFile, read, staging.datasetId)) {
      rows += 1
      const { line } = row
      for (const reason of row.warnings ?? []) problems.warn({ file, line, reason })
      if ('problem' in row) problems.add({ file, line, reason: row.problem, kind: row.kind })
      else {
        const json = stagedJson({ ...row.item, n: rows, file, line })
        batch.push(json)
        batchCharacters += json.length
      }
      if (batch.length >= BATCH_ROWS || batchCharacters >= BATCH_CHARACTERS) await flush()
      if (onProgress && Date.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
        reportedAt = Date.now()
        onProgress({ file: itemFile.name, bytesRead, bytesTotal, rows })
      }
    }
  }
  await flush()
  await staged
}

type ReadItem = { line: number; warnings: string[] } & (
  | { item: ImportedItem }
  | { problem: string; kind?: string | undefined }
)

async function* readItems(file: ItemFile, rows: AsyncIterable<SourceRow>, datasetId: string): AsyncGenerator<ReadItem> {
  const parse = rowParser(file, datasetId)
  let isFirst = true
  for await (const row of rows) {
    const { line } = row
    const unknown = isFirst && 'fields' in row ? unknownFields(file.columns, row.fields) : []
    const warnings = unknown.length > 0 ? [`not fields of an item, so ignored: ${unknown.join(', ')}`] : []
    if ('fields' in row) isFirst = false
    const parsed = 'fields' in row ? parse(row) : { ...row, badFields: [] }
    if ('item' in parsed) yield { line, item: parsed.item, warnings: [...warnings, ...parsed.warnings] }
    else yield { line, warnings, ...placedProblem(file, row, parsed) }
  }
}

type BadItem = Extract<ReturnType<typeof parseItem>, { problem: string }>

/** Returns a function that makes the item of a row, as the manifest says. */
function rowParser(file: ItemFile, datasetId: string) {
  const map = columnMapping(file)
  const convertPosition = positionConverter(file)
  const numbers = numberColumns(file.columns)
  return (row: Extract<SourceRow, { fields: Fields }>): ReturnType<typeof parseItem> => {
    const problem = findBadNumber(numbers, row.fields)
    if (problem !== undefined) return { problem, badFields: ['extraAttributes'] }
    const fields = map(row.fields)
    const positioned = convertPosition(fields, row.crs)
    if ('problem' in positioned) return { ...positioned, badFields: ['latitude', 'longitude'] }
    const parsed = parseItem(positioned.fields, datasetId, file.isExact)
    if ('item' in parsed || !parsed.badFields.some(isCoordinate)) return parsed
    const advice = explainPosition(file, fields)
    return advice === undefined ? parsed : { ...parsed, problem: `${parsed.problem}; ${advice}` }
  }
}

function isCoordinate(field: string): boolean {
  return field === 'latitude' || field === 'longitude'
}

/** The problem of a row, with the cells of its bad fields or the number of its feature if its line does not find them. */
function placedProblem(
  { columns }: ItemFile,
  { placeOf }: SourceRow,
  { problem, kind, badFields }: BadItem & { kind?: string },
) {
  const names = badFields.flatMap((field) => columnsOfField(columns, field))
  const place = placeOf?.(names)
  return place === undefined ? { problem, kind } : { problem: `${problem} (${place})`, kind: kind ?? problem }
}
