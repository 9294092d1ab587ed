import { DEFAULTS } from '../../catalog/arguments.ts'
import { columnName } from '../../catalog/columns.ts'
import { mapFilters } from '../../catalog/filters.ts'
import { ITEM_SORTS, SORTS } from '../../catalog/sorts.ts'
import { builder } from '../builder.ts'

/*
 * Arguments that several fields share: their GraphQL types, defaults and descriptions. catalog/arguments.ts checks their values.
 */

const ItemSort = builder.enumType('ItemSort', {
  description: 'Sort key of a list of items. Ties are sorted by id, in the same direction.',
  values: Object.fromEntries(
    ITEM_SORTS.map((value) => [columnName(value).toUpperCase(), { value, description: SORTS[value].description }]),
  ),
})

const SortOrder = builder.enumType('SortOrder', {
  description: 'Sort direction.',
  values: {
    ASC: { value: 'asc', description: 'Ascending.' },
    DESC: { value: 'desc', description: 'Descending.' },
  } as const,
})

/** The arguments of a page by number. */
export const pageArgs = builder.args((t) => ({
  page: t.int({ defaultValue: DEFAULTS.page, description: 'Page number, from 1 to 2147483647.' }),
  limit: t.int({ defaultValue: DEFAULTS.limit, description: 'Page size, from 1 to 100.' }),
}))

/** The filters of a list of items. */
export const filterArgs = builder.args((t) =>
  mapFilters((filter) => {
    const words = columnName(filter).replaceAll('_', ' ')
    return t.string({ description: `Return only items with exactly this ${words}.` })
  }),
)

/** Order and filters of a dataset's items. */
export const itemListArgs = builder.args((t) => ({
  sort: t.field({ type: ItemSort, defaultValue: DEFAULTS.sort, description: 'Sort key.' }),
  order: t.field({ type: SortOrder, defaultValue: DEFAULTS.order, description: 'Sort direction.' }),
  ...filterArgs,
  parentItemId: t.id({
    description: 'Return only children of the item with this UUID. An explicit null returns only root items.',
  }),
}))
