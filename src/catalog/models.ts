import type { Dataset, Image, Prisma, Item as StoredItem } from '../generated/prisma/client.ts'
import { type Column, IMAGE_COLUMNS, ITEM_COLUMNS, type ItemField } from './columns.ts'

/*
 * The records that the catalog returns, with the values that clients receive.
 */

export type { Dataset, Image }

/** A Date from Prisma, or ISO 8601 text from PostgreSQL. */
export type Timestamp = Date | string

/** The text of a JSON value, as PostgreSQL stores it. */
export type JsonText = string

type ValueOf<Stored> = Prisma.JsonValue extends Stored
  ? JsonText
  : Stored extends Prisma.Decimal
    ? string
    : Stored extends Date
      ? Timestamp
      : Stored

type ItemColumns = { [Field in ItemField]: ValueOf<StoredItem[Field]> }

/** An item. A projected item (see `guardProjection`) has its id and the projected fields only. */
export interface Item extends ItemColumns {
  /** Present if the projection includes the images. */
  images?: Image[]
  /** Present if the projection includes the parent. */
  parent?: Item | null
}

/** The first and the last timestamp. Responses write the year with four digits, and PostgreSQL has no year 0. */
export const FIRST_TIMESTAMP = '0001-01-01T00:00:00.000Z'
export const LAST_TIMESTAMP = '9999-12-31T23:59:59.999Z'

/** Returns a timestamp in ISO 8601, in UTC, to the millisecond: 2026-01-31T09:00:00.000Z. */
export function toIso(timestamp: Timestamp): string {
  return typeof timestamp === 'string' ? timestamp : timestamp.toISOString()
}

/** Returns the item, which from now on throws a TypeError when code reads a field outside its projection. */
export function guardProjection(item: Item): Item {
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
