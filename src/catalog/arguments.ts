import { z } from 'zod'
import { type Problem, validationFailed } from '../errors/errors.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { mapFilters } from './filters.ts'
import type { Circle, Selection } from './selection.ts'
import { ITEM_SORTS, type ItemSort } from './sorts.ts'

/*
 * The valid values and the default of every argument. GraphQL arguments are parsed with these schemas, and so are REST
 * parameters after their text is converted. Null means "not given", except for parentItemId.
 */

const between = (minimum: number, maximum: number, number: z.ZodNumber) =>
  number.min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`)

const wholeNumber = (minimum: number, maximum: number) =>
  between(minimum, maximum, z.number('must be a whole number')).refine(Number.isInteger, 'must be a whole number')

const number = (minimum: number, maximum: number) => between(minimum, maximum, z.number('must be a number'))

/** Whether a text has at most this number of code points. Each takes one or two units of its length. */
const isWithin = (value: string, maxLength: number) =>
  value.length <= maxLength || (value.length <= 2 * maxLength && [...value].length <= maxLength)

// PostgreSQL can't store NUL in text, and its driver would send half of a surrogate pair as U+FFFD, which is another text.
const textUpTo = (maxLength: number) =>
  z
    .string('must be text')
    .min(1, 'must not be empty')
    .refine((value) => isWithin(value, maxLength), `must be at most ${maxLength} characters long`)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')
    .meta({ maxLength })

const text = textUpTo(1_000)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/
export const MAX_SLUG_LENGTH = 200

/** Whether a text is a UUID, in any letter case. */
export const isUuid = (value: string) => UUID.test(value)
/** Whether a text has the form of a slug. A UUID is not a slug, so the two can't be confused. */
export const isSlug = (value: string) => SLUG.test(value) && !isUuid(value)

/** A UUID, converted to lower case. */
export const uuid = z
  .string('must be a UUID')
  .regex(UUID, 'must be a UUID')
  .transform((value) => value.toLowerCase())

/** A page number. It fits into GraphQL's 32-bit signed Int. */
export const page = wholeNumber(1, 2_147_483_647)
/** Maximum page size. */
export const MAX_LIMIT = 100

export const limit = wholeNumber(1, MAX_LIMIT)
/** Degrees, as /v1 has them: the bounds hold for the number as written. */
export const latitude = number(-90, 90)
/** Degrees, as /v1 has them. */
export const longitude = number(-180, 180)

/** Degrees. Libraries compute the edge of the world with an error that is smaller: 180.00000000000003. */
const TOLERANCE = 1e-9

/** Degrees of a point. Beyond the edge of the world, by at most the tolerance, they are the edge. */
const nearEdge = (bound: number, valid: z.ZodType<number, number>) =>
  z
    .number('must be a number')
    .transform((given) => (Math.abs(given) <= bound + TOLERANCE ? Math.max(-bound, Math.min(bound, given)) : given))
    .pipe(valid)

const pointLatitude = nearEdge(90, latitude)
const pointLongitude = nearEdge(180, longitude)
/** Metres. */
export const radius = number(1, 50_000)
/** The value of a filter. */
export const filterValue = text
/** A UUID, or null for root items. */
export const parentItemId = uuid.nullable()
/** A UUID or slug. The catalog checks whether the dataset exists. */
const datasetId = text

export const DEFAULTS = { page: 1, limit: 20, sort: 'name', order: 'asc', radius: 1000 } as const
const SORT_ORDERS = ['asc', 'desc'] as const
export type SortOrder = (typeof SORT_ORDERS)[number]

const orDefault = <Value>(schema: z.ZodType<Value>, value: Value) =>
  schema.nullish().transform((given) => given ?? value)
const optional = <Value>(schema: z.ZodType<Value>) => schema.nullish().transform((given) => given ?? undefined)

const paging = { page: orDefault(page, DEFAULTS.page), limit: orDefault(limit, DEFAULTS.limit) }

/** `page` and `limit`. */
export const pageArguments = z.object(paging)

const filters = mapFilters(() => optional(filterValue))

const listing = {
  sort: orDefault<ItemSort>(z.enum(ITEM_SORTS), DEFAULTS.sort),
  order: orDefault<SortOrder>(z.enum(SORT_ORDERS), DEFAULTS.order),
  ...filters,
  parentItemId: parentItemId.optional(),
}

/** The arguments of a dataset's item list. A null `parentItemId` selects the root items. */
export const itemListArguments = z.object({ ...paging, ...listing })

const pageSizes = { first: optional(limit), last: optional(limit) }

const isOneSize = ({ first, last }: { [Name in keyof typeof pageSizes]: number | undefined }) =>
  first === undefined || last === undefined
const TWO_SIZES = { path: ['last'], error: 'must not be given together with first' }

/** The arguments of a dataset's item connection without its cursors (cursor.ts). */
export const itemConnectionArguments = z.object({ ...listing, ...pageSizes }).refine(isOneSize, TWO_SIZES)

/** The same of the connection of datasets. */
export const datasetConnectionArguments = z.object(pageSizes).refine(isOneSize, TWO_SIZES)

/** The arguments of a nearby search; the radius is in metres. */
export const nearbyArguments = z
  .object({
    latitude: pointLatitude,
    longitude: pointLongitude,
    radius: orDefault(radius, DEFAULTS.radius),
    datasetId: optional(datasetId),
    ...filters,
    ...paging,
  })
  .transform(({ latitude, longitude, radius, ...args }) => ({ ...args, circle: { latitude, longitude, radius } }))

/** A text to search for. */
const searchText = textUpTo(200).refine(
  (value) => value === '' || /\P{White_Space}/u.test(value),
  'must not be only white space',
)

/** An edge of a box. So near to the edge of the world, from inside too, it is that edge: the items there are in the box. */
const edge = (bound: number, valid: z.ZodType<number, number>) =>
  nearEdge(bound, valid).transform((degrees) =>
    Math.abs(degrees) >= bound - TOLERANCE ? Math.sign(degrees) * bound : degrees,
  )

/** A box in degrees. If `west` is greater than `east`, it crosses the antimeridian. */
export const boundingBox = z
  .object({
    west: edge(180, longitude),
    south: edge(90, latitude),
    east: edge(180, longitude),
    north: edge(90, latitude),
  })
  .refine(({ south, north }) => south <= north, { path: ['south'], error: 'must be at most north' })

/** The arguments of a search for items by name or keyword, in a box, or both. */
export const searchArguments = z
  .object({
    text: optional(searchText),
    within: optional(boundingBox),
    datasetId: optional(datasetId),
    ...filters,
    ...paging,
  })
  .refine(({ text, within }) => text !== undefined || within !== undefined, {
    path: [],
    error: 'give text or within',
  })

/**
 * A decimal number, also with an exponent, which many programs write for small numbers. Each text matches in one way only: otherwise 11,000
 * digits before a letter would take a tenth of a second.
 */
export const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/

/** The numbers of a text that separates them with commas, as boxes are written in URLs; undefined for any other text. */
export function parseNumbers(text: string): number[] | undefined {
  const parts = text.split(',')
  return parts.every((part) => NUMBER.test(part)) ? parts.map(Number) : undefined
}

/**
 * The number of a decimal text. If the text is out of bounds and would be rounded to a bound, as 90.00000000000000001 to 90, the result
 * is out of bounds too. All bounds are whole numbers.
 */
export function parseBounded(text: string, valid: z.ZodType<number>): number {
  const rounded = Number(text)
  if (!Number.isInteger(rounded)) return rounded
  const beyond = rounded + new Prisma.Decimal(text).comparedTo(rounded)
  return valid.safeParse(beyond).success ? rounded : beyond
}

/** Days. */
export const DEFAULT_USAGE_DAYS = 30
const usageDays = wholeNumber(1, 366)

/** The arguments of the usage of a key. */
export const usageArguments = z.object({ days: orDefault(usageDays, DEFAULT_USAGE_DAYS) })

const numbers = { page, limit, radius, days: usageDays }

/** The valid numbers of each argument that a URL can have. */
export const NUMBERS: ReadonlyMap<string, z.ZodType<number, number>> = new Map(
  Object.entries({ ...numbers, latitude: pointLatitude, longitude: pointLongitude }),
)

/** The same at /v1. */
export const NUMBERS_AS_WRITTEN: typeof NUMBERS = new Map(Object.entries({ ...numbers, latitude, longitude }))

/** The valid texts of each argument that a URL can have. */
export const TEXTS: ReadonlyMap<string, z.ZodType<string, string>> = new Map(
  Object.entries({ text: searchText, datasetId, ...mapFilters(() => filterValue) }),
)

/** The words of each argument that is an enum, the default first. */
export const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ sort: ITEM_SORTS, order: SORT_ORDERS }),
)

/** The point of a search, if it has one; the radius is in metres. */
const point = { latitude: optional(pointLatitude), longitude: optional(pointLongitude), radius: optional(radius) }

type Point = { [Name in keyof typeof point]: number | undefined }

/** Adds what is wrong with a point that has only some of its members. */
function checkPoint({ latitude, longitude, radius }: Point, context: z.RefinementCtx): void {
  const isMissing = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (latitude === undefined && longitude !== undefined) isMissing('latitude', 'must be given with longitude')
  if (longitude === undefined && latitude !== undefined) isMissing('longitude', 'must be given with latitude')
  if (latitude !== undefined || longitude !== undefined) return
  if (radius !== undefined) isMissing('radius', 'must be given only with latitude and longitude')
}

/** Puts the point of a search and its radius into a circle. */
function withCircle<Rest>({ latitude, longitude, radius = DEFAULTS.radius, ...rest }: Point & Rest) {
  const circle = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude, radius }
  return { ...rest, circle }
}

/** The arguments of a search for items by name or keyword, in a box, around a point, or all of these. */
export const findArguments = z
  .object({ ...searchArguments.shape, ...point })
  .superRefine(checkPoint)
  .refine(
    ({ text, within, latitude, longitude }) => [text, within, latitude, longitude].some((given) => given !== undefined),
    { path: [], error: 'give text, within, or latitude and longitude' },
  )
  .transform(withCircle)

/** The members of an item by which a cluster of a tile can tell its shares. */
export const SHARES = ['categoryCode', 'datasetId'] as const
export type Share = (typeof SHARES)[number]

/** Selects the items that a tile shows, by every member. Without members, it selects all. */
export interface TileSelection extends Selection {
  /** Tells of each cluster how many of its items have each value. */
  shares?: Share | undefined
}

/** The arguments of a map tile: which items it shows. */
export const tileArguments = z
  .object({
    text: optional(searchText),
    within: optional(boundingBox),
    ...point,
    ...filters,
    shares: optional(z.enum(SHARES)),
  })
  .superRefine(checkPoint)
  .transform((args): TileSelection => withCircle(args))

/** The number of suggestions without a limit. */
export const DEFAULT_SUGGESTIONS = 10

/** The arguments of suggestions. */
export const suggestArguments = z.object({
  text: searchText,
  datasetId: optional(datasetId),
  within: optional(boundingBox),
  categoryCode: optional(filterValue),
  limit: orDefault(limit, DEFAULT_SUGGESTIONS),
})

export type PageArguments = z.output<typeof pageArguments>
export type ItemListArguments = z.output<typeof itemListArguments>
/** Which items a search finds, and which page of them. */
export interface FindArguments extends Selection, PageArguments {
  datasetId?: string | undefined
}
export interface NearbyArguments extends FindArguments {
  circle: Circle
}
export type SuggestArguments = z.output<typeof suggestArguments>

/**
 * Parses arguments, and fills in their defaults.
 * @param problems of other arguments
 * @throws `VALIDATION_FAILED`, which names every invalid argument
 */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  problems: readonly Problem[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success && problems.length === 0) return parsed.data
  throw validationFailed([...(parsed.error?.issues ?? []).map(toProblem), ...problems])
}

function toProblem(issue: { path: PropertyKey[]; message: string }): Problem {
  return { field: issue.path.length === 0 ? null : issue.path.map(String).join('.'), message: issue.message }
}
