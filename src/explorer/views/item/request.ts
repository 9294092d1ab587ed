import { type ApiRequest, ask, operation, restPath } from '../../data/api-request.ts'
import { LISTED, type ListedItem } from '../../data/datasets.ts'
import { parseExactJson } from '../../shared/exact-json.ts'

/*
 * The request for one place.
 */

export interface Picture {
  originalUrl: string
  cdnUrl: string
  thumbnailMediumUrl: string
  altText: string
  isPrimary: boolean
}

export interface Item extends ListedItem {
  externalId: string | null
  keywords: string[]
  description: string
  streetAddress: string
  addressRegion: string | null
  addressLocality: string | null
  postalCode: string | null
  roadAddress: string | null
  jibunAddress: string | null
  contactName: string
  telephone: string
  email: string | null
  url: string
  openingHours: string | null
  extraAttributes: Record<string, unknown>
  createdAt: string
  updatedAt: string
  dataset: { id: string; slug: string; name: string; attribution: string }
  parent: { id: string; name: string } | null
  children: { total: number; nodes: { id: string; name: string; categoryCode: string }[] }
  images: Picture[]
}

/** The fields of an item with everything around it. */
const DETAILS = `${LISTED}
    externalId keywords description streetAddress addressRegion addressLocality postalCode roadAddress jibunAddress
    contactName telephone email url openingHours extraAttributes createdAt updatedAt
    dataset { id slug name attribution }
    parent { id name }
    children(limit: 100) { total nodes { id name categoryCode } }
    images { originalUrl cdnUrl thumbnailMediumUrl altText isPrimary }`

/** Returns the request for an item with everything around it. */
export function itemRequest(id: string): ApiRequest<{ item: Item | null }> {
  return {
    path: restPath(`/v1/dataset-items/${encodeURIComponent(id)}`),
    query: operation('Item', { id }, `  item(id: $id) {\n    ${DETAILS}\n  }`),
    variables: { id },
  }
}

/** Reads an item. Its numbers keep their digits. */
export async function readItem(id: string, signal: AbortSignal): Promise<Item | null> {
  return (await ask(itemRequest(id), signal, {}, parseExactJson)).item
}
