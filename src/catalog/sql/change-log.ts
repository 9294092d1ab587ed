import type { SqlReader } from '../../database/sql-reader.ts'
import type { CodeLabel } from '../../generated/prisma/client.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { ExportFormat } from '../export-formats.ts'
import { MAX_BYTES } from './export.ts'
import { OBJECT_LINES } from './export-lines.ts'

/* The log of a dataset's changes (docs/changes.md). Triggers write it: chapter 3 of prisma/migrations. */

/** A position in the log: after the change of an item at a revision. */
export interface LogPosition {
  revision: bigint
  itemId: string
}

/** Consecutive changes of a dataset, and what the log has, in one state. Several changes of an item are one. */
export interface ChangeBatch {
  /** The log has all changes after this revision. */
  horizon: bigint
  /** The revision of the last change to the dataset itself or its labels. */
  describedAt: bigint
  /** From this revision to the horizon the dataset had no items; null if that is not known. */
  emptyFrom: bigint | null
  count: number
  /** A line for each changed item, with line feeds between them. */
  lines: string
  /** Where the batch ends; null for an empty one. */
  lastRevision: bigint | null
  lastId: string | null
  /** Whether no change follows. */
  isLast: boolean
}

/** An item that is there. */
const PUT = Prisma.sql`'{"put":' || ${OBJECT_LINES.line} || '}'`

/** The lines of items that are there, in the form of the lines of changes. */
export const PUT_LINES: Pick<ExportFormat, 'linesOf' | 'separator'> = {
  linesOf: () => ({ ...OBJECT_LINES, line: PUT }),
  separator: '\n',
}

/** Reads the next changes of a dataset after a position. Returns undefined if there is no log of it. */
export async function fetchChanges(
  reader: SqlReader,
  datasetId: string,
  after: LogPosition,
  limit: number,
): Promise<ChangeBatch | undefined> {
  const changesAfter = (revision: Prisma.Sql, itemId: Prisma.Sql) => Prisma.sql`
    FROM item_changes c WHERE c.dataset_id = ${datasetId}::uuid AND (c.revision, c.item_id) > (${revision}, ${itemId})`
  const item = Prisma.sql`SELECT ${OBJECT_LINES.columns} FROM items i WHERE i.id = c.item_id AND i.dataset_id = c.dataset_id`
  const [batch] = await reader.$queryRaw<ChangeBatch[]>`
    SELECT batch.*, NOT EXISTS (
             SELECT ${changesAfter(
               Prisma.sql`coalesce(batch."lastRevision", ${after.revision}::bigint)`,
               Prisma.sql`coalesce(batch."lastId"::uuid, ${after.itemId}::uuid)`,
             )}) AS "isLast"
      FROM (SELECT log.horizon, log.described_at AS "describedAt", log.empty_from AS "emptyFrom", bounded.*
              FROM change_logs AS log CROSS JOIN (
                SELECT count(*)::integer AS count,
                       coalesce(string_agg(line, E'\\n' ORDER BY revision, id), '') AS lines,
                       max(revision) AS "lastRevision",
                       (array_agg(id ORDER BY revision DESC, id DESC))[1]::text AS "lastId"
                  FROM (SELECT revision, id, line,
                               sum(octet_length(line)) OVER (ORDER BY revision, id ROWS UNBOUNDED PRECEDING) - octet_length(line) AS before
                          FROM (SELECT c.revision, c.item_id AS id,
                                       coalesce((SELECT ${PUT} FROM (${item}) AS item), '{"delete":"' || c.item_id || '"}') AS line
                                ${changesAfter(Prisma.sql`${after.revision}::bigint`, Prisma.sql`${after.itemId}::uuid`)}
                                 ORDER BY c.revision, c.item_id LIMIT ${limit}) AS lines) AS measured
                 WHERE before < ${MAX_BYTES}) AS bounded
             WHERE log.dataset_id = ${datasetId}::uuid) AS batch`
  return batch
}

/** The labels of a dataset, by field, then code. */
export function fetchLabels(reader: SqlReader, datasetId: string): Promise<Omit<CodeLabel, 'datasetId'>[]> {
  return reader.$queryRaw`
    SELECT field, code, label FROM code_labels WHERE dataset_id = ${datasetId}::uuid ORDER BY field COLLATE "C", code COLLATE "C"`
}

/** The copies of datasets of other catalogs, and the seconds since each was last known to be complete. */
export function readMirrorLags(reader: SqlReader): Promise<{ dataset: string; seconds: number }[]> {
  return reader.$queryRaw`
    SELECT d.slug AS dataset, extract(epoch FROM clock_timestamp() - m.complete_at)::float8 AS seconds
      FROM mirrors AS m JOIN datasets AS d ON d.id = m.dataset_id`
}
