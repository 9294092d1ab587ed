import { z } from 'zod'
import type { Problem } from '../errors/errors.ts'
import { parseJson } from '../json.ts'
import { DEFAULTS, datasetConnectionArguments, itemConnectionArguments, parseArguments, uuid } from './arguments.ts'
import type { Item } from './models.ts'
import type { DatasetPosition } from './snapshot/dataset-list.ts'
import { ITEM_SORTS, type ItemSort, SORTS } from './sorts.ts'
import type { Bounds, ItemPosition } from './sql/item-list.ts'

/*
 * Cursors are opaque: base64url of a JSON array, which has the position of an item or a dataset in its list.
 */

/** The list of an item (dataset, sort) and its position in the list (value, id). */
const itemContent = z.tuple([uuid, z.enum(ITEM_SORTS), z.string(), uuid])

/** The position of a dataset in the list of datasets: its name and id. */
const datasetContent = z.tuple([z.string(), uuid])

const encode = (content: z.output<typeof itemContent | typeof datasetContent>) =>
  Buffer.from(JSON.stringify(content)).toString('base64url')

const contentOf = (cursor: string) => parseJson(Buffer.from(cursor, 'base64url').toString())

const NO_CURSOR = 'must be a cursor of this list'

/** The position of an item in a list by `sort`. */
export function positionOf(item: Item, sort: ItemSort): ItemPosition {
  return { value: SORTS[sort].toText(item), id: item.id }
}

/** The cursor of an item in its dataset's list by `sort`. */
export function encodeCursor(item: Item, sort: ItemSort): string {
  const { value, id } = positionOf(item, sort)
  return encode([item.datasetId, sort, value, id])
}

/** The cursor of a dataset in the list of datasets. */
export const encodeDatasetCursor = ({ name, id }: DatasetPosition) => encode([name, id])

/** The arguments of a dataset's item connection: the first or last items, or those after or before a position. */
export type ItemConnectionArguments = z.output<typeof itemConnectionArguments> & Bounds<ItemPosition>

/** The same of the connection of datasets. */
export type DatasetConnectionArguments = z.output<typeof datasetConnectionArguments> & Bounds<DatasetPosition>

interface GivenCursors {
  after?: string | null | undefined
  before?: string | null | undefined
  [argument: string]: unknown
}

/**
 * Parses the arguments of a dataset's item connection, and its cursors.
 * @throws `VALIDATION_FAILED`, which names every invalid argument, also a cursor of another list
 */
export function parseConnectionArguments(
  input: GivenCursors & { sort?: ItemSort | null | undefined },
  datasetId: string,
): ItemConnectionArguments {
  const list = { datasetId, sort: input.sort ?? DEFAULTS.sort }
  return parseWithCursors(itemConnectionArguments, input, (cursor) => decodeCursor(cursor, list))
}

/** The same for the connection of datasets. */
export function parseDatasetConnectionArguments(input: GivenCursors): DatasetConnectionArguments {
  return parseWithCursors(datasetConnectionArguments, input, decodeDatasetCursor)
}

/** @param decode returns the position that a cursor holds, or what is wrong with the cursor */
function parseWithCursors<Arguments, Position extends object>(
  schema: z.ZodType<Arguments>,
  { after, before, ...input }: GivenCursors,
  decode: (cursor: string) => Position | string,
): Arguments & Bounds<Position> {
  const problems: Problem[] = []
  const positionIn = (field: string, cursor: string | null | undefined) => {
    const position = cursor == null ? undefined : decode(cursor)
    if (typeof position === 'string') problems.push({ field, message: position })
    else return position
  }
  const bounds = { after: positionIn('after', after), before: positionIn('before', before) }
  return { ...parseArguments(schema, input, problems), ...bounds }
}

function decodeCursor(cursor: string, list: { datasetId: string; sort: ItemSort }): ItemPosition | string {
  const parsed = itemContent.safeParse(contentOf(cursor))
  if (!parsed.success) return NO_CURSOR
  const [datasetId, sort, value, id] = parsed.data
  if (datasetId !== list.datasetId) return 'is a cursor of another dataset'
  if (sort !== list.sort) return `is a cursor of a list by ${sort}`
  return SORTS[sort].isValue(value) ? { value, id } : NO_CURSOR
}

function decodeDatasetCursor(cursor: string): DatasetPosition | string {
  const parsed = datasetContent.safeParse(contentOf(cursor))
  if (!parsed.success) return NO_CURSOR
  const [name, id] = parsed.data
  return { name, id }
}
