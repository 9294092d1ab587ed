import { z } from 'zod'
import type { Problem } from '../errors.ts'
import { parseJson } from '../json.ts'
import { DEFAULTS, itemConnectionArguments, parseArguments, uuid } from './arguments.ts'
import type { Item } from './models.ts'
import { ITEM_SORTS, type ItemSort, SORTS } from './sorts.ts'
import type { ItemBounds, ItemPosition } from './sql/item-list.ts'

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

/** The arguments of a dataset's item connection: the first or last items, or those after or before a position. */
export type ItemConnectionArguments = z.output<typeof itemConnectionArguments> & ItemBounds

interface GivenArguments {
  after?: string | null | undefined
  before?: string | null | undefined
  sort?: ItemSort | null | undefined
  [argument: string]: unknown
}

/**
 * Parses the arguments of a dataset's item connection, and its cursors.
 * @throws `VALIDATION_FAILED`, which names every invalid argument, also a cursor of another list
 */
export function parseConnectionArguments(
  { after, before, ...input }: GivenArguments,
  datasetId: string,
): ItemConnectionArguments {
  const problems: Problem[] = []
  const positionIn = (field: string, cursor: string | null | undefined) => {
    const position = decodeCursor(cursor ?? undefined, { datasetId, sort: input.sort ?? DEFAULTS.sort })
    if (typeof position === 'string') problems.push({ field, message: position })
    else return position
  }
  const bounds = { after: positionIn('after', after), before: positionIn('before', before) }
  return { ...parseArguments(itemConnectionArguments, input, problems), ...bounds }
}

/** Returns the position that a cursor holds, or what is wrong with the cursor. */
function decodeCursor(
  cursor: string | undefined,
  list: { datasetId: string; sort: ItemSort },
): ItemPosition | string | undefined {
  if (cursor === undefined) return undefined
  const parsed = content.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success) return 'must be a cursor of this list'
  const [datasetId, sort, value, id] = parsed.data
  if (datasetId !== list.datasetId) return 'is a cursor of another dataset'
  if (sort !== list.sort) return `is a cursor of a list by ${sort}`
  return SORTS[sort].isValue(value) ? { value, id } : 'must be a cursor of this list'
}
