import type { ItemFile } from '../rows/manifest.ts'
import type { RowItem } from '../rows/parse-item.ts'
import type { RowIdentity } from '../rows/problem.ts'
import { rows } from '../rows/rows.ts'
import { completeItem } from './complete-item.ts'
import type { RowProblems } from './row-problems.ts'
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
  options: { onProgress?: (progress: ImportProgress) => void; onItem?: (row: number, item: RowItem) => void }
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
  const { session, table, datasetId, problems, files, bytesTotal, options } = staging
  const batches = new Batches({ session, table, datasetId })
  let bytesRead = 0
  let n = 0
  let reportedAt = Date.now()
  const onBytes = (count: number) => {
    bytesRead += count
  }
  try {
    for (const [file, itemFile] of files.entries()) {
      for await (const row of rows(itemFile, onBytes)) {
        if ('reason' in row) {
          problems.add({ file, ...row })
          if (row.warns !== undefined) continue
          n += 1
          if (row.identity) batches.addBad(row.identity)
          else problems.unidentified += 1
        } else {
          n += 1
          options.onItem?.(n, row.item)
          const item = completeItem(row.item, datasetId, itemFile.isExact)
          batches.add(stagedJson({ ...item, n, file, line: row.line }))
        }
        if (batches.isFull) await batches.write()
        if (options.onProgress && Date.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
          reportedAt = Date.now()
          options.onProgress({ file: itemFile.name, bytesRead, bytesTotal, rows: n })
        }
      }
    }
    await batches.write()
    await batches.written
  } finally {
    // The caller drops the table.
    await batches.written.catch(() => {})
  }
}

/** Rows that the database adds in batches, each while the next one is read. */
class Batches {
  readonly #staged: Staged
  #rows: string[] = []
  #bad: RowIdentity[] = []
  #characters = 0
  /** Fulfilled when the database has what was written. */
  written = Promise.resolve()

  constructor(staged: Staged) {
    this.#staged = staged
  }

  add(row: string): void {
    this.#rows.push(row)
    this.#characters += row.length
  }

  addBad(identity: RowIdentity): void {
    this.#bad.push(identity)
  }

  get isFull(): boolean {
    return this.#rows.length + this.#bad.length >= BATCH_ROWS || this.#characters >= BATCH_CHARACTERS
  }

  async write(): Promise<void> {
    await this.written
    const { session, table } = this.#staged
    const [rows, bad] = [this.#rows, this.#bad]
    this.written = stageRows(session, table, rows).then(() => stageBadRows(session, table, bad))
    // Awaited later; without this line, Node would report an unhandled rejection before that.
    this.written.catch(() => {})
    this.#rows = []
    this.#bad = []
    this.#characters = 0
  }
}
