import { Prisma } from '../../generated/prisma/client.ts'
import { EXPORT_FORMAT_NAMES, type ExportFormat, type ExportSize, exportBytes } from '../export-formats.ts'
import { linesOf } from './export.ts'

/*
 * The sizes of exports. They are estimated from the first items, because a whole export takes minutes for a million items.
 */

/** The number of items of the sample. */
const SAMPLE_ITEMS = 300

/** The number of all items, the number of those in the sample, and the bytes of their lines. */
type Row = { total: number; count: number } & Record<ExportFormat, number>

/** Returns the size of each format for each dataset. Takes one statement. */
export async function fetchExportSizes(
  prisma: Prisma.TransactionClient,
  datasetIds: readonly string[],
): Promise<ExportSize[][]> {
  const rows = await prisma.$queryRaw<Row[]>`
    SELECT sample.*, coalesce((SELECT stored.n FROM item_counts stored
                                WHERE stored.dataset_id = owner.dataset_id AND stored.list = 'all'), 0)::float8 AS total
      FROM unnest(${[...datasetIds]}::uuid[]) WITH ORDINALITY AS owner (dataset_id, n)
     CROSS JOIN LATERAL (
            SELECT count(*)::float8 AS count, coalesce(sum(ndjson), 0)::float8 AS ndjson, coalesce(sum(csv), 0)::float8 AS csv,
                   coalesce(sum(geojson), 0)::float8 AS geojson
              FROM (SELECT ${bytesOf('ndjson')} AS ndjson, ${bytesOf('csv')} AS csv, ${bytesOf('geojson')} AS geojson
                      FROM (SELECT * FROM items WHERE dataset_id = owner.dataset_id ORDER BY id LIMIT ${SAMPLE_ITEMS}) AS i) AS line
          ) AS sample
     ORDER BY owner.n`
  return rows.map((row) => EXPORT_FORMAT_NAMES.map((format) => sizeOf(row, format)))
}

/** SQL for the bytes of the line of an item `i`. */
function bytesOf(format: ExportFormat): Prisma.Sql {
  const { columns, line } = linesOf({ format })
  return Prisma.sql`(SELECT octet_length(${line}) FROM (SELECT ${columns}) AS item)`
}

function sizeOf({ total, count, ...bytes }: Row, format: ExportFormat): ExportSize {
  const lines = count === 0 ? 0 : (bytes[format] * total) / count
  return { format, bytes: Math.round(exportBytes(format, lines, total)), isExact: count === total }
}
