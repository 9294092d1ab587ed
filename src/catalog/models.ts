import type { Dataset, Image, Prisma, Item as StoredItem } from '../generated/prisma/client.ts'
import { type Column, IMAGE_COLUMNS, ITEM_COLUMNS, type ItemField } from './columns.ts'

/*
 * The records that the catalog returns, with the values that clients receive.
 */

export type { Dataset, Image }

/** A Date from Prisma, or ISO 8601 text from PostgreSQL. */
export type Timestamp = Date | string

/** JSON as PostgreSQL writes it: text, or bytes in UTF-8 (database/json-cells.ts). */
export type RawJson = string | Buffer

type ValueOf<Stored> = Prisma.JsonValue extends Stored
  ? string
  : Stored extends Prisma.Decimal
    ? string
    : Stored extends Date
      ? Timestamp
      : Stored

type ItemColumns = { [Field in ItemField]: ValueOf<StoredItem[Field]> }

/** An item. It has its id and the fields of its projection only. */
export interface Item extends ItemColumns {
  /** Present if the projection includes the images. */
  images?: Image[]
  /** Present if the projection includes the parent. */
  parent?: Item | null
  /** What PostgreSQL has written for clients (projection.ts). Such an item has no fields. */
  written?: RawJson
}

/** The first and the last timestamp. Responses write the year with four digits, and PostgreSQL has no year 0. */
export const FIRST_TIMESTAMP = '0001-01-01T00:00:00.000Z'
export const LAST_TIMESTAMP = '9999-12-31T23:59:59.999Z'

/** Returns a timestamp in ISO 8601, in UTC, to the millisecond: 2026-01-31T09:00:00.000Z. */
export function toIso(timestamp: Timestamp): string {
  return typeof timestamp === 'string' ? timestamp : timestamp.toISOString()
}

/** An item, and its distance from the centre of a search in metres. */
export interface NearbyItem extends Item {
  distance: number
}

/** An item that a search finds. It has a distance if the search has a circle. */
export type FoundItem = Item & Partial<NearbyItem>

/**
 * The items of a JSON array of records (projection.ts). Such an item throws a TypeError when code reads a field outside its
 * projection.
 */
export function parseItems<Record extends Item = Item>(json: RawJson): Record[] {
  const items: Record[] = JSON.parse(json.toString())
  items.forEach(guardProjection)
  return items
}

/** The item of a JSON object. */
export function parseItem(json: RawJson): Item {
  return guardProjection(JSON.parse(json.toString()))
}

/** An item that clients receive as PostgreSQL has written it. */
export function writtenItem(written: RawJson): Item {
  const item: Item = Object.create(UNPROJECTED_ITEM)
  item.written = written
  return item
}

/** Items that clients receive as PostgreSQL has written them. The list has no elements. */
export class WrittenItems<Record> extends Array<Record> {
  readonly written: RawJson

  constructor(written: RawJson) {
    super()
    this.written = written
  }
}

/** The image of a JSON object with all columns. */
export function parseImage(json: RawJson): Image {
  return JSON.parse(json.toString())
}

function guardProjection(item: Item): Item {
  Object.setPrototypeOf(item, UNPROJECTED_ITEM)
  for (const image of item.images ?? []) Object.setPrototypeOf(image, UNPROJECTED_IMAGE)
  if (item.parent) guardProjection(item.parent)
  return item
}

const UNPROJECTED_ITEM = unprojected('Item', ITEM_COLUMNS)
const UNPROJECTED_IMAGE = unprojected('Image', IMAGE_COLUMNS)

/** A prototype whose getters throw. The projected fields are own properties of the item, and hide the getters. */
function unprojected(model: string, columns: ReadonlyMap<string, Column>): object {
  const throwFor = (field: string) => ({
    get: () => {
      throw new TypeError(`${model}.${field} is not in the projection`)
    },
  })
  const getters = [...columns.keys()].map((field) => [field, throwFor(field)] as const)
  return Object.create(Object.prototype, Object.fromEntries(getters))
}
