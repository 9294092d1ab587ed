import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { ExportBatch, ExportContent, ExportWindow } from '../export.ts'
import { type FilterValues, whereFilters } from '../filters.ts'
import type { Lines } from './export-lines.ts'

/* Batches of a dataset's items, in order of id, as the lines of an export. */

/** A batch ends after the line that reaches this number of bytes. */
const MAX_BYTES = 1024 * 1024

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
  { format, filters = {}, attributes }: ExportContent,
  { after, limit }: ExportWindow,
): Promise<ExportBatch> {
  const whereAfter = after === null ? Prisma.sql`true` : Prisma.sql`i.id > ${after}::uuid`
  const where = Prisma.sql`i.dataset_id = ${datasetId}::uuid AND ${whereFilters(filters)}`
  const items = Prisma.sql`${where} AND ${whereAfter} ORDER BY i.id LIMIT ${limit}`
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
