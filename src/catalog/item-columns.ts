import { Prisma } from '../generated/prisma/client.ts'
import { type Column, DATASET_COLUMNS, IMAGE_COLUMNS, ITEM_COLUMNS, selectColumn, selectRawColumn } from './columns.ts'

/*
 * The SELECT list for items: only the requested fields, with the images and the parent nested as JSON. Prisma would read
 * every column, and send a statement for each relation.
 */

/** The requested fields of an item. */
export interface ItemProjection {
  /** Names of GraphQL fields, with or without a column. */
  fields: readonly string[]
  /** The requested fields of its images; without it, no images are read. */
  images?: readonly string[]
  parent?: ItemProjection
}

/** The JSON members of an item in the order of the response. PostgreSQL writes the JSON that clients receive. */
export type RawItem = readonly (
  | string
  | { images: readonly string[] }
  | { dataset: readonly string[] }
  | { parent: RawItem }
)[]

/** The JSON members of an item near a point, in the order of the response. */
export interface RawNearby {
  members: readonly ('distance' | { item: RawItem })[]
  /** Whether the members of the item are not in an object of their own, as in REST. */
  isFlat: boolean
}

/** Fields of an item without a column, and the fields that their resolvers read. */
const REQUIRED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['__typename', []],
  ['dataset', ['datasetId']],
  ['children', ['datasetId']],
  ['parent', ['parentItemId']],
  ['images', []],
])

/** All columns of an item, without images and parent. */
export const ALL_ITEM_FIELDS: ItemProjection = { fields: [...ITEM_COLUMNS.keys()] }

/** For each model: the columns that PostgreSQL can write for clients. */
const MODELS = { Item: ITEM_COLUMNS, Image: IMAGE_COLUMNS, Dataset: DATASET_COLUMNS }
type Model = keyof typeof MODELS

/** Whether PostgreSQL can write a field for clients. */
export function isRawField(model: Model, field: string): boolean {
  return field === '__typename' || MODELS[model].has(field)
}

/** A prepared GraphQL document always passes the same projection objects, so each SELECT list is built once. */
const selectLists = new WeakMap<ItemProjection | RawItem, Map<string, Prisma.Sql>>()

function cached(key: ItemProjection | RawItem, variant: string, make: () => string): Prisma.Sql {
  const variants = selectLists.get(key) ?? new Map<string, Prisma.Sql>()
  const existing = variants.get(variant)
  if (existing) return existing
  // The text consists of constants and of columns that exist: `selectField` throws for every other name.
  const list = Prisma.raw(make())
  selectLists.set(key, variants.set(variant, list))
  return list
}

const keys = new WeakMap<ItemProjection | RawItem | RawNearby, string>()

/** A text that is equal for equal projections. */
export function projectionKey(projection: ItemProjection | RawItem | RawNearby): string {
  const known = keys.get(projection)
  if (known !== undefined) return known
  const key = JSON.stringify(projection)
  keys.set(projection, key)
  return key
}

/**
 * The SELECT list for the projected items of the table `i`. Each column has the name of its field.
 * @param extraFields to read too
 * @throws TypeError for a name that is not a field of an item
 */
export function itemColumns(projection: ItemProjection, extraFields: readonly string[] = []): Prisma.Sql {
  return cached(projection, extraFields.join(), () => selectItem('i', membersOf(projection, extraFields), selectColumn))
}

/**
 * The SELECT list for the members of the items of the table `i`, in their order.
 * @throws TypeError for a name that is not a field of an item.
 */
export function rawItemColumns(members: RawItem): Prisma.Sql {
  return cached(members, '', () => selectItem('i', members, selectRawColumn))
}

function membersOf({ fields, images, parent }: ItemProjection, extraFields: readonly string[] = []): RawItem {
  const columns = fields.flatMap((field) => REQUIRED_FIELDS.get(field) ?? [field])
  return [
    ...new Set(['id', ...columns, ...extraFields]),
    ...(images ? [{ images: [...new Set(['id', ...images])] }] : []),
    ...(parent ? [{ parent: membersOf(parent) }] : []),
  ]
}

/** Returns SQL for a column of a table (columns.ts). */
type SelectColumn = (table: string, column: Column) => string

function selectItem(table: string, members: RawItem, select: SelectColumn): string {
  const expressions = members.map((member) => {
    if (typeof member === 'string') return selectField(table, 'Item', member, select)
    if ('parent' in member) return selectParent(table, member.parent, select)
    return 'dataset' in member ? selectDataset(table, member.dataset) : selectImages(table, member.images)
  })
  return expressions.join(', ')
}

function selectField(table: string, model: Model, field: string, select: SelectColumn = selectColumn): string {
  if (field === '__typename') return `'${model}' AS "__typename"`
  const column = MODELS[model].get(field)
  if (!column) throw new TypeError(`${model}.${field} has no column`)
  return `${select(table, column)} AS "${field}"`
}

function selectParent(table: string, members: RawItem, select: SelectColumn): string {
  const parent = `${table}p`
  return `(SELECT row_to_json(parent) FROM (
            SELECT ${selectItem(parent, members, select)} FROM items ${parent} WHERE ${parent}.id = ${table}.parent_item_id
          ) AS parent) AS parent`
}

function selectDataset(table: string, fields: readonly string[]): string {
  const columns = fields.map((field) => selectField('d', 'Dataset', field))
  return `(SELECT row_to_json(dataset) FROM (
            SELECT ${columns.join(', ')} FROM datasets d WHERE d.id = ${table}.dataset_id
          ) AS dataset) AS dataset`
}

function selectImages(table: string, fields: readonly string[]): string {
  const columns = fields.map((field) => selectField('m', 'Image', field))
  return `array_to_json(ARRAY(SELECT image FROM (
            SELECT ${columns.join(', ')} FROM images m WHERE m.item_id = ${table}.id ORDER BY m.sort_order, m.id
          ) AS image)) AS images`
}
