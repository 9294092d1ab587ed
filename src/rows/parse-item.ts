import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import type { ItemField } from '../catalog/columns.ts'
import { jsonReason, parseExactJson } from '../json.ts'
import {
  coordinate,
  exactText,
  indexedText,
  jsonObject,
  MAX_INDEXED_LENGTH,
  optionalText,
  plainText,
  timestamp,
} from './field-schemas.ts'
import type { Fields } from './formats/source-row.ts'
import { completePictures, type GivenPictures, type ImportedImage, imageList } from './images.ts'
import { describeIssues, ISSUE_OPTIONS } from './issues.ts'
import { exactKeywordList, keywordList } from './keywords.ts'
import { stableUuid } from './stable-uuid.ts'

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
 * @param nullableText is the schema of text that may be null
 * @param code is the schema of the codes
 * @param keywords is the schema of the keywords
 */
const rowSchema = (
  nullableText: typeof optionalText,
  code: z.ZodType<string>,
  keywords: typeof keywordList | typeof exactKeywordList,
) =>
  z
    .object({
      id: optional(uuid),
      externalId: optional(indexedText(MAX_INDEXED_LENGTH.externalId)).transform((value) => value ?? null),
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

const plainRow = rowSchema(optionalText, trimmedCode, keywordList)
/** A row whose members are stored as they are: an empty string is a value. */
const exactRow = rowSchema(exactText, exactCode, exactKeywordList)

type Row = z.output<typeof plainRow>

/** The names of all fields that a row may have. */
export const ROW_FIELDS = plainRow.keyof().options

/** Whether an import accepts a value for a field, as far as the value alone shows. */
export function acceptsValue(field: keyof typeof plainRow.shape, value: unknown): boolean {
  return plainRow.shape[field].safeParse(value).success
}

/** What names the item of a row. A bad row may name it too. */
export interface RowIdentity {
  id: string | null
  externalId: string | null
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

/** An item for the staging table. Timestamps and a parent that the row does not have are null. */
export interface ImportedItem
  extends Omit<Row, 'id' | 'parentItemId' | 'createdAt' | 'updatedAt' | 'extraAttributes' | 'images'> {
  id: string
  /** Whether the row has an `id`. Without one, the id is derived from `externalId`. */
  hasOwnId: boolean
  parentItemId: string | null
  createdAt: string | null
  updatedAt: string | null
  extraAttributes: Record<string, unknown>
  images: ImportedImage[]
  /** What images with ids that depend on the item's id were made from. It is null if there are none, or the row has an `id`. */
  given: GivenPictures | null
}

/**
 * Returns the item of a row with warnings, or the reason why the row is bad, and its bad fields.
 * @param isExact stores the members of the row as they are: `""` is a value, and nothing is derived from the images
 */
export function parseItem(
  fields: Fields,
  datasetId: string,
  isExact: boolean,
): { item: ImportedItem; warnings: string[] } | { problem: string; badFields: string[] } {
  const parsed = (isExact ? exactRow : plainRow).safeParse(fields, ISSUE_OPTIONS)
  if (!parsed.success) {
    const reasons = describeIssues(parsed.error)
    return {
      problem: [...reasons, ...(looksSwapped(fields) ? ['latitude and longitude look swapped'] : [])].join('; '),
      badFields: parsed.error.issues.flatMap(({ path: [field] }) => (typeof field === 'string' ? [field] : [])),
    }
  }
  const item = completeItem(parsed.data, datasetId, isExact)
  const atZero = item.latitude === '0' && item.longitude === '0'
  return { item, warnings: atZero ? ['latitude and longitude are both 0'] : [] }
}

function completeItem(
  { id: ownId, images: givenImages, thumbnailUrl, ...row }: Row,
  datasetId: string,
  isExact: boolean,
): ImportedItem {
  const id = ownId ?? stableUuid(row.externalId ?? '', datasetId)
  const given = { thumbnailUrl, images: givenImages ?? [], isExact }
  return {
    ...row,
    ...completePictures(id, given),
    id,
    hasOwnId: ownId !== undefined,
    parentItemId: row.parentItemId ?? null,
    createdAt: row.createdAt ?? null,
    updatedAt: row.updatedAt ?? null,
    extraAttributes: row.extraAttributes ?? {},
    given: ownId === undefined && given.images.some((image) => image.id === undefined) ? given : null,
  }
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
