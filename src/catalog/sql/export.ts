import { Prisma } from '../../generated/prisma/client.ts'
import { IMAGE_COLUMNS, ITEM_COLUMNS } from '../columns.ts'
import {
  EXPORT_FIELDS,
  EXPORT_FORMATS,
  type ExportBatch,
  type ExportContent,
  type ExportWindow,
} from '../export-formats.ts'
import { type FilterValues, hasFilterValues } from '../filters.ts'
import { type Member, selectMembers } from '../projection.ts'

/*
 * Batches of a dataset's items, in order of id, as the lines of an export. PostgreSQL writes the lines, so that the gateway
 * only passes text on.
 */

/** A batch ends after the line that reaches this number of bytes. */
const MAX_BYTES = 1024 * 1024

const IMAGES = { images: [...IMAGE_COLUMNS.keys()].filter((field) => field !== 'itemId') }

/** The members of an exported item. */
const MEMBERS = EXPORT_FIELDS.map((field): Member => (field === 'images' ? IMAGES : field))

/** SQL of the members of an exported item, each under its name. */
export const EXPORT_MEMBERS = selectMembers({ members: MEMBERS, form: 'json' })

/** SQL for the lines of items: the columns of the row `item`, and the line that is made of them. */
export interface Lines {
  columns: Prisma.Sql
  line: Prisma.Sql
}

const AS_JSON = Prisma.sql`row_to_json(item)::text`

/** Lines of GeoJSON. The import reads their properties, so the id is one of them. */
export const FEATURE_LINES: Lines = {
  columns: selectMembers({
    members: MEMBERS.filter((member) => member !== 'latitude' && member !== 'longitude'),
    form: 'features',
  }),
  line: AS_JSON,
}

/** SQL for the lines of an export in a format. */
export function linesOf({ format, attributes }: ExportContent): Lines {
  if (format === 'geojson') return FEATURE_LINES
  if (format === 'ndjson') return { columns: EXPORT_MEMBERS, line: AS_JSON }
  const cells = EXPORT_FIELDS.filter((field) => field !== 'extraAttributes' || attributes?.length !== 0).map((field) =>
    field === 'extraAttributes' && attributes ? cellsOf(attributes) : Prisma.raw(csvCell(field)),
  )
  return { columns: EXPORT_MEMBERS, line: Prisma.sql`concat(${Prisma.join(cells, ", ',', ")})` }
}

/** SQL for a cell of each attribute: a text as it is, another value as JSON. */
function cellsOf(attributes: readonly string[]): Prisma.Sql {
  return Prisma.sql`(
    SELECT string_agg(coalesce('"' || replace(item."extraAttributes" ->> name, '"', '""') || '"', ''), ',' ORDER BY n)
      FROM unnest(${[...attributes]}::text[]) WITH ORDINALITY AS attribute (name, n))`
}

/** The names of the extra attributes of a dataset's matching items, by code point; at most `limit`. */
export async function fetchAttributes(
  prisma: Prisma.TransactionClient,
  datasetId: string,
  filters: FilterValues,
  limit: number,
): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT jsonb_object_keys(i.extra_attributes) COLLATE "C" AS name FROM items i
     WHERE i.dataset_id = ${datasetId}::uuid AND ${hasFilterValues(filters)} ORDER BY 1 LIMIT ${limit}`
  return rows.map(({ name }) => name)
}

/** RFC 4180 section 2.7. A null is an empty cell. Decimals and timestamps need no quotes. */
function csvCell(field: string): string {
  const cell = `item."${field}"`
  const { type, isList } = ITEM_COLUMNS.get(field) ?? {}
  if (type === 'Decimal' || type === 'DateTime') return cell
  const text = isList ? `to_json(${cell})::text` : `${cell}::text`
  return `'"' || replace(${text}, '"', '""') || '"'`
}

/**
 * Reads the next items of a dataset with its revision, in one statement. So two batches with the same revision show the same state
 * of the dataset.
 */
export async function fetchExportBatch(
  prisma: Prisma.TransactionClient,
  datasetId: string,
  content: ExportContent,
  { after, limit }: ExportWindow,
): Promise<ExportBatch> {
  const isAfter = after === null ? Prisma.sql`true` : Prisma.sql`i.id > ${after}::uuid`
  const isSelected = Prisma.sql`i.dataset_id = ${datasetId}::uuid AND ${hasFilterValues(content.filters ?? {})}`
  const items = Prisma.sql`${isSelected} AND ${isAfter} ORDER BY i.id LIMIT ${limit}`
  const [batch] = await prisma.$queryRaw<ExportBatch[]>`
    SELECT batch.*, NOT EXISTS (SELECT FROM items i WHERE ${isSelected} AND i.id > batch."lastId"::uuid) AS "isLast"
      FROM (SELECT (SELECT revision FROM datasets WHERE id = ${datasetId}::uuid) AS revision,
                   count(*)::integer AS count,
                   coalesce(string_agg(line, ${EXPORT_FORMATS[content.format].separator} ORDER BY id), '') AS lines,
                   max(id::text COLLATE "C") AS "lastId"
              FROM ${boundedLines(linesOf(content), items, MAX_BYTES)}) AS batch`
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
