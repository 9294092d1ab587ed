import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import type { Image } from '../catalog/models.ts'
import { type optionalText, plainText, text } from './field-schemas.ts'
import { stableUuid } from './stable-uuid.ts'

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

type GivenImage = z.output<ReturnType<typeof givenImage>>

/** An image as the database stores it. */
export type ImportedImage = Omit<Image, 'itemId'>

/** The images and the thumbnail of a row. */
export interface GivenPictures {
  thumbnailUrl: string | null
  images: readonly GivenImage[]
  /** Whether a missing thumbnail stays missing, and no image becomes primary. */
  isExact: boolean
}

/** The images and the thumbnail of an item. */
export interface Pictures {
  thumbnailUrl: string | null
  images: ImportedImage[]
}

/** Returns the images of an item with values for all fields, sorted by `sortOrder`, then `id`, and its thumbnail. */
export function completePictures(itemId: string, { thumbnailUrl, images: given, isExact }: GivenPictures): Pictures {
  const images = completeImages(itemId, given)
  if (isExact) return { thumbnailUrl, images }
  const [first] = images
  const primary = images.find((image) => image.isPrimary) ?? first
  if (primary) primary.isPrimary = true
  return { thumbnailUrl: thumbnailUrl ?? primary?.thumbnailSmallUrl ?? null, images }
}

/** Ids are derived from the item and the URL, so the same images get the same ids in each import. */
function completeImages(itemId: string, given: readonly GivenImage[]): ImportedImage[] {
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
  return images.sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1))
}
