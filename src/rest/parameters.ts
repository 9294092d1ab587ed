import type { GraphQLEnumType } from 'graphql'
import { z } from 'zod'
import * as domain from '../catalog/arguments.ts'
import { mapFilters } from '../catalog/filters.ts'
import { ITEM_SORTS } from '../catalog/sorts.ts'
import { enumName } from '../graphql/enum-words.ts'
import { enumType } from '../graphql/schema.ts'

/*
 * Parses the text of each parameter. catalog/arguments.ts checks the values.
 */

/** A whole number, such as `20`. */
export const wholeNumber = z
  .string()
  .regex(/^[0-9]+$/, 'must be a whole number in decimal digits')
  .transform(Number)

const NUMBER = '[+-]?[0-9]+(\\.[0-9]+)?'

const decimalNumber = z
  .string()
  .regex(new RegExp(`^${NUMBER}$`), 'must be a plain decimal number')
  .transform(Number)

/** One of the words of a GraphQL enum, which becomes its name. The error lists the words in the given order. */
function enumParameter(words: readonly string[], type: GraphQLEnumType) {
  return z.enum(words, `must be one of ${words.join(', ')}`).transform((word) => enumName(type, word))
}

const page = wholeNumber.pipe(domain.page).optional()
const limit = wholeNumber.pipe(domain.limit).optional()

/** For routes without query parameters. */
export const noParameters = z.object({})

/** The query parameters of the item list. The specification has only two of the filters. */
export const itemListParameters = z.object({
  page,
  limit,
  sort: enumParameter(ITEM_SORTS, enumType('ItemSort')).optional(),
  order: enumParameter(domain.SORT_ORDERS, enumType('SortOrder')).optional(),
  administrativeAreaCode: domain.filterValue.optional(),
  categoryCode: domain.filterValue.optional(),
  parentItemId: z
    .string()
    .transform((text) => (text === 'null' ? null : text))
    .pipe(z.union([z.null(), domain.uuid], 'must be a UUID or null'))
    .optional(),
})

const required = (schema: z.ZodType<number, string>) => z.string('is required').pipe(schema)

/** The query parameters of the nearby search: degrees and metres. */
export const nearbyParameters = z.object({
  latitude: required(decimalNumber.pipe(domain.latitude)),
  longitude: required(decimalNumber.pipe(domain.longitude)),
  radius: decimalNumber.pipe(domain.radius).optional(),
  datasetId: domain.datasetId.optional(),
  page,
  limit,
})

const BOX = new RegExp(`^${NUMBER}(,${NUMBER}){3}$`)

/** A box as west,south,east,north. The error names the parameter, and the edge in its message. */
const box = z
  .string()
  .regex(BOX, { error: 'must be west,south,east,north in decimal degrees', abort: true })
  .transform((text, context) => {
    const [west, south, east, north] = text.split(',').map(Number)
    const parsed = domain.boundingBox.safeParse({ west, south, east, north })
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) context.addIssue(`has a ${path.join('.')} that ${message}`)
    return z.NEVER
  })

/** What a search and a map tile select items by, besides filters. */
const place = {
  text: domain.searchText.optional(),
  within: box.optional(),
  latitude: decimalNumber.pipe(domain.latitude).optional(),
  longitude: decimalNumber.pipe(domain.longitude).optional(),
  radius: decimalNumber.pipe(domain.radius).optional(),
}

/** The query parameters of the search. Unknown parameters are refused. */
export const searchParameters = z.strictObject({
  ...place,
  datasetId: domain.datasetId.optional(),
  administrativeAreaCode: domain.filterValue.optional(),
  categoryCode: domain.filterValue.optional(),
  page,
  limit,
})

const filters = mapFilters(() => domain.filterValue.optional())

/** The query parameters of a map tile. Unknown parameters are refused. */
export const tileParameters = z.strictObject({ ...place, ...filters })

/** The query parameters of an export. Unknown parameters are refused. */
export const exportParameters = z.strictObject(filters)

/** The query parameters of an export as CSV. */
export const csvParameters = z.strictObject({
  ...filters,
  flat: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((word) => word === 'true')
    .optional(),
})
