import { operationFailed } from '../errors/errors.ts'
import type { CodeLabel } from '../rows/field-schemas.ts'
import type { ItemFile } from '../rows/manifest.ts'
import type { RowItem } from '../rows/parse-item.ts'
import { type FileProblem, type Problem, ProblemList, type RowIdentity } from '../rows/problem.ts'
import { rows as rowsOf } from '../rows/rows.ts'
import { completeItem } from './complete-item.ts'
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
    // No write may run after this. If the read failed, its error is the one that counts.
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

/** A bad row or a warning, with the index of its file in the manifest. */
export interface BadRow extends Problem {
  file: number
  /** The first row with the same id, of a row that repeats an id. */
  first?: { file: number; line: number }
}

interface ProblemOptions {
  /** Whether to report each bad row to `onSkipped`, instead of an error at the end. */
  skipInvalid: boolean
  onSkipped?: (problem: FileProblem) => void
  onWarning?: (problem: FileProblem) => void
}

/** The bad rows and the warnings of one import. Memory is bounded. */
export class RowProblems {
  /** Bad rows. */
  count = 0
  /** Bad rows that name no item. */
  unidentified = 0
  /** The number of warnings, without doubts: right data may have doubts for ever, and would be read again by each import. */
  warnings = 0
  /** Says that a file is a part of a collection. */
  #part: string | undefined
  readonly #files: readonly { name: string }[]
  readonly #options: ProblemOptions
  readonly #bad = new ProblemList()

  constructor(files: readonly { name: string }[], options: ProblemOptions) {
    this.#files = files
    this.#options = options
  }

  /** @throws `OPERATION_FAILED` for a column that each row needs, unless bad rows are skipped */
  add({ file, first, warns, line, reason, value }: BadRow): void {
    const { skipInvalid, onSkipped, onWarning } = this.#options
    const inFile = first && first.file !== file ? `${this.#nameOf(first.file)}:${first.line}` : undefined
    const as = inFile ?? (first && `line ${first.line}`)
    const problem = { file: this.#nameOf(file), line, reason, value, as }
    if (warns === 'lack') {
      if (!skipInvalid) throw operationFailed(`${problem.file}: ${reason}`)
      return
    }
    if (warns === 'part') this.#part ??= `${problem.file} ${reason}`
    if (warns !== undefined) {
      if (warns !== 'doubt') this.warnings += 1
      onWarning?.(problem)
      return
    }
    this.count += 1
    if (skipInvalid) onSkipped?.(problem)
    else this.#bad.add(problem)
  }

  #nameOf(file: number): string {
    return this.#files[file]?.name ?? ''
  }

  /** @throws `OPERATION_FAILED` with the bad rows by their reason, unless they are skipped or there are none */
  throwUnlessSkipped(): void {
    if (this.count > 0 && !this.#options.skipInvalid) throw operationFailed(this.#bad.lines)
  }

  /** @throws `OPERATION_FAILED` if a part of a collection would remove items */
  throwIfPart(slug: string, removed: number): void {
    if (this.#part === undefined || removed === 0) return
    const missing = `the dataset ${slug} has ${removed} items that it lacks`
    throw operationFailed(`${this.#part}; ${missing}; nothing was changed; to keep them, add --keep-missing`)
  }
}
