import { hash } from 'node:crypto'
import type { SqlReader } from '../../database/sql-reader.ts'
import { refused } from '../../errors/errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { EXPORT_FIELDS } from '../columns.ts'
import type { ExportFormat, ExportPart } from '../export-formats.ts'
import { type FilterValues, whereFilters } from '../filters.ts'
import type { Dataset } from '../models.ts'
import type { Attributes, Lines } from './export-lines.ts'

/* An exported dataset: PostgreSQL writes batches of its items by id, as lines, and the format makes the file of them. */

/** What an export has. */
export interface ExportContent extends BatchContent {
  format: ExportFormat
}

/** What its batches have. */
export interface BatchContent {
  format: Pick<ExportFormat, 'linesOf' | 'separator'>
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
const MAX_ITEMS = 1_000
/** The target for the length of a batch, in characters. */
const TARGET_LENGTH = 512 * 1024

/**
 * The file of an export, in parts.
 * @throws as `linesFrom`
 */
export function writeExport({ format, attributes }: ExportContent, ...batches: Batches): AsyncIterable<ExportPart> {
  return format.encode(linesFrom(...batches), attributes)
}

/** The first batch, and what reads a later one. */
type Batches = [first: ExportBatch, read: (window: ExportWindow) => Promise<ExportBatch>]

/**
 * The lines of an export, in batches of up to some hundred kilobytes. They never mix two states of the dataset, because each batch
 * must have the revision of the first one.
 * @throws `SERVICE_UNAVAILABLE` when the dataset changes before the last batch
 */
export async function* linesFrom(...[first, read]: Batches): AsyncGenerator<string> {
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
  return Math.min(MAX_ITEMS, Math.ceil((count * TARGET_LENGTH) / lines.length))
}

/** A batch ends after the line that reaches this number of bytes. */
export const MAX_BYTES = 1024 * 1024

/** The names of the extra attributes of a dataset's matching items, by code point; at most `limit`. */
export async function fetchAttributes(
  reader: SqlReader,
  datasetId: string,
  filters: FilterValues,
  limit: number,
): Promise<string[]> {
  const rows = await reader.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT jsonb_object_keys(i.extra_attributes) COLLATE "C" AS name FROM items i
     WHERE i.dataset_id = ${datasetId}::uuid AND ${whereFilters(filters)} ORDER BY 1 LIMIT ${limit}`
  return rows.map(({ name }) => name)
}

/**
 * Reads the next items of a dataset with its revision, in one statement. So two batches with the same revision show the same state
 * of the dataset.
 */
export async function fetchExportBatch(
  reader: SqlReader,
  datasetId: string,
  { format, filters = {}, attributes }: BatchContent,
  { after, limit }: ExportWindow,
): Promise<ExportBatch> {
  const where = Prisma.sql`i.dataset_id = ${datasetId}::uuid AND ${whereFilters(filters)}`
  const whereAfter = after === null ? where : Prisma.sql`${where} AND i.id > ${after}::uuid`
  const items = Prisma.sql`${whereAfter} ORDER BY i.id LIMIT ${limit}`
  const [batch] = await reader.$queryRaw<ExportBatch[]>`
    SELECT batch.*, NOT EXISTS (SELECT FROM items i WHERE ${where} AND i.id > batch."lastId"::uuid) AS "isLast"
      FROM (SELECT (SELECT revision FROM datasets WHERE id = ${datasetId}::uuid) AS revision,
                   count(*)::integer AS count,
                   coalesce(string_agg(line, ${format.separator} ORDER BY id), '') AS lines,
                   max(id::text COLLATE "C") AS "lastId"
              FROM ${boundedLines(format.linesOf(attributes), items, MAX_BYTES)}) AS batch`
  if (!batch) throw new TypeError('The statement returned no row')
  return batch
}

/**
 * SQL for a table of lines (id, line), in order of id. It ends after the line that reaches `maxBytes`.
 * @param items is the condition for the items `i` and ORDER BY i.id
 */
export function boundedLines({ columns, line }: Lines, items: Prisma.Sql, maxBytes: number): Prisma.Sql {
  return Prisma.sql`(
    SELECT id, line
      FROM (SELECT id, line, sum(octet_length(line)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(line) AS before
              FROM (SELECT id, ${line} AS line
                      FROM (SELECT ${columns} FROM items i WHERE ${items}) AS item
                    -- PostgreSQL would otherwise write each line three times.
                    OFFSET 0) AS lines) AS measured
     WHERE before < ${maxBytes}) AS bounded`
}
