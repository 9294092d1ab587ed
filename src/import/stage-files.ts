import { readRows } from '../rows/formats/readers.ts'
import type { ItemFile } from '../rows/manifest.ts'
import type { RowIdentity } from '../rows/parse-item.ts'
import { readItems } from '../rows/read-items.ts'
import type { RowProblems } from '../rows/row-problems.ts'
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
  onProgress?: (progress: ImportProgress) => void
}

const BATCH_ROWS = 500
/** A batch of long rows ends at this number of characters. */
const BATCH_CHARACTERS = 250_000
const PROGRESS_INTERVAL_MS = 100

/**
 * Reads the rows of all files into the staging table. Adds bad rows and warnings to `problems`.
 * @returns the number of bad rows that name no item
 * @throws `OPERATION_FAILED` if a file can't be read
 */
export async function stageFiles(staging: Staging): Promise<{ unidentified: number }> {
  const { session, table, problems, files, bytesTotal, onProgress } = staging
  let bytesRead = 0
  let rows = 0
  let reportedAt = Date.now()
  let batch: string[] = []
  let batchCharacters = 0
  let badRows: RowIdentity[] = []
  let unidentified = 0
  // The database adds a batch while the next one is read.
  let staged = Promise.resolve()
  const flush = async () => {
    await staged
    const [rows, bad] = [batch, badRows]
    staged = stageRows(session, table, rows).then(() => stageBadRows(session, table, bad))
    // Awaited later; without this line, Node would report an unhandled rejection before that.
    staged.catch(() => {})
    batch = []
    badRows = []
    batchCharacters = 0
  }
  const onBytes = (count: number) => {
    bytesRead += count
  }
  try {
    for (const [file, itemFile] of files.entries()) {
      const source = readRows(itemFile, { onBytes, onWarning: (warning) => problems.warn({ file, ...warning }) })
      for await (const row of readItems(itemFile, source, staging.datasetId)) {
        rows += 1
        const { line } = row
        for (const warning of row.warnings) problems.warn({ file, line, ...warning })
        if ('problem' in row) {
          problems.add({ file, line, reason: row.problem, kind: row.kind })
          if (row.identity === undefined) unidentified += 1
          else badRows.push(row.identity)
        } else {
          const json = stagedJson({ ...row.item, n: rows, file, line })
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
    // The caller drops the table.
    await staged.catch(() => {})
  }
  return { unidentified }
}
