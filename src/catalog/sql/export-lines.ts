import { rawSql } from '../../database/raw-sql.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { quoteName, type SqlText, sql } from '../../sql.ts'
import { EXPORT_FIELDS, IMAGE_COLUMNS, ITEM_COLUMNS } from '../columns.ts'
import { type Member, selectMembers } from '../projection.ts'

/*
 * The lines of exports, one for each item. PostgreSQL writes them, so that the gateway only passes text on.
 */

/** SQL for the cell of each member, in CSV and in arrays. */
const CELLS = EXPORT_FIELDS.map((field) => ({ field, csv: rawSql(csvCell(field)), json: rawSql(jsonCell(field)) }))

const IMAGES = { images: [...IMAGE_COLUMNS.keys()].filter((field) => field !== 'itemId') }

/** The members of an exported item. */
const MEMBERS = EXPORT_FIELDS.map((field): Member => (field === 'images' ? IMAGES : field))

/** SQL of the members of an exported item, each under its name. */
const EXPORT_MEMBERS = selectMembers({ members: MEMBERS, form: 'json' })

/** SQL for the lines of items: the columns of the row `item`, and the line that is made of them. */
export interface Lines {
  columns: Prisma.Sql
  line: Prisma.Sql
}

/** The extra attributes that have a column each; undefined if they are JSON in one column. */
export type Attributes = readonly string[] | undefined

const AS_JSON = Prisma.sql`row_to_json(item)::text`

/** JSON objects. */
export const OBJECT_LINES: Lines = { columns: EXPORT_MEMBERS, line: AS_JSON }

/** Features of GeoJSON. The import reads their properties, so the id is one of them. */
export const FEATURE_LINES: Lines = {
  columns: selectMembers({
    members: MEMBERS.filter((member) => member !== 'latitude' && member !== 'longitude'),
    form: 'features',
  }),
  line: AS_JSON,
}

/** Rows of CSV (RFC 4180). */
export function csvLines(attributes: Attributes): Lines {
  const cells = CELLS.filter(({ field }) => field !== 'extraAttributes' || attributes?.length !== 0).map(
    ({ field, csv }) => (field === 'extraAttributes' && attributes ? csvCellsOf(attributes) : csv),
  )
  return { columns: EXPORT_MEMBERS, line: Prisma.sql`concat(${Prisma.join(cells, ", ',', ")})` }
}

/** RFC 4180 section 2.7. A null is an empty cell. Decimals and timestamps need no quotes. */
function csvCell(field: string): SqlText {
  const cell = sql`item.${quoteName(field)}`
  const { type, isList } = ITEM_COLUMNS.get(field) ?? {}
  if (type === 'Decimal' || type === 'DateTime') return cell
  const text = isList ? sql`to_json(${cell})::text` : sql`${cell}::text`
  return sql`'"' || replace(${text}, '"', '""') || '"'`
}

/** SQL for a cell of each attribute: a text as it is, another value as JSON. */
function csvCellsOf(attributes: readonly string[]): Prisma.Sql {
  return Prisma.sql`(
    SELECT string_agg(coalesce('"' || replace(item."extraAttributes" ->> name, '"', '""') || '"', ''), ',' ORDER BY n)
      FROM ${named(attributes)})`
}

/** JSON arrays of the values of `EXPORT_FIELDS`. Objects are texts of JSON; attributes with columns are an array of their own. */
export function arrayLines(attributes: Attributes): Lines {
  const cells = CELLS.map(({ field, json }) =>
    field === 'extraAttributes' && attributes ? arrayOfAttributes(attributes) : json,
  )
  return { columns: EXPORT_MEMBERS, line: Prisma.sql`json_build_array(${Prisma.join(cells)})::text` }
}

function jsonCell(field: string): SqlText {
  const cell = sql`item.${quoteName(field)}`
  return ITEM_COLUMNS.get(field)?.isList ? cell : sql`${cell}::text`
}

/** SQL for an array of the attributes' values: a text as it is, another value as JSON. */
function arrayOfAttributes(attributes: readonly string[]): Prisma.Sql {
  return Prisma.sql`ARRAY(SELECT item."extraAttributes" ->> name FROM ${named(attributes)} ORDER BY n)`
}

function named(attributes: readonly string[]): Prisma.Sql {
  return Prisma.sql`unnest(${[...attributes]}::text[]) WITH ORDINALITY AS attribute (name, n)`
}
