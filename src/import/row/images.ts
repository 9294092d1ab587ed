import { z } from 'zod'
import { uuid } from '../../catalog/arguments.ts'
import type { Image } from '../../catalog/models.ts'
import { stableUuid } from '../stable-uuid.ts'
import { optionalText, plainText, text } from './field-schemas.ts'

const givenImage = z.strictObject({
  id: uuid.optional(),
  originalUrl: text,
  cdnUrl: optionalText,
  thumbnailSmallUrl: optionalText,
  thumbnailMediumUrl: optionalText,
  thumbnailLargeUrl: optionalText,
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

/** The images in a row. */
export const imageList = z
  .array(givenImage, 'must be a list')
  .refine((images) => images.filter((image) => image.isPrimary).length <= 1, 'must have at most one that is primary')

type GivenImage = z.output<typeof givenImage>

/** An image as the database stores it. */
export type ImportedImage = Omit<Image, 'itemId'>

/**
 * Returns the images of a row with values for all fields, sorted by `sortOrder`, then `id`. Ids are derived from the item and the
 * URL, so the same images get the same ids in each import.
 */
export function completeImages(itemId: string, given: readonly GivenImage[]): ImportedImage[] {
  const seen = new Map<string, number>()
  const images = given.map((image, index): ImportedImage => {
    const { originalUrl, altText } = image
    const cdnUrl = image.cdnUrl ?? originalUrl
    const repetition = seen.get(originalUrl) ?? 0
    seen.set(originalUrl, repetition + 1)
    return {
      id: image.id ?? stableUuid(repetition === 0 ? originalUrl : `${originalUrl}#${repetition}`, itemId),
      originalUrl,
      cdnUrl,
      thumbnailSmallUrl: image.thumbnailSmallUrl ?? cdnUrl,
      thumbnailMediumUrl: image.thumbnailMediumUrl ?? cdnUrl,
      thumbnailLargeUrl: image.thumbnailLargeUrl ?? cdnUrl,
      altText,
      sortOrder: image.sortOrder ?? index,
      isPrimary: image.isPrimary ?? false,
    }
  })
  images.sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1))
  const [first] = images
  if (first && !images.some((image) => image.isPrimary)) first.isPrimary = true
  return images
}
