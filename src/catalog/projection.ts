import { rawSql } from '../database/raw-sql.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { compactJson } from '../json.ts'
import { listOf, quoteName, type SqlText, sql } from '../sql.ts'
import { type Column, DATASET_COLUMNS, IMAGE_COLUMNS, ITEM_COLUMNS } from './columns.ts'
import type { RawJson } from './models.ts'

/*
 * Which members of items a statement reads, and the SQL for them: only the requested ones, with the images, the dataset and the parent
 * nested as JSON. Prisma would read every column, and send a statement for each relation. PostgreSQL writes all items as JSON: either
 * the text that clients receive, or records for the resolvers (`parseItems` in models.ts).
 */

/** A field of an item, `__typename` or `distance` (metres from the centre of a search), or an object or list in the item. */
export type Member =
  | string
  | { images: readonly string[] }
  | { dataset: readonly string[] }
  | { parent: Members }
  /** The item itself, where a node of a list has more than its item. */
  | { item: Members }

/** The members of an object, in the order of the response. */
export type Members = readonly Member[]

/** What a statement reads of each item. */
export interface ItemProjection {
  members: Members
  /**
   * Clients receive `json`, and `features` of GeoJSON (RFC 7946) whose properties are the members. Resolvers receive `records`: JSON
   * columns are texts in them, so that `JSON.parse` keeps their numbers.
   */
  form: 'records' | 'json' | 'features'
}

const keys = new WeakMap<ItemProjection, string>()

/** A text that is equal for equal projections. It is made once for each object, and a document has the same objects in each request. */
export function projectionKey(projection: ItemProjection): string {
  let key = keys.get(projection)
  if (key === undefined) {
    key = JSON.stringify(projection)
    keys.set(projection, key)
  }
  return key
}

/** What PostgreSQL has written of the members, without spaces. It writes them only around the values of the JSON column. */
export function withoutSpaces(json: RawJson, projection: ItemProjection): RawJson {
  return projectionKey(projection).includes('"extraAttributes"') ? compactJson(json.toString()) : json
}

/** The requested parts of a list. */
export interface ListProjection {
  /** Without it, no items are read. */
  nodes?: ItemProjection | undefined
  /** Whether to return the total. */
  total: boolean
}

/** Fields of an item without a column, and the fields that their resolvers read. */
const REQUIRED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['__typename', []],
  ['dataset', ['datasetId']],
  ['children', ['datasetId']],
  ['parent', ['parentItemId']],
  ['images', []],
])

/** GraphQL fields of an item, of its images, and of its parent. Without `images`, no images are read. */
export interface RequestedFields {
  fields: readonly string[]
  images?: readonly string[] | undefined
  parent?: RequestedFields | undefined
}

/** The records that the resolvers of GraphQL fields need. */
export function recordsWith(requested: RequestedFields): ItemProjection {
  return { members: recordMembers(requested), form: 'records' }
}

function recordMembers({ fields, images, parent }: RequestedFields): Members {
  const columns = fields.flatMap((field) => REQUIRED_FIELDS.get(field) ?? [field])
  return [
    ...new Set(['id', ...columns]),
    ...(images ? [{ images: [...new Set(['id', ...images])] }] : []),
    ...(parent ? [{ parent: recordMembers(parent) }] : []),
  ]
}

/** Records with all columns of an item, without images and parent. */
export const ALL_COLUMNS = recordsWith({ fields: [...ITEM_COLUMNS.keys()] })

/** For a list of which only the total is needed. */
export const NO_ITEMS = recordsWith({ fields: [] })

/** Default projection: records with every column, and the total. */
export const DEFAULT_LIST_PROJECTION: ListProjection = { nodes: ALL_COLUMNS, total: true }

/** The same projection for places without a distance. */
export function withoutDistance(projection: ListProjection): ListProjection {
  const { nodes, total } = projection
  if (!nodes?.members.includes('distance')) return projection
  return { total, nodes: { ...nodes, members: nodes.members.filter((member) => member !== 'distance') } }
}

/** For each model: the columns that PostgreSQL can write for clients. */
const MODELS = { Item: ITEM_COLUMNS, Image: IMAGE_COLUMNS, Dataset: DATASET_COLUMNS }
type Model = keyof typeof MODELS
const MODEL_NAMES: Record<Model, SqlText> = { Item: sql`Item`, Image: sql`Image`, Dataset: sql`Dataset` }

/** Whether PostgreSQL can write a field for clients. */
export function isWritable(model: Model, field: string): boolean {
  return field === '__typename' || MODELS[model].has(field)
}

/** Each SELECT list that was made. It follows from the projection alone, which is the same object in each request of a document. */
const selectLists = new WeakMap<ItemProjection, Map<string, Prisma.Sql>>()

/**
 * The SELECT list for the items of the table `i`. Each column has the name of its member.
 * @param more fields that records have too
 * @throws TypeError for a name that is not a field of an item
 */
export function selectMembers(projection: ItemProjection, more: readonly string[] = []): Prisma.Sql {
  const { members, form } = projection
  const lists = selectLists.get(projection) ?? new Map<string, Prisma.Sql>()
  selectLists.set(projection, lists)
  const list = lists.get(more.join()) ?? rawSql(SELECT_LISTS[form](members, more))
  lists.set(more.join(), list)
  return list
}

/**
 * SQL for an array of the items at places, in their order.
 * @param places a SELECT of their ids and of what `order` and the member `distance` need; its table is `place`
 * @param order the expressions of ORDER BY
 */
