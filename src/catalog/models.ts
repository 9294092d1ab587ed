import type { Dataset, Image, Item as StoredItem } from '../generated/prisma/client.ts'

/*
 * What the catalog gives. Values are as they go out, so that nothing is made of them that is only printed again.
 */

export type { Dataset, Image }

/** A moment: a Date, or a timestamp as PostgreSQL prints it in JSON, in UTC and without an offset. */
export type Timestamp = Date | string

/** An item; coordinates are plain decimal numbers in text. Of a list's items only what was asked for is there. */
export interface Item extends Omit<StoredItem, 'latitude' | 'longitude' | 'createdAt' | 'updatedAt'> {
  latitude: string
  longitude: string
  createdAt: Timestamp
  updatedAt: Timestamp
  /** Read together with the item where that was asked for. */
  images?: Image[]
  parent?: Item | null
}

/** An item as Prisma reads it, as the catalog gives it. */
export function toItem(item: StoredItem): Item {
  // Decimal's toString would give 1e-7.
  return { ...item, latitude: item.latitude.toFixed(), longitude: item.longitude.toFixed() }
}

/** ISO 8601 in UTC to the millisecond: 2026-01-31T09:00:00.000Z. */
export function toIso(moment: Timestamp): string {
  if (typeof moment !== 'string') return moment.toISOString()
  const fraction = moment.slice(19)
  return `${moment.slice(0, 19)}${fraction === '' ? '.000' : fraction.padEnd(4, '0')}Z`
}
