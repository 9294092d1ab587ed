import { readRows } from '../formats/readers.ts'
import type { ItemFile } from '../manifest.ts'
import type { RowIdentity } from '../row/parse-item.ts'
import { readItems } from '../row/read-items.ts'
import type { RowProblems } from '../row-problems.ts'
import { compareRows, findNewRows } from './imported-rows.ts'
import { type Staged, stageBadRows, stagedJson, stageRows } from './staging.ts'

export interface ImportProgress {
  file: string
  /** Bytes of all files, before unpacking. */
  bytesRead: number
  bytesTotal: number
  rows: number
}

interface Staging extends Staged {
  files: readonly ItemFile[]
  bytesTotal: number
  problems: RowProblems
  /** Whether the rows of the last import are there, so that others alone are staged. */
  isPart: boolean
  onProgress?: (progress: ImportProgress) => void
}

const BATCH_ROWS = 500
/** A batch of long rows ends at this number of characters. */
const BATCH_CHARACTERS = 250_000
const PROGRESS_INTERVAL_MS = 100

/**
 * Reads the rows of all files into the staging table, without those that the last import had too. Adds bad rows and warnings to `problems`.
 * @returns the number of bad rows that name no item, and of rows that the last import had too
 * @throws `OPERATION_FAILED` if a file can't be read
 */
export async function stageFiles(staging: Staging): Promise<{ unidentified: number; imported: number }> {
  const { session, table, problems, files, bytesTotal, onProgress } = staging
  // The database stages a batch, or looks one up, while the next one is read.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work)
    // Awaited later; without this, Node would report an unhandled rejection before that.
    last = done.catch(() => {})
    return done
  }
  const lookUp = findNewRows(session, table)
  const find = staging.isPart ? (hashes: string[]) => inTurn(() => lookUp(hashes)) : undefined
  let bytesRead = 0
  let rows = 0
  let reportedAt = 0
  let batch: string[] = []
  let batchCharacters = 0
  let badRows: RowIdentity[] = []
  let unidentified = 0
  let imported = 0
  let staged = Promise.resolve()
  const flush = async () => {
    await staged
    const [rows, bad] = [batch, badRows]
    staged = inTurn(async () => {
      await stageRows(session, table, rows)
      await stageBadRows(session, table, bad)
    })
    batch = []
    badRows = []
    batchCharacters = 0
  }
  const onBytes = (count: number) => {
    bytesRead += count
  }
  try {
    for (const [file, itemFile] of files.entries()) {
      const read = compareRows(itemFile, readRows(itemFile, { onBytes }), find)
      for await (const row of readItems(itemFile, read, staging.datasetId)) {
        rows += 1
        const { line } = row
        for (const reason of row.warnings) problems.warn({ file, line, reason })
        if ('isImported' in row) imported += 1
        else if ('problem' in row) {
          problems.add({ file, line, reason: row.problem, kind: row.kind })
          if (row.identity === undefined) unidentified += 1
          else badRows.push(row.identity)
        } else {
          const rowHash = row.warnings.length === 0 ? (row.hash ?? null) : null
          const json = stagedJson({ ...row.item, n: rows, file, line, rowHash })
          batch.push(json)
          batchCharacters += json.length
        }
        if (batch.length + badRows.length >= BATCH_ROWS || batchCharacters >= BATCH_CHARACTERS) await flush()
        if (onProgress && Date.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
          reportedAt = Date.now()
          onProgress({ file: itemFile.name, bytesRead, bytesTotal, rows })
        }
      }
    }
    await flush()
    await staged
  } finally {
    await last
  }
  return { unidentified, imported }
}
