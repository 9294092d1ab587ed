import { z } from 'zod'
import { validationFailed } from '../errors.ts'
import { parseJson } from '../json.ts'
import { uuid } from './arguments.ts'
import type { Item } from './models.ts'
import { ITEM_SORTS, type ItemSort, SORTS } from './sorts.ts'
import type { ItemPosition } from './sql/item-list.ts'

/** The content of a cursor: its list (dataset, sort) and its position in the list (value, id of the item). */
const content = z.tuple([uuid, z.enum(ITEM_SORTS), z.string(), uuid])

/** The position of an item in a list by `sort`. */
export function positionOf(item: Item, sort: ItemSort): ItemPosition {
  return { value: SORTS[sort].toText(item), id: item.id }
}

/** An opaque cursor for the position of an item in its dataset's list by `sort`. */
export function encodeCursor(item: Item, sort: ItemSort): string {
  const { value, id } = positionOf(item, sort)
  return Buffer.from(JSON.stringify([item.datasetId, sort, value, id])).toString('base64url')
}

/**
 * Returns the position that a cursor holds.
 * @param field names the argument, for the error
 * @param list to which the cursor must belong
 * @throws `VALIDATION_FAILED` for text that is not a cursor, or for a cursor of another list
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
  if (!SORTS[sort].isValue(value)) throw validationFailed([{ field, message: 'must be a cursor of this list' }])
  return { value, id }
}
