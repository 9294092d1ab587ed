import { Prisma } from '../generated/prisma/client.ts'
import { type ItemField, itemColumn } from './columns.ts'
import type { Item } from './models.ts'

/*
 * The filters of item lists. A list has only the items with exactly the given value in the field of each given filter.
 */

/** A filter by one field. It needs an index on dataset, field, name and id. */
export interface Filter {
  /** SQL condition: the item `i` has this value. */
  condition: (value: string) => Prisma.Sql
  /** The name of the filter in the lists of `item_counts` (sql/item-list.ts). Without a name, a statement counts the items. */
  countedAs?: string
}

type TextField = { [Field in ItemField]: Item[Field] extends string | null ? Field : never }[ItemField]

/** A filter by a code, which has at most 100 characters. Triggers count its lists under the name. */
function codeFilter(field: TextField, countedAs: string) {
  const column = itemColumn(field)
  return { condition: (code: string) => Prisma.sql`${column} = ${code}`, countedAs } satisfies Filter
}

/**
 * A filter by a text of any length. An index entry holds only some 2,700 bytes, so the index has the condition that the text has at
 * most 100 characters. PostgreSQL uses it for statements with the same condition.
 */
function textFilter(field: TextField): Filter {
  const column = itemColumn(field)
  return {
    condition: (text) =>
      text.length <= 100
        ? Prisma.sql`${column} = ${text} AND length(${column}) <= 100`
        : Prisma.sql`${column} = ${text}`,
  }
}

/** All filters. To add one, add a row here and an index. Filters by code are in the order of the SQL function `list_name`. */
export const FILTERS = {
  administrativeAreaCode: codeFilter('administrativeAreaCode', 'area'),
  categoryCode: codeFilter('categoryCode', 'category'),
  postalCode: textFilter('postalCode'),
  addressRegion: textFilter('addressRegion'),
} satisfies { [Field in ItemField]?: Filter }

export type ItemFilter = keyof typeof FILTERS

export const ITEM_FILTERS = Object.keys(FILTERS).filter((name): name is ItemFilter => name in FILTERS)

/** The value of each filter that is given. */
export type FilterValues = { [Name in ItemFilter]?: string | undefined }

/** The given filters and their values, in the order of the table. */
export function givenFilters(values: FilterValues): [filter: ItemFilter, value: string][] {
  return ITEM_FILTERS.flatMap((filter) => {
    const value = values[filter]
    return value === undefined ? [] : [[filter, value]]
  })
}

/** The given filters by a code, and the others. */
export function splitFilters(values: FilterValues): { codes: FilterValues; texts: FilterValues } {
  const given = givenFilters(values)
  const isCode = ([filter]: [ItemFilter, string]) => 'countedAs' in FILTERS[filter]
  return {
    codes: Object.fromEntries(given.filter(isCode)),
    texts: Object.fromEntries(given.filter((filter) => !isCode(filter))),
  }
}

/** SQL condition: the item `i` has the value of each given filter. */
export function whereFilters(values: FilterValues): Prisma.Sql {
  const conditions = givenFilters(values).map(([filter, value]) => FILTERS[filter].condition(value))
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ')
}

/** Returns only the given filters of an object with more members. Equal filters have the same JSON. */
export function pickFilters(values: FilterValues): FilterValues {
  return Object.fromEntries(givenFilters(values))
}

/** Returns an object with a member for each filter. */
export function mapFilters<Value>(make: (filter: ItemFilter) => Value): Record<ItemFilter, Value> {
  const values = Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, make(filter)]))
  if (!hasEachFilter(values)) throw new TypeError('A filter has no value')
  return values
}

function hasEachFilter<Value>(values: Record<string, Value>): values is Record<ItemFilter, Value> {
  return ITEM_FILTERS.every((filter) => filter in values)
}
