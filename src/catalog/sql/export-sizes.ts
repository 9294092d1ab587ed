import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../export-formats.ts'

/*
 * The sizes of exports that are texts. They are estimated from the first items, because a whole export takes minutes for a million
 * items.
 */

/** The size of an export in bytes, before compression. */
export interface ExportSize {
  /** The ending of the file. */
  format: string
  bytes: number
  /** Otherwise it is estimated from the first items. */
  isExact: boolean
}

/** The formats whose size follows from their lines. */
const SIZED = EXPORT_FORMATS.filter(({ frame }) => frame)

/** The endings of the files whose sizes are known. */
export const SIZED_FORMATS = SIZED.map(({ name }) => name)

/** The number of items of the sample. */
const SAMPLE_ITEMS = 300

/** The number of all items, the number of items in the sample, and the bytes of their lines in each format. */
interface Row {
  total: number
  count: number
  bytes: number[]
}

/** Returns the size of each text format for each dataset. Takes one statement. */
export async function fetchExportSizes(reader: SqlReader, datasetIds: readonly string[]): Promise<ExportSize[][]> {
  const sums = SIZED.map((_, n) => Prisma.sql`coalesce(sum(line.bytes[${n + 1}]), 0)`)
  const rows = await reader.$queryRaw<Row[]>`
    SELECT sample.*, coalesce((SELECT stored.n FROM item_counts stored
                                WHERE stored.dataset_id = owner.dataset_id AND stored.list = 'all'), 0)::float8 AS total
      FROM unnest(${[...datasetIds]}::uuid[]) WITH ORDINALITY AS owner (dataset_id, n)
     CROSS JOIN LATERAL (
            SELECT count(*)::float8 AS count, ARRAY[${Prisma.join(sums)}]::float8[] AS bytes
              FROM (SELECT ARRAY[${Prisma.join(SIZED.map(bytesOf))}] AS bytes
                      FROM (SELECT * FROM items WHERE dataset_id = owner.dataset_id ORDER BY id LIMIT ${SAMPLE_ITEMS}) AS i) AS line
          ) AS sample
     ORDER BY owner.n`
  return rows.map(({ total, count, bytes }) =>
    SIZED.map((format, n) => {
      const lines = count === 0 ? 0 : ((bytes[n] ?? 0) * total) / count
      return { format: format.name, bytes: Math.round(bytesOfFile(format, lines, total)), isExact: count === total }
    }),
  )
}

/** SQL for the bytes of the line of an item `i`. */
function bytesOf({ linesOf }: ExportFormat): Prisma.Sql {
  const { columns, line } = linesOf(undefined)
  return Prisma.sql`(SELECT octet_length(${line}) FROM (SELECT ${columns}) AS item)`
}

/** The bytes of a file of `count` items whose lines have `lines` bytes together. */
function bytesOfFile({ separator, frame }: ExportFormat, lines: number, count: number): number {
  const around = frame ? frame.start(undefined) + (count > 0 ? frame.lineEnd : '') + frame.end : ''
  return Buffer.byteLength(around) + lines + separator.length * Math.max(0, count - 1)
}
