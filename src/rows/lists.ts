import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import { parseExactJson } from '../json.ts'
import { anyText, indexedText, MAX_INDEXED_LENGTH, type optionalText, plainText, text } from './field-schemas.ts'

/** Maximum number of keywords of an item. */
const MAX_KEYWORDS = 1_000

const listOf = (keyword: z.ZodType<string>) =>
  z.array(keyword, 'must be a list of texts').max(MAX_KEYWORDS, `must be at most ${MAX_KEYWORDS} texts`)

/** The keywords of a row, each once and without the spaces around it. Empty ones are dropped. */
export const keywordList = z.preprocess(
  (given) => valuesOf(given).filter(isPresent),
  listOf(indexedText(MAX_INDEXED_LENGTH.name).transform((text) => text.trim())).transform((texts) => [
    ...new Set(texts),
  ]),
)

/** The keywords of a row, as they are. */
export const exactKeywordList = z.preprocess((given) => given ?? [], listOf(anyText))

/** The values of a cell or member: the elements of a list, or the parts of a text between semicolons or commas. */
export function valuesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return [value]
  return listIn(value) ?? value.split(/[;,]/)
}

/** The JSON list in a cell, as an export writes it; undefined for other text. */
function listIn(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const value = parseExactJson(text)
    return Array.isArray(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '')
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
