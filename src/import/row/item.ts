import { v5 as uuidV5 } from 'uuid'
import { z } from 'zod'
import { uuid } from '../../catalog/arguments.ts'
import { coordinate, indexedText, jsonObject, MAX_INDEXED_LENGTH, moment, optionalText, plainText } from './fields.ts'
import { completeImages, type ImportedImage, imageList } from './images.ts'

/** In CSV, JSON stands in a cell as text. */
const jsonOr = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string' || value === '') return value === '' ? undefined : value
    try {
      return JSON.parse(value)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      context.addIssue({ code: 'custom', message: `is not JSON: ${error.message}` })
      return z.NEVER
    }
  }, schema)

const orNothing = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())

const required = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .unknown()
    .refine((value) => value !== undefined && value !== null && value !== '', { error: 'is required', abort: true })
    .pipe(schema)

const rowSchema = z
  .object({
    id: orNothing(uuid),
    externalId: orNothing(indexedText(MAX_INDEXED_LENGTH.externalId)).transform((value) => value ?? null),
    name: required(indexedText(MAX_INDEXED_LENGTH.name)),
    description: plainText,
    administrativeAreaCode: required(indexedText(MAX_INDEXED_LENGTH.code)),
    categoryCode: required(indexedText(MAX_INDEXED_LENGTH.code)),
    parentItemId: orNothing(uuid),
    parentExternalId: optionalText,
    streetAddress: plainText,
    addressRegion: optionalText,
    addressLocality: optionalText,
    postalCode: optionalText,
    roadAddress: optionalText,
    jibunAddress: optionalText,
    latitude: required(coordinate(90)),
    longitude: required(coordinate(180)),
    thumbnailUrl: optionalText,
    createdAt: orNothing(moment),
    updatedAt: orNothing(moment),
    contactName: plainText,
    telephone: plainText,
    email: optionalText,
    url: plainText,
    openingHours: optionalText,
    extraAttributes: jsonOr(jsonObject.nullish()),
    images: jsonOr(imageList.nullish()),
  })
  .refine((row) => row.id !== undefined || row.externalId !== null, {
    path: ['id'],
    error: 'or externalId is required',
  })
  .refine((row) => row.parentItemId === undefined || row.parentExternalId === null, {
    path: ['parentItemId'],
    error: 'and parentExternalId are two names for one thing; give one',
  })

type Row = z.output<typeof rowSchema>

/** An item as it is staged; moments and the parent may still be open. */
export interface ImportedItem
  extends Omit<Row, 'id' | 'parentItemId' | 'createdAt' | 'updatedAt' | 'extraAttributes' | 'images'> {
  id: string
  /** Whether the row gave the id, or else its `externalId` did. */
  hasOwnId: boolean
  parentItemId: string | null
  createdAt: string | null
  updatedAt: string | null
  extraAttributes: Record<string, unknown>
  images: ImportedImage[]
}

/** Reads a row: the item, and what is odd about it; or what is wrong with it. */
export function readItem(
  fields: Record<string, unknown>,
  datasetId: string,
): { item: ImportedItem; warnings: string[] } | { problem: string } {
  const parsed = rowSchema.safeParse(fields)
  if (!parsed.success) {
    const reasons = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    return {
      problem: [...reasons, ...(looksSwapped(fields) ? ['latitude and longitude look swapped'] : [])].join('; '),
    }
  }
  const item = completeItem(parsed.data, datasetId)
  const atZero = item.latitude === '0' && item.longitude === '0'
  return { item, warnings: atZero ? ['latitude and longitude are both 0'] : [] }
}

function completeItem({ id: ownId, images: givenImages, ...row }: Row, datasetId: string): ImportedItem {
  const id = ownId ?? uuidV5(row.externalId ?? '', datasetId)
  const images = completeImages(id, givenImages ?? [])
  const primary = images.find((image) => image.isPrimary)
  return {
    ...row,
    id,
    hasOwnId: ownId !== undefined,
    parentItemId: row.parentItemId ?? null,
    thumbnailUrl: row.thumbnailUrl ?? primary?.thumbnailSmallUrl ?? null,
    createdAt: row.createdAt ?? null,
    updatedAt: row.updatedAt ?? null,
    extraAttributes: row.extraAttributes ?? {},
    images,
  }
}

/** Whether a pair of coordinates would be good the other way round, and is not as it stands. */
function looksSwapped({ latitude, longitude }: Record<string, unknown>): boolean {
  const north = Number(latitude)
  const east = Number(longitude)
  return Math.abs(north) > 90 && Math.abs(north) <= 180 && Math.abs(east) <= 90
}
