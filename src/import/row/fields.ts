import { z } from 'zod'
import { Prisma } from '../../generated/prisma/client.ts'

/*
 * How the value of a field is read. Values stand as they are given: only what says nothing at all is no value.
 */

/** Every field that a row may have, by the names of the item detail, and two by which the source knows its items. */
export const ITEM_FIELDS = [
  'id',
  'externalId',
  'name',
  'description',
  'administrativeAreaCode',
  'categoryCode',
  'parentItemId',
  'parentExternalId',
  'streetAddress',
  'addressRegion',
  'addressLocality',
  'postalCode',
  'roadAddress',
  'jibunAddress',
  'latitude',
  'longitude',
  'thumbnailUrl',
  'createdAt',
  'updatedAt',
  'contactName',
  'telephone',
  'email',
  'url',
  'openingHours',
  'extraAttributes',
  'images',
] as const

export type ItemField = (typeof ITEM_FIELDS)[number]

const MAX_TEXT_LENGTH = 100_000

const anyText = z
  .union([z.string(), z.number().transform(String)], 'must be text')
  .refine((value) => value.length <= MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters long`)
  .refine((value) => !value.includes('\0'), 'must not contain NUL')
  .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')

/** Text that says something. */
export const text = anyText.refine((value) => value.trim() !== '', 'must not be empty')

/** An index entry has room for some 2,700 bytes: a name in any script and a code, or an external id, fit in. */
export const MAX_INDEXED_LENGTH = { name: 500, code: 100, externalId: 500 } as const

/** Text that says something and stands in an index, so that it can be sorted or found by. */
export const indexedText = (maximum: number) =>
  text.refine((value) => value.length <= maximum, `must be at most ${maximum} characters long`)

/** Text, or null for no value. */
export const optionalText = anyText.nullish().transform((value) => (value === undefined || value === '' ? null : value))

/** Text, or the empty string for no value. */
export const plainText = anyText.nullish().transform((value) => value ?? '')

/** A moment with its offset, or a date at midnight UTC, to the millisecond; it gives ISO 8601 in UTC. */
export const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be an ISO 8601 date and time with its offset')
  .transform((value) => new Date(value).toISOString())

const DECIMAL = /^[+-]?\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/
const DECIMAL_PLACES = 7

/** A coordinate in degrees, rounded to 7 decimals (half away from zero); it gives plain decimal text. */
export const coordinate = (limit: number) =>
  z
    .union([z.number().transform(String), z.string().transform((value) => value.trim())], 'must be a decimal number')
    .refine((value) => DECIMAL.test(value), { error: 'must be a decimal number', abort: true })
    .transform((value) => new Prisma.Decimal(value))
    .refine((value) => value.abs().lte(limit), `must be from ${-limit} to ${limit}`)
    .transform((value) => value.toDecimalPlaces(DECIMAL_PLACES, Prisma.Decimal.ROUND_HALF_UP).plus(0).toFixed())

const MAX_JSON_DEPTH = 32

/** A JSON object that PostgreSQL can store. */
export const jsonObject = z
  .record(z.string(), z.unknown(), 'must be an object')
  .refine((value) => isStorable(value, MAX_JSON_DEPTH), {
    error: `must hold well-formed text without NUL and finite numbers, at most ${MAX_JSON_DEPTH} levels deep`,
  })

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return (
    depth > 0 && Object.entries(value).every(([key, member]) => isStorable(key, 0) && isStorable(member, depth - 1))
  )
}