export function itemsAt(
  places: Prisma.Sql,
  order: Prisma.Sql,
  projection: ItemProjection,
  more?: readonly string[],
): Prisma.Sql {
  return arrayOf(Prisma.sql`
    SELECT ${selectMembers(projection, more)} FROM (${places}) AS place JOIN items i ON i.id = place.id ORDER BY ${order}`)
}

/** SQL for an array of the rows of a SELECT. */
export function arrayOf(rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`ARRAY(SELECT node FROM (${rows}) AS node)`
}

/** SQL for the text of an array as JSON, written as JSON.stringify does. PostgreSQL's json_agg puts spaces between the elements. */
export function jsonText(array: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`array_to_json(${array})::text`
}

/** SQL for the text of a row of columns as a JSON object. */
export function objectText(columns: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT row_to_json(record) FROM (SELECT ${columns}) AS record)::text`
}

/** For each Prisma type: SQL that converts a column to the values of models.ts. Other types need no conversion. */
const EXPRESSIONS: ReadonlyMap<string, (column: SqlText) => SqlText> = new Map([
  ['Decimal', (column: SqlText) => sql`trim_scale(${column})::text`],
  ['DateTime', toIsoExpression],
  // As text, because JSON.parse would change long numbers and move integer keys to the front.
  ['Json', (column: SqlText) => sql`${column}::text`],
])

/** SQL that converts a timestamp to the text of `toIso` (models.ts). The time zone of the session does not matter. */
export function toIsoExpression(timestamp: SqlText): SqlText {
  return sql`to_char(${timestamp} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** SQL for a column, converted to the values of models.ts. `table` is the table's alias in the statement. */
function selectColumn(table: SqlText, { name, type }: Column): SqlText {
  const column = sql`${table}.${quoteName(name)}`
  return EXPRESSIONS.get(type)?.(column) ?? column
}

/** SQL for a column, converted to the JSON that clients receive. */
function selectRawColumn(table: SqlText, column: Column): SqlText {
  return column.type === 'Json' ? sql`${table}.${quoteName(column.name)}` : selectColumn(table, column)
}

/** The SELECT list for all columns of the images of the table `m`, as records. */
export const IMAGE_RECORD = rawSql(imageFields([...IMAGE_COLUMNS.keys()]))

/** For each form: the SELECT list for members of the table `i`. */
const SELECT_LISTS: Record<ItemProjection['form'], (members: Members, more: readonly string[]) => SqlText> = {
  records: (members, more) => selectItem(sql`i`, [...new Set([...members, ...more])], selectColumn),
  json: (members) => selectItem(sql`i`, members, selectRawColumn),
  // Longitude comes first (section 3.1.1), in degrees of WGS 84 (section 4).
  features: (members) => {
    const point = sql`'Point' AS type, ARRAY[trim_scale(i.longitude), trim_scale(i.latitude)] AS coordinates`
    const properties = asObject(sql`properties`, selectItem(sql`i`, members, selectRawColumn))
    return sql`'Feature' AS type, i.id, ${asObject(sql`geometry`, point)}, ${properties}`
  },
}

/** Returns SQL for a column of a table. */
type SelectColumn = (table: SqlText, column: Column) => SqlText

function selectItem(table: SqlText, members: Members, select: SelectColumn): SqlText {
  const expressions = members.map((member) => {
    if (member === 'distance') return sql`place.distance`
    if (typeof member === 'string') return selectField(table, 'Item', member, select)
    if ('item' in member) return asObject(sql`item`, selectItem(table, member.item, select))
    if ('parent' in member) return selectParent(table, member.parent, select)
    return 'dataset' in member ? selectDataset(table, member.dataset) : selectImages(table, member.images)
  })
  return listOf(expressions)
}

function selectField(table: SqlText, model: Model, field: string, select: SelectColumn = selectColumn): SqlText {
  if (field === '__typename') return sql`'${MODEL_NAMES[model]}' AS "__typename"`
  const column = MODELS[model].get(field)
  if (!column) throw new TypeError(`${model}.${field} has no column`)
  return sql`${select(table, column)} AS ${quoteName(field)}`
}

function asObject(name: SqlText, columns: SqlText, from = sql``): SqlText {
  return sql`(SELECT row_to_json(${name}) FROM (SELECT ${columns} ${from}) AS ${name}) AS ${name}`
}

function selectParent(table: SqlText, members: Members, select: SelectColumn): SqlText {
  const parent = sql`${table}p`
  const from = sql`FROM items ${parent} WHERE ${parent}.id = ${table}.parent_item_id`
  return asObject(sql`parent`, selectItem(parent, members, select), from)
}

function selectDataset(table: SqlText, fields: readonly string[]): SqlText {
  const columns = fields.map((field) => selectField(sql`d`, 'Dataset', field))
  return asObject(sql`dataset`, listOf(columns), sql`FROM datasets d WHERE d.id = ${table}.dataset_id`)
}

function imageFields(fields: readonly string[]): SqlText {
  return listOf(fields.map((field) => selectField(sql`m`, 'Image', field)))
}

function selectImages(table: SqlText, fields: readonly string[]): SqlText {
  return sql`array_to_json(ARRAY(SELECT image FROM (
            SELECT ${imageFields(fields)} FROM images m WHERE m.item_id = ${table}.id ORDER BY m.sort_order, m.id
          ) AS image)) AS images`
}
