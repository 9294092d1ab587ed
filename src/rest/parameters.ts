import { z } from 'zod'
import * as domain from '../catalog/arguments.ts'
import { ITEM_SORTS } from '../catalog/sorts.ts'

/*
 * Parses the text of each parameter. catalog/arguments.ts checks the values.
 */

const wholeNumber = z
  .string()
  .regex(/^[0-9]+$/, 'must be a whole number in decimal digits')
  .transform(Number)

const decimalNumber = z
  .string()
  .regex(/^[+-]?[0-9]+(\.[0-9]+)?$/, 'must be a plain decimal number')
  .transform(Number)

const oneOf = <Word extends string>(words: readonly Word[]) => z.enum(words, `must be one of ${words.join(', ')}`)

/** The GraphQL name of an enum value: `createdAt` is `CREATED_AT`. */
const toEnumName = (word: string) => word.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const page = wholeNumber.pipe(domain.page).optional()
const limit = wholeNumber.pipe(domain.limit).optional()

/** For routes without query parameters. Unknown parameters are ignored. */
export const noParameters = z.object({})

/** The query parameters of the item list. The specification has only two of the filters. */
export const itemListParameters = z.object({
  page,
  limit,
  sort: oneOf(ITEM_SORTS).transform(toEnumName).optional(),
  order: oneOf(domain.SORT_ORDERS).transform(toEnumName).optional(),
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
