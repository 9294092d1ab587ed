import { rawSql } from '../database/raw-sql.ts'
import { getDatamodel } from '../generated/pothos.ts'
import type { Item, Prisma } from '../generated/prisma/client.ts'
import { quoteName, sql } from '../sql.ts'

/*
 * The columns of items, images and datasets, derived from prisma/schema.prisma. The SELECT lists (projection.ts), the sort orders (sorts.ts),
 * the filters (filters.ts), the model types (models.ts) and the import's staging table (import/) are built from these
 * columns.
 */

/** A field of an item that has a column. */
export type ItemField = keyof Item & string

export interface Column {
  /** Name in snake case, for example `category_code`. */
  name: string
  /** Prisma's name of the scalar type, for example `String`. */
  type: string
  isList: boolean
  /** Whether it is never null. */
  isRequired: boolean
}

/** The columns of the table `items`, by field. */
export const ITEM_COLUMNS = columnsOf('Item')
/** The columns of the table `images`, by field. */
export const IMAGE_COLUMNS = columnsOf('Image')
/** The columns of the table `datasets`, by field, without those of enum types. */
export const DATASET_COLUMNS = columnsOf('Dataset')

function columnsOf(model: 'Item' | 'Image' | 'Dataset'): ReadonlyMap<string, Column> {
  const fields = getDatamodel().datamodel.models[model]?.fields ?? []
  const scalars = fields.filter(({ kind }) => kind !== 'object' && kind !== 'enum')
  return new Map(
    scalars.map(({ name, type, isList, isRequired }) => [name, { name: columnName(name), type, isList, isRequired }]),
  )
}

/** Fields that GraphQL and exports have, and REST has not. */
const NOT_IN_REST = ['externalId', 'keywords']

/** The fields of an item in lists, in the order of the members in REST and in exports. */
export const LIST_FIELDS = [
  ...['id', 'datasetId', 'name', 'description', 'administrativeAreaCode', 'categoryCode', 'parentItemId'],
  ...['streetAddress', 'addressRegion', 'addressLocality', 'postalCode', 'roadAddress', 'jibunAddress'],
  ...['latitude', 'longitude', 'thumbnailUrl', 'createdAt', 'updatedAt'],
]

/** The fields of a single item: those of lists, then the others in the order of the data model. Exports have them too. */
export const DETAIL_FIELDS = [...new Set([...LIST_FIELDS, ...ITEM_COLUMNS.keys()])].filter(
  (field) => !NOT_IN_REST.includes(field),
)

/** The members of an exported item: those of the item detail without `dataset`, then `externalId` and `keywords`. */
export const EXPORT_FIELDS = [...DETAIL_FIELDS, 'images', ...NOT_IN_REST]

/** The column of an extra attribute in an export. It has a prefix, because an attribute may have the name of a member. */
export function attributeColumn(name: string): string {
  return `extraAttributes.${name}`
}

/** The name of a field's column. schema.prisma maps every field to its name in snake case. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** SQL for the column of a field of the items `i`. */
export function itemColumn(field: ItemField): Prisma.Sql {
  return rawSql(sql`i.${quoteName(columnName(field))}`)
}
