import { Prisma } from '../generated/prisma/client.ts'

/*
 * What is read of an item: the fields that were asked for, as one JSON document that PostgreSQL makes, and in it the images and
 * the parent where they were asked for too. Prisma would read every column of every row, and each relation by itself.
 */

/** Which fields of an item are wanted. */
export interface WantedItem {
  fields: readonly string[]
  /** Which fields of its images, where they are wanted. */
  images?: readonly string[]
  parent?: WantedItem
}

type Columns = Readonly<Record<string, string>>

const ITEM_COLUMNS: Columns = {
  id: 'id',
  datasetId: 'dataset_id',
  externalId: 'external_id',
  name: 'name',
  description: 'description',
  administrativeAreaCode: 'administrative_area_code',
  categoryCode: 'category_code',
  parentItemId: 'parent_item_id',
  streetAddress: 'street_address',
  addressRegion: 'address_region',
  addressLocality: 'address_locality',
  postalCode: 'postal_code',
  roadAddress: 'road_address',
  jibunAddress: 'jibun_address',
  thumbnailUrl: 'thumbnail_url',
  contactName: 'contact_name',
  telephone: 'telephone',
  email: 'email',
  url: 'url',
  openingHours: 'opening_hours',
  extraAttributes: 'extra_attributes',
}

/** Those that need more than their name: text without trailing zeros, and UTC whatever the session's time zone. */
const ITEM_EXPRESSIONS: Readonly<Record<string, (table: string) => string>> = {
  latitude: (table) => `trim_scale(${table}.latitude)::text`,
  longitude: (table) => `trim_scale(${table}.longitude)::text`,
  createdAt: (table) => `${table}.created_at AT TIME ZONE 'UTC'`,
  updatedAt: (table) => `${table}.updated_at AT TIME ZONE 'UTC'`,
}

const IMAGE_COLUMNS: Columns = {
  id: 'id',
  itemId: 'item_id',
  originalUrl: 'original_url',
  cdnUrl: 'cdn_url',
  thumbnailSmallUrl: 'thumbnail_small_url',
  thumbnailMediumUrl: 'thumbnail_medium_url',
  thumbnailLargeUrl: 'thumbnail_large_url',
  altText: 'alt_text',
  sortOrder: 'sort_order',
  isPrimary: 'is_primary',
}

/** What the catalog itself needs of each item, to find what hangs on it and to make a cursor. */
const ALWAYS = ['id', 'datasetId', 'parentItemId']

/** All fields of an item, and nothing that hangs on it. */
export const WHOLE_ITEM: WantedItem = { fields: [...Object.keys(ITEM_COLUMNS), ...Object.keys(ITEM_EXPRESSIONS)] }

const known = new Map<string, Prisma.Sql>()
/** Documents come from strangers, and each may want other fields. */
const KNOWN_LIMIT = 1_000

/**
 * The columns of `SELECT` for the items of the table `i`, named as the fields are.
 * @param also are fields that are needed besides.
 */
export function itemColumns(wanted: WantedItem, also: readonly string[] = []): Prisma.Sql {
  const name = JSON.stringify([wanted, also])
  const before = known.get(name)
  if (before) return before
  if (known.size >= KNOWN_LIMIT) known.clear()
  // Made of this file's constants alone.
  const columns = Prisma.raw(columnsOf('i', { ...wanted, fields: [...wanted.fields, ...also] }))
  known.set(name, columns)
  return columns
}

function columnsOf(table: string, { fields, images, parent }: WantedItem): string {
  const columns = [...new Set([...ALWAYS, ...fields])].flatMap((field) => column(table, field))
  if (images) columns.push(imagesOf(table, images))
  if (parent) columns.push(parentOf(table, parent))
  return columns.join(', ')
}

function column(table: string, field: string): string[] {
  const plain = ITEM_COLUMNS[field]
  const expression = plain === undefined ? ITEM_EXPRESSIONS[field]?.(table) : `${table}.${plain}`
  return expression === undefined ? [] : [`${expression} AS "${field}"`]
}

function imagesOf(table: string, fields: readonly string[]): string {
  const columns = [...new Set(['id', ...fields])].flatMap((field) =>
    IMAGE_COLUMNS[field] === undefined ? [] : [`m.${IMAGE_COLUMNS[field]} AS "${field}"`],
  )
  return `(SELECT coalesce(json_agg(image), '[]') FROM (
            SELECT ${columns.join(', ')} FROM images m WHERE m.item_id = ${table}.id ORDER BY m.sort_order, m.id
          ) AS image) AS images`
}

function parentOf(table: string, wanted: WantedItem): string {
  const parent = `${table}p`
  return `(SELECT to_json(parent) FROM (
            SELECT ${columnsOf(parent, wanted)} FROM items ${parent} WHERE ${parent}.id = ${table}.parent_item_id
          ) AS parent) AS parent`
}
