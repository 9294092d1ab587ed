import type { CodeLabel } from '../rows/field-schemas.ts'
import type { ItemFile } from '../rows/manifest.ts'
import type { RowItem } from '../rows/parse-item.ts'
import type { RowIdentity } from '../rows/problem.ts'
import { rows as rowsOf } from '../rows/rows.ts'
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
  labels: readonly CodeLabel[]
  problems: RowProblems
  warn: (reason: string) => void
  options: { onProgress?: (progress: ImportProgress) => void; onItem?: (row: number, item: RowItem) => void }
}

const BATCH_ROWS = 500
/** A batch of long rows ends at this number of characters. */
const BATCH_CHARACTERS = 250_000
const PROGRESS_INTERVAL_MS = 100

/**
 * Reads the rows of all files into the staging table. The database adds a batch of rows while the next one is read. Adds bad rows and warnings
 * to `problems`.
 * @throws `OPERATION_FAILED` if a file can't be read
 */
export async function stageFiles(staging: Staging): Promise<void> {
  const { session, table } = staging
  let written = Promise.resolve()
  try {
    for await (const { rows, bad } of readBatches(staging)) {
      await written
      written = stageRows(session, table, rows).then(() => stageBadRows(session, table, bad))
      // Awaited later; without this line, Node would report an unhandled rejection before that.
      written.catch(() => {})
    }
    await written
  } finally {
    // The caller drops the table.
    await written.catch(() => {})
  }
}

interface Batch {
  rows: string[]
  bad: RowIdentity[]
}

async function* readBatches({ datasetId, files, bytesTotal, problems, options, ...staging }: Staging) {
  const labels = new LabelCheck(staging.labels)
  let batch: Batch = { rows: [], bad: [] }
  let [characters, bytesRead, n, reportedAt] = [0, 0, 0, Date.now()]
  const onBytes = (count: number) => {
    bytesRead += count
  }
  for (const [file, itemFile] of files.entries()) {
    for await (const row of rowsOf(itemFile, onBytes)) {
      if ('reason' in row) {
        problems.add({ file, ...row })
        if (row.warns !== undefined) continue
        if (row.identity) batch.bad.push(row.identity)
        else problems.unidentified += 1
      }
      n += 1
      if ('item' in row) {
        options.onItem?.(n, row.item)
        labels.see(row.item)
        const json = stagedJson({ ...completeItem(row.item, datasetId, itemFile.isExact), n, file, line: row.line })
        batch.rows.push(json)
        characters += json.length
      }
      if (batch.rows.length + batch.bad.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) {
        yield batch
        batch = { rows: [], bad: [] }
        characters = 0
      }
      if (options.onProgress && Date.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
        reportedAt = Date.now()
        options.onProgress({ file: itemFile.name, bytesRead, bytesTotal, rows: n })
      }
    }
  }
  yield batch
  for (const warning of labels.warnings) staging.warn(warning)
}

/** Finds fields whose labels belong to no code of the items: their file may be another one, have other columns or codes. */
class LabelCheck {
  readonly #unused = new Map<CodeLabel['field'], Set<string>>()
  #first: RowItem | undefined

  constructor(labels: readonly CodeLabel[]) {
    for (const { field, code } of labels) this.#unused.set(field, (this.#unused.get(field) ?? new Set()).add(code))
  }

  see(item: RowItem): void {
    this.#first ??= item
    for (const [field, codes] of this.#unused) if (codes.has(item[field])) this.#unused.delete(field)
  }

  get warnings(): string[] {
    const first = this.#first
    if (!first) return []
    return [...this.#unused].map(([field, [code]]) => {
      const others = `the items only have others, such as "${first[field]}"`
      return `labels.${field} has labels for codes such as "${code}", and ${others}`
    })
  }
}
