import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import type { ItemField } from '../catalog/columns.ts'
import { jsonReason, parseExactJson } from '../json.ts'
import {
  coordinate,
  exactKeywordList,
  exactText,
  imageList,
  indexedText,
  jsonObject,
  keywordList,
  MAX_INDEXED_LENGTH,
  optionalText,
  plainText,
  timestamp,
} from './field-schemas.ts'
import type { Fields } from './formats/source.ts'
import { describeIssues, ISSUE_OPTIONS, type RowIdentity } from './problem.ts'

/** Accepts a value, or its JSON as text, because a CSV cell contains only text. */
const jsonOr = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string' || value === '') return value === '' ? undefined : value
    try {
      return parseExactJson(value)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      context.addIssue({ code: 'custom', message: `is not JSON: ${jsonReason(error)}` })
      return z.NEVER
    }
  }, schema)

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())

const required = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .unknown()
    .refine((value) => value !== undefined && value !== null && value !== '', { error: 'is required', abort: true })
    .pipe(schema)

/** The fields of a row: the fields of an item, its images, and the parent by its `externalId`. */
type RowField = Exclude<ItemField, 'datasetId'> | 'images' | 'parentExternalId'

/**
 * @param externalId is the schema of an externalId that may be missing
 * @param nullableText is the schema of text that may be null
 * @param code is the schema of the codes
 * @param keywords is the schema of the keywords
 */
const rowSchema = (
  externalId: z.ZodType<string | null | undefined>,
  nullableText: typeof optionalText,
  code: z.ZodType<string>,
  keywords: typeof keywordList | typeof exactKeywordList,
) =>
  z
    .object({
      id: optional(uuid),
      externalId: externalId.transform((value) => value ?? null),
      name: required(indexedText(MAX_INDEXED_LENGTH.name)),
      description: plainText,
      administrativeAreaCode: required(code),
      categoryCode: required(code),
      parentItemId: optional(uuid),
      parentExternalId: optionalText,
      streetAddress: plainText,
      addressRegion: nullableText,
      addressLocality: nullableText,
      postalCode: nullableText,
      roadAddress: nullableText,
      jibunAddress: nullableText,
      latitude: required(coordinate(90)),
      longitude: required(coordinate(180)),
      thumbnailUrl: nullableText,
      createdAt: optional(timestamp),
      updatedAt: optional(timestamp),
      contactName: plainText,
      telephone: plainText,
      email: nullableText,
      url: plainText,
      openingHours: nullableText,
      keywords,
      extraAttributes: jsonOr(jsonObject.nullish()),
      images: jsonOr(imageList(nullableText).nullish()),
    } satisfies Record<RowField, z.ZodType>)
    .refine((row) => row.id !== undefined || row.externalId !== null, {
      path: ['id'],
      error: 'or externalId is required',
    })
    .refine((row) => row.parentItemId === undefined || row.parentExternalId === null, {
      path: ['parentItemId'],
      error: 'and parentExternalId are two names for one thing; give one',
    })

const exactCode = indexedText(MAX_INDEXED_LENGTH.code)
/** A code is matched exactly, so spaces around it would make another one. */
const trimmedCode = exactCode.transform((value) => value.trim())

const givenId = indexedText(MAX_INDEXED_LENGTH.externalId)

const plainRow = rowSchema(optional(givenId), optionalText, trimmedCode, keywordList)
/** A row whose members are stored as they are: an empty string is a value. */
const exactRow = rowSchema(givenId.nullish(), exactText, exactCode, exactKeywordList)

/** An item as a row gives it. Its id, and what follows from that, are not there yet. */
export type RowItem = z.output<typeof plainRow>

/** The names of all fields that a row may have. */
export const ROW_FIELDS = plainRow.keyof().options

/** Whether an import accepts a value for a field, as far as the value alone shows. */
export function acceptsValue(field: keyof typeof plainRow.shape, value: unknown): boolean {
  return plainRow.shape[field].safeParse(value).success
}

/**
 * Returns the `id` and `externalId` of a row, or undefined if it has neither. If one of them is not valid, the other one may be new
 * in this file, and no stored item has it. So such a row names no item.
 */
export function identityOf(fields: Fields): RowIdentity | undefined {
  const id = plainRow.shape.id.safeParse(fields.id)
  const externalId = plainRow.shape.externalId.safeParse(fields.externalId)
  if (!id.success || !externalId.success || (id.data === undefined && externalId.data === null)) return undefined
  return { id: id.data ?? null, externalId: externalId.data }
}

/** Why a row gives no item. */
export class Misfit {
  readonly reason: string
  readonly badFields: readonly string[]
  /** What the row has, if that is no value of a bad field. */
  readonly value: string | undefined

  constructor(reason: string, badFields: readonly string[], value?: string) {
    this.reason = reason
    this.badFields = badFields
    this.value = value
  }
}

/**
 * Returns the item of a row, or the reason why the row is bad, and its bad fields.
 * @param isExact stores the members of the row as they are: `""` is a value
 */
export function parseItem(fields: Fields, isExact: boolean): RowItem | Misfit {
  const parsed = (isExact ? exactRow : plainRow).safeParse(fields, ISSUE_OPTIONS)
  if (parsed.success) return parsed.data
  const reasons = describeIssues(parsed.error)
  const badFields = parsed.error.issues.flatMap(({ path: [field] }) => (typeof field === 'string' ? [field] : []))
  return new Misfit(
    [...reasons, looksSwapped(fields) ? 'latitude and longitude look swapped' : []].flat().join('; '),
    badFields,
  )
}

/** Whether the coordinates are out of range, and would be in range if they were swapped. */
function looksSwapped({ latitude, longitude }: Fields): boolean {
  const [givenLatitude, givenLongitude] = [Math.abs(numberOf(latitude)), Math.abs(numberOf(longitude))]
  return givenLatitude > 90 && givenLatitude <= 180 && givenLongitude <= 90
}

function numberOf(value: unknown): number {
  if (JSON.isRawJSON(value)) return Number(value.rawJSON)
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}
