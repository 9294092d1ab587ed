import { z } from 'zod'
import { validationFailed } from '../errors.ts'
import { type ItemSort, uuid } from './arguments.ts'
import { type Item, toIso } from './models.ts'
import type { ItemPosition } from './sql/items.ts'

/** What a cursor says, in this order: the list that it is of, and the item's place in it. */
const content = z.tuple([uuid, z.enum(['name', 'createdAt', 'updatedAt']), z.string(), uuid])

/** The place of an item in a list by `sort`. */
export function positionOf(item: Item, sort: ItemSort): ItemPosition {
  return { value: sort === 'name' ? item.name : toIso(item[sort]), id: item.id }
}

/** An opaque cursor that stands for the place of an item in its dataset's list by `sort`. */
export function encodeCursor(item: Item, sort: ItemSort): string {
  const { value, id } = positionOf(item, sort)
  return Buffer.from(JSON.stringify([item.datasetId, sort, value, id])).toString('base64url')
}

/**
 * The place that a cursor stands for, in the list of a dataset by `sort`.
 * @throws `VALIDATION_FAILED` when it is no cursor, or one of another list.
 */
export function decodeCursor(
  field: 'after' | 'before',
  cursor: string,
  list: { datasetId: string; sort: ItemSort },
): ItemPosition {
  const parsed = content.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success) throw validationFailed([{ field, message: 'must be a cursor of this list' }])
  const [datasetId, sort, value, id] = parsed.data
  if (datasetId !== list.datasetId) throw validationFailed([{ field, message: 'is a cursor of another dataset' }])
  if (sort !== list.sort) throw validationFailed([{ field, message: `is a cursor of a list by ${sort}` }])
  if (value.includes('\0') || (sort !== 'name' && !z.iso.datetime().safeParse(value).success)) {
    throw validationFailed([{ field, message: 'must be a cursor of this list' }])
  }
  return { value, id }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
