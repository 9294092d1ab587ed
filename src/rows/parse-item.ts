import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import type { ItemField } from '../catalog/columns.ts'
import { tryExactJson } from '../json.ts'
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
    const json = tryExactJson(value)
    if ('value' in json) return json.value
    context.addIssue({ code: 'custom', message: `is not JSON: ${json.reason}` })
    return z.NEVER
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

const givenId = indexedText(MAX_INDEXED_LENGTH.externalId)
const exactCode = indexedText(MAX_INDEXED_LENGTH.code)
/** A code is matched exactly, so spaces around it would make another one. */
const trimmedCode = exactCode.transform((value) => value.trim())

function rowSchema(isExact: boolean) {
  const nullableText = isExact ? exactText : optionalText
  const code = isExact ? exactCode : trimmedCode
  return z
    .object({
      id: optional(uuid),
      externalId: (isExact ? givenId.nullish() : optional(givenId)).transform((value) => value ?? null),
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
      keywords: isExact ? exactKeywordList : keywordList,
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
}

const plainRow = rowSchema(false)
const exactRow = rowSchema(true)

/** An item as a row gives it. Its id, and what follows from that, are not there yet. */
export type RowItem = z.output<typeof plainRow>

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

/** Returns the item of a row, or why it has none. @param isExact stores the members as they are: an empty string is a value */
export function parseItem(fields: Fields, isExact: boolean): RowItem | Misfit {
  const parsed = (isExact ? exactRow : plainRow).safeParse(fields, ISSUE_OPTIONS)
  if (parsed.success) return parsed.data
  const reasons = describeIssues(parsed.error)
  const badFields = parsed.error.issues.flatMap(({ path: [field] }) => (typeof field === 'string' ? [field] : []))
  if (looksSwapped(fields)) reasons.push('latitude and longitude look swapped')
  return new Misfit(reasons.join('; '), badFields)
}

/** Whether the coordinates are out of range, and would be in range if they were swapped. */
function looksSwapped({ latitude, longitude }: Fields): boolean {
  const [north, east] = [Math.abs(Number(latitude)), Math.abs(Number(longitude))]
  return north > 90 && north <= 180 && east <= 90
}
