import { z } from 'zod'
import { uuid } from '../catalog/arguments.ts'
import { type optionalText, plainText, text } from './field-schemas.ts'

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
