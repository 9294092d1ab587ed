import { v5 as uuidV5 } from 'uuid'
import type { Image } from '../catalog/models.ts'
import type { GivenImage } from '../rows/field-schemas.ts'
import type { RowItem } from '../rows/parse-item.ts'

/** An item for the staging table. What the row does not have is null or undefined. */
export interface ImportedItem extends Omit<RowItem, 'images'>, Pictures {
  id: string
  /** Whether the row has an `id`. Without one, the id is derived from `externalId`. */
  hasOwnId: boolean
  /** What images with ids that depend on the item's id were made from. It is there if the row has such images and no `id`. */
  given?: GivenPictures
}

/**
 * Returns an item with its id and what follows from that.
 * @param isExact derives nothing from the images
 */
export function completeItem(
  { id: ownId, images: given, thumbnailUrl, ...row }: RowItem,
  datasetId: string,
  isExact: boolean,
): ImportedItem {
  const id = ownId ?? stableUuid(row.externalId ?? '', datasetId)
  const hasOwnId = ownId !== undefined
  const pictures = { thumbnailUrl, images: given ?? [], isExact }
  const isDerived = !hasOwnId && pictures.images.some((image) => image.id === undefined)
  const extraAttributes = row.extraAttributes ?? {}
  return {
    ...row,
    ...completePictures(id, pictures),
    extraAttributes,
    id,
    hasOwnId,
    ...(isDerived && { given: pictures }),
  }
}

/**
 * Returns the UUID version 5 of a name (RFC 9562). The namespace may be any 128 bits. Given as text, the package refuses UUIDs of
 * unknown versions, which an `id` may have.
 */
function stableUuid(name: string, namespace: string): string {
  return uuidV5(Buffer.from(name), Buffer.from(namespace.replaceAll('-', ''), 'hex'))
}

/** An image as the database stores it. */
type ImportedImage = Omit<Image, 'itemId'>

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

/**
 * Returns the images of an item with values for all fields, sorted by `sortOrder`, then `id`, and its thumbnail. Ids are derived from the item
 * and the URL, so the same images get the same ids in each import.
 */
export function completePictures(itemId: string, { thumbnailUrl, images: given, isExact }: GivenPictures): Pictures {
  const seen = new Map<string, number>()
  const images = given.map((image, index): ImportedImage => {
    const { originalUrl } = image
    const cdnUrl = image.cdnUrl ?? originalUrl
    const repetition = seen.get(originalUrl) ?? 0
    seen.set(originalUrl, repetition + 1)
    const derivedId = () => stableUuid(repetition === 0 ? originalUrl : `${originalUrl}#${repetition}`, itemId)
    return {
      id: image.id ?? derivedId(),
      originalUrl,
      cdnUrl,
      thumbnailSmallUrl: image.thumbnailSmallUrl ?? cdnUrl,
      thumbnailMediumUrl: image.thumbnailMediumUrl ?? cdnUrl,
      thumbnailLargeUrl: image.thumbnailLargeUrl ?? cdnUrl,
      altText: image.altText,
      sortOrder: image.sortOrder ?? index,
      isPrimary: image.isPrimary ?? false,
    }
  })
  images.sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1))
  if (isExact) return { thumbnailUrl, images }
  const primary = images.find((image) => image.isPrimary) ?? images[0]
  if (primary) primary.isPrimary = true
  return { thumbnailUrl: thumbnailUrl ?? primary?.thumbnailSmallUrl ?? null, images }
}
