import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import { FIRST_TIMESTAMP, LAST_TIMESTAMP } from '../catalog/models.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { isObject, type RawNumber, textOfNumber, tryExactJson } from '../json.ts'
import { hasText, type SourceFile } from './formats/source.ts'

// Schemas for the values of fields. Text keeps its spaces. An empty string means no value.

const MAX_TEXT_LENGTH = 100_000

/** A number from JSON, converted to text. A number with too many digits for JavaScript keeps its source text. */
const numberText = z.union([z.number().transform(String), z.custom<RawNumber>(JSON.isRawJSON).transform(textOfNumber)])

const anyText = z
  .union([z.string(), numberText], 'must be text')
  .refine((value) => value.length <= MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters long`)
  .refine((value) => !value.includes('\0'), 'must not contain NUL')
  .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')

export const text = anyText.refine((value) => value.trim() !== '', 'must not be empty')

/** Maximum lengths in characters. An index entry holds about 2,700 bytes, which fits a name and a code in any script. */
export const MAX_INDEXED_LENGTH = { name: 500, code: 100, externalId: 500 } as const

export const indexedText = (maximum: number) =>
  text.refine((value) => value.length <= maximum, `must be at most ${maximum} characters long`)

/** Text, or null for no value. */
export const optionalText = anyText.nullish().transform((value) => (value === undefined || value === '' ? null : value))

/** Text, which may be empty, or null for no value. */
export const exactText = anyText.nullish().transform((value) => value ?? null)

/** Text, or the empty string for no value. */
export const plainText = anyText.nullish().transform((value) => value ?? '')

const TIMESTAMP_ERROR =
  'must be an ISO 8601 date, or a date and time with seconds and an offset, such as 2026-01-31T09:00:00Z'

const FIRST_MS = Date.parse(FIRST_TIMESTAMP)
const LAST_MS = Date.parse(LAST_TIMESTAMP)

/** A timestamp with its offset, or a date (midnight UTC). Converts it to ISO 8601 in UTC, to the millisecond. */
export const timestamp = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], TIMESTAMP_ERROR)
  .refine(
    (value) => Date.parse(value) >= FIRST_MS && Date.parse(value) <= LAST_MS,
    `must be from ${FIRST_TIMESTAMP} to ${LAST_TIMESTAMP}`,
  )
  .transform((value) => new Date(value).toISOString())

const DECIMAL = /^[+-]?\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/
const DECIMAL_PLACES = 7

/** A coordinate in degrees. Rounds it to 7 decimals (half away from zero), and converts it to decimal text without exponent. */
export const coordinate = (limit: number) =>
  z
    .union([z.string().transform((value) => value.trim()), numberText], 'must be a decimal number')
    .refine((value) => DECIMAL.test(value), { error: 'must be a decimal number', abort: true })
    .transform((value) => new Prisma.Decimal(value))
    .refine((value) => value.abs().lte(limit), `must be from ${-limit} to ${limit}`)
    .transform((value) => value.toDecimalPlaces(DECIMAL_PLACES, Prisma.Decimal.ROUND_HALF_UP).plus(0).toFixed())

const MAX_DEPTH = 32

/** PostgreSQL's numeric has at most this many digits after the point. */
const MAX_DECIMALS = 16_383

/** A JSON object that PostgreSQL can store. Not `z.record`, which drops the key `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .refine(
    (value) => isStorable(value, MAX_DEPTH),
    `must hold well-formed text without NUL and finite numbers with at most ${MAX_DECIMALS} decimals, at most ${MAX_DEPTH} levels deep`,
  )

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (JSON.isRawJSON(value)) return decimalsOf(value.rawJSON) <= MAX_DECIMALS
  return (
    depth > 0 && Object.entries(value).every(([key, member]) => isStorable(key, 0) && isStorable(member, depth - 1))
  )
}

/** Counts the digits after the point of a JSON number when it is written without an exponent. */
function decimalsOf(number: string): number {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [, fraction = ''] = mantissa.split('.')
  return fraction.length - Number(exponent)
}

/** The fields of an item whose codes may have labels. */
export const LABELLED_FIELDS = ['administrativeAreaCode', 'categoryCode'] as const

/** A row of the table `code_labels`. */
export interface CodeLabel {
  field: (typeof LABELLED_FIELDS)[number]
  code: string
  label: string
}

/** The file of a field's labels, with the columns of the codes and the labels. */
export interface LabelFile extends SourceFile {
  field: CodeLabel['field']
  columns: { code: string; label: string }
}

/** The labels of a field: a list, or a file. */
export type LabelSource = LabelFile | (Pick<CodeLabel, 'field'> & { labels: readonly Omit<CodeLabel, 'field'>[] })

/** A code and its label. Labels have the maximum length of names. */
export const codeLabel = z.object({
  code: indexedText(MAX_INDEXED_LENGTH.code),
  label: text.refine((value) => value.length <= MAX_INDEXED_LENGTH.name, {
    error: `must be at most ${MAX_INDEXED_LENGTH.name} characters long`,
  }),
})

const MAX_KEYWORDS = 1_000

const listOf = (keyword: z.ZodType<string>) =>
  z.array(keyword, 'must be a list of texts').max(MAX_KEYWORDS, `must be at most ${MAX_KEYWORDS} texts`)

/** The keywords of a row, each once and without the spaces around it. Empty ones are dropped. */
export const keywordList = z.preprocess(
  (given) => valuesOf(given).filter(hasText),
  listOf(indexedText(MAX_INDEXED_LENGTH.name).transform((text) => text.trim())).transform((texts) => [
    ...new Set(texts),
  ]),
)

/** The keywords of a row, as they are. */
export const exactKeywordList = z.preprocess((given) => given ?? [], listOf(anyText))

/** The values of a cell or member: the elements of a list, also one in JSON, as an export writes it, or the parts between semicolons or commas. */
export function valuesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return [value]
  const json = value.startsWith('[') ? tryExactJson(value) : undefined
  return json && 'value' in json && Array.isArray(json.value) ? json.value : value.split(/[;,]/)
}

/** @param url is the schema of a URL that may be missing */
const givenImage = (url: typeof optionalText) =>
  z.strictObject({
    id: uuid.optional(),
    originalUrl: text,
    cdnUrl: url,
    thumbnailSmallUrl: url,
    thumbnailMediumUrl: url,
    thumbnailLargeUrl: url,
    altText: plainText,
    sortOrder: z
      .preprocess(
        (value) => (JSON.isRawJSON(value) ? Number(value.rawJSON) : value),
        z
          .number('must be a whole number')
          .refine(Number.isInteger, 'must be a whole number')
          .min(0, 'must be at least 0')
          .max(2_147_483_647, 'must be at most 2147483647'),
      )
      .nullish(),
    isPrimary: z.boolean('must be true or false').nullish(),
  })

/** The schema of the images in a row. @param url is the schema of a URL that may be missing */
export const imageList = (url: typeof optionalText) =>
  z
    .array(givenImage(url), 'must be a list')
    .refine((images) => images.filter((image) => image.isPrimary).length <= 1, 'must have at most one that is primary')

export type GivenImage = z.output<ReturnType<typeof givenImage>>
