import { hash } from 'node:crypto'
import { refused } from '../errors/errors.ts'
import { EXPORT_FIELDS } from './columns.ts'
import type { ExportFormat, ExportPart } from './export-formats.ts'
import type { FilterValues } from './filters.ts'
import type { Dataset } from './models.ts'
import type { Attributes } from './sql/export-lines.ts'

/* An exported dataset: PostgreSQL writes batches of lines (sql/export.ts), and the format makes the file of them. */

/** What an export has. */
export interface ExportContent {
  format: ExportFormat
  /** Only items with these values; by default all items. */
  filters?: FilterValues
  attributes?: Attributes
}

/**
 * The entity tag of a dataset with its items, in one representation. Each change of the dataset or its items gives it a new revision,
 * and it never has the same revision twice. A new version of the gateway may export more fields, so the tag depends on them too.
 */
export function exportTag({ id, revision }: Dataset, ...representation: readonly string[]): string {
  return `"${hash('sha256', [id, revision, ...representation, EXPORT_FIELDS].join(), 'base64url')}"`
}

/** Consecutive items of a dataset, as lines of one format. */
export interface ExportBatch {
  /** The revision of the dataset; null if it does not exist any more. */
  revision: bigint | null
  /** The number of items. */
  count: number
  /** The lines, joined with the separator of the format. */
  lines: string
  /** The id of the last item; null if there are no more items. */
  lastId: string | null
  /** Whether no item follows. */
  isLast: boolean
}

/** Where a batch begins, and the maximum number of its items. */
export interface ExportWindow {
  /** The id of the item before the batch; null for the first batch. */
  after: string | null
  limit: number
}

/** The first batch is small, so that the client receives the first bytes soon. */
export const FIRST_WINDOW: ExportWindow = { after: null, limit: 100 }
/** On the embedded database all other readers wait while a batch is read. */
const MAX_LIMIT = 1_000
/** The target for the length of a batch, in characters. */
const TARGET_LENGTH = 512 * 1024

/**
 * The file of an export, in parts.
 * @param read reads a later batch
 * @throws `SERVICE_UNAVAILABLE` when the dataset changes before the last batch
 */
export function writeExport(
  { format, attributes }: ExportContent,
  first: ExportBatch,
  read: (window: ExportWindow) => Promise<ExportBatch>,
): AsyncIterable<ExportPart> {
  return format.encode(linesFrom(first, read), attributes)
}

/**
 * The lines of an export, in batches of up to some hundred kilobytes. They never mix two states of the dataset, because each batch
 * must have the revision of the first one.
 * @param read reads a later batch
 * @throws `SERVICE_UNAVAILABLE` when the dataset changes before the last batch
 */
export async function* linesFrom(
  first: ExportBatch,
  read: (window: ExportWindow) => Promise<ExportBatch>,
): AsyncGenerator<string> {
  let batch = first
  while (batch.lastId !== null) {
    // PostgreSQL writes the next batch while the client takes this one.
    const next = batch.isLast ? undefined : read({ after: batch.lastId, limit: nextLimit(batch) })
    // If it fails, the loop throws below, or the client has gone.
    next?.catch(() => {})
    yield batch.lines
    if (!next) break
    batch = await next
    if (batch.revision === null || batch.revision !== first.revision) throw refused('changed')
  }
}

/** The number of items whose lines have about the target length, if they are as long as those of the last batch. */
function nextLimit({ count, lines }: ExportBatch): number {
  return Math.min(MAX_LIMIT, Math.ceil((count * TARGET_LENGTH) / lines.length))
}
