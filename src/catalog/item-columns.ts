import { Prisma } from '../generated/prisma/client.ts'

/*
 * What is read of an item: the fields that were asked for, as one JSON document that PostgreSQL makes, and in it the images and
 * the parent where they were asked for too. Prisma would read every column of every row, and each relation by itself.
 */

/** Which fields of an item are wanted. */
export interface ItemProjection {
  fields: readonly string[]
  /** Which fields of its images, where they are wanted. */
  images?: readonly string[]
  parent?: ItemProjection
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

/** An item as a client will read it: its members by name, in their order; and so its images and its parent. */
export type RawItem = readonly (string | { images: readonly string[] } | { parent: RawItem })[]

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

/** As they go out, where PostgreSQL writes the answer itself. */
const WRITTEN: Readonly<Record<string, (table: string) => string>> = {
  ...ITEM_EXPRESSIONS,
  __typename: () => `'Item'`,
  createdAt: (table) => rawTimestamp(`${table}.created_at`),
  updatedAt: (table) => rawTimestamp(`${table}.updated_at`),
}

const rawTimestamp = (moment: string) => `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Those whose JSON PostgreSQL writes otherwise than JSON.stringify does, or that are nobody's but the catalog's. */
const UNWRITTEN = new Set(['extraAttributes', 'externalId'])

/** What the catalog itself needs of an item, to find what hangs on it. */
const NEEDED_FOR: Readonly<Record<string, string[]>> = {
  dataset: ['datasetId'],
  children: ['datasetId'],
  parent: ['parentItemId'],
}

/** All fields of an item, and nothing that hangs on it. */
export const ALL_ITEM_FIELDS: ItemProjection = {
  fields: [...Object.keys(ITEM_COLUMNS), ...Object.keys(ITEM_EXPRESSIONS)],
}

const known = new Map<string, Prisma.Sql>()
/** Documents come from strangers, and each may want other fields. */
const KNOWN_LIMIT = 1_000

/**
 * The columns of `SELECT` for the items of the table `i`, named as the fields are.
 * @param also are fields that are needed besides.
 */
export function itemColumns(projection: ItemProjection, also: readonly string[] = []): Prisma.Sql {
  const name = JSON.stringify([projection, also])
  const before = known.get(name)
  if (before) return before
  if (known.size >= KNOWN_LIMIT) known.clear()
  // Made of this file's constants alone.
  const columns = Prisma.raw(columnsOf('i', { ...projection, fields: [...projection.fields, ...also] }))
  known.set(name, columns)
  return columns
}

/** Whether PostgreSQL can write a field of an item as it goes out. */
export function isRawItemField(field: string): boolean {
  return field in WRITTEN || (field in ITEM_COLUMNS && !UNWRITTEN.has(field))
}

/** Whether PostgreSQL can write a field of an image as it goes out. */
export function isRawImageField(field: string): boolean {
  return field === '__typename' || (field in IMAGE_COLUMNS && field !== 'itemId')
}

/** The columns of `SELECT` for the members of the items of the table `i`, in their order. */
export function rawItemColumns(members: RawItem): Prisma.Sql {
  const before = rawColumns.get(members)
  if (before) return before
  // Made of this file's constants alone.
  const columns = Prisma.raw(membersOf('i', members))
  rawColumns.set(members, columns)
  return columns
}

/** Those of a document that is kept are the same each time. */
const rawColumns = new WeakMap<RawItem, Prisma.Sql>()

function membersOf(table: string, members: RawItem): string {
  return members.map((member) => memberOf(table, member)).join(', ')
}

function memberOf(table: string, member: RawItem[number]): string {
  if (typeof member === 'string') {
    return `${WRITTEN[member]?.(table) ?? `${table}.${ITEM_COLUMNS[member]}`} AS "${member}"`
  }
  if ('parent' in member) {
    const parent = `${table}p`
    return `(SELECT row_to_json(parent) FROM (
              SELECT ${membersOf(parent, member.parent)} FROM items ${parent} WHERE ${parent}.id = ${table}.parent_item_id
            ) AS parent) AS parent`
  }
  const columns = member.images.map(
    (field) => `${IMAGE_COLUMNS[field] ? `m.${IMAGE_COLUMNS[field]}` : `'Image'`} AS "${field}"`,
  )
  return `array_to_json(ARRAY(SELECT image FROM (
            SELECT ${columns.join(', ')} FROM images m WHERE m.item_id = ${table}.id ORDER BY m.sort_order, m.id
          ) AS image)) AS images`
}

function columnsOf(table: string, { fields, images, parent }: ItemProjection): string {
  const needed = fields.flatMap((field) => NEEDED_FOR[field] ?? [])
  const columns = [...new Set(['id', ...needed, ...fields])].flatMap((field) => column(table, field))
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

function parentOf(table: string, projection: ItemProjection): string {
  const parent = `${table}p`
  return `(SELECT to_json(parent) FROM (
            SELECT ${columnsOf(parent, projection)} FROM items ${parent} WHERE ${parent}.id = ${table}.parent_item_id
          ) AS parent) AS parent`
}
