import { hash } from 'node:crypto'
import { CatalogError } from '../errors.ts'
import { DETAIL_FIELDS } from './columns.ts'
import type { FilterValues } from './filters.ts'
import type { Dataset } from './models.ts'

/*
 * The formats of an exported dataset, and the order of their members. PostgreSQL writes the lines (sql/export.ts); this module
 * joins the batches of lines.
 */

/** The members of an exported item: those of the item detail without `dataset`, then `externalId` and `keywords`. */
export const EXPORT_FIELDS = [...DETAIL_FIELDS, 'images', 'externalId', 'keywords'] as const

export const EXPORT_FORMATS = {
  /** One JSON object per line (https://github.com/ndjson/ndjson-spec). The media type is common, but not registered. */
  ndjson: { contentType: 'application/x-ndjson; charset=utf-8', start: '', separator: '\n', lineEnd: '\n', end: '' },
  /** RFC 4180, with a header. Images, extra attributes and keywords are JSON in a cell. */
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    start: '',
    separator: '\r\n',
    lineEnd: '\r\n',
    end: '',
  },
  /** A FeatureCollection of points (RFC 7946). */
  geojson: {
    contentType: 'application/geo+json',
    start: '{"type":"FeatureCollection","features":[\n',
    separator: ',\n',
    lineEnd: '\n',
    end: ']}\n',
  },
} as const

export type ExportFormat = keyof typeof EXPORT_FORMATS

export const EXPORT_FORMAT_NAMES: readonly ExportFormat[] = ['ndjson', 'csv', 'geojson']

/** The size of an export in bytes, before compression. */
export interface ExportSize {
  format: ExportFormat
  bytes: number
  /** Otherwise it is estimated from the first items. */
  isExact: boolean
}

/** The bytes of an export of `count` items whose lines have `lines` bytes together. */
export function exportBytes(format: ExportFormat, lines: number, count: number): number {
  const { start, separator, lineEnd, end } = EXPORT_FORMATS[format]
  const around = (format === 'csv' ? headerOf(undefined) : start) + (count > 0 ? lineEnd : '') + end
  return Buffer.byteLength(around) + lines + separator.length * Math.max(0, count - 1)
}

/** What an export has. */
export interface ExportContent {
  format: ExportFormat
  /** Only items with these values; by default all items. */
  filters?: FilterValues
  /** The extra attributes that have a column each in CSV; by default they are JSON in one cell. */
  attributes?: readonly string[] | undefined
}

/** The first line of CSV. A column of an attribute has a prefix, because an attribute may have the name of a member. */
function headerOf(attributes: readonly string[] | undefined): string {
  const cells = EXPORT_FIELDS.flatMap((field) =>
    field === 'extraAttributes' && attributes ? attributes.map((name) => quoted(`extraAttributes.${name}`)) : field,
  )
  return `${cells.join()}\r\n`
}

/** RFC 4180 section 2.5. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
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
 * The text of an export, in parts of up to some hundred kilobytes. It never mixes two states of the dataset, because each batch
 * must have the revision of the first one.
 * @param read reads a later batch
 * @throws `SERVICE_UNAVAILABLE` when the dataset changes before the last batch
 */
export async function* writeExport(
  { format, attributes }: ExportContent,
  first: ExportBatch,
  read: (window: ExportWindow) => Promise<ExportBatch>,
): AsyncGenerator<string> {
  const { separator, lineEnd, end } = EXPORT_FORMATS[format]
  const start = format === 'csv' ? headerOf(attributes) : EXPORT_FORMATS[format].start
  let before: string = start
  let batch = first
  while (batch.lastId !== null) {
    // PostgreSQL writes the next batch while the client takes this one.
    const next = batch.isLast ? undefined : read({ after: batch.lastId, limit: nextLimit(batch) })
    // If it fails, the loop throws below, or the client has gone.
    next?.catch(() => {})
    yield before + batch.lines
    before = separator
    if (!next) break
    batch = await next
    if (batch.revision === null || batch.revision !== first.revision) throw datasetChanged()
  }
  yield (before === start ? start : lineEnd) + end
}

/** The number of items whose lines have about the target length, if they are as long as those of the last batch. */
function nextLimit({ count, lines }: ExportBatch): number {
  return Math.min(MAX_LIMIT, Math.ceil((count * TARGET_LENGTH) / lines.length))
}

/** `SERVICE_UNAVAILABLE`: an export would mix two states of the dataset. */
export function datasetChanged(): CatalogError {
  return new CatalogError('SERVICE_UNAVAILABLE', 'The dataset changed during the export; try again', {
    retryAfterSeconds: 1,
  })
}
