import type { FeaturePage } from '../catalog/features.ts'
import type { Dataset } from '../catalog/models.ts'
import { GEOJSON } from '../rest/envelope.ts'
import { collectionUrl } from './collections.ts'
import { type Link, withParameter } from './links.ts'
import { JSON_TYPE } from './media-types.ts'

/** The addresses of a request: of the landing page, and of the request itself; and the media type of the response. */
export interface Addresses {
  base: string
  self: string
  mediaType: string
}

/** A response with features, and its links. */
interface FeatureDocument {
  body: string | Buffer
  links: Link[]
}

/**
 * A page of features (OGC 17-069r4, section 7.15). The features are texts from PostgreSQL.
 * @param now is the time of the response
 */
export function featureCollection(
  addresses: Addresses,
  dataset: Dataset,
  page: FeaturePage,
  now: Date,
): FeatureDocument {
  const { self, mediaType } = addresses
  const next = page.next !== undefined && {
    href: withParameter(self, 'after', page.next),
    rel: 'next',
    type: mediaType,
    title: 'The next page',
  }
  const links = [...ownLinks(addresses), ...(next ? [next] : []), collectionLink(addresses, dataset)]
  const head = JSON.stringify({
    type: 'FeatureCollection',
    timeStamp: now.toISOString(),
    numberMatched: page.total,
    numberReturned: page.count,
    links,
  })
  const separated = page.features.flatMap((features, n) => (n === 0 ? [features] : [',', features]))
  return { body: encodeAll([`${head.slice(0, -1)},"features":[`, ...separated, ']}']), links }
}

/** Encodes texts into one buffer, so that the megabytes of a page are copied only once. */
function encodeAll(texts: readonly string[]): Buffer {
  const body = Buffer.allocUnsafe(texts.reduce((length, text) => length + Buffer.byteLength(text), 0))
  let end = 0
  for (const text of texts) end += body.write(text, end)
  return body
}

/** One feature (OGC 17-069r4, section 7.16). `feature` is its text from PostgreSQL. */
export function singleFeature(addresses: Addresses, dataset: Dataset, feature: string): FeatureDocument {
  const links = [...ownLinks(addresses), collectionLink(addresses, dataset)]
  return { body: `${feature.slice(0, -1)},"links":${JSON.stringify(links)}}`, links }
}

/** The same address gives both media types, by the `Accept` header. */
function ownLinks({ self, mediaType }: Addresses): Link[] {
  const other = mediaType === GEOJSON ? JSON_TYPE : GEOJSON
  return [
    { href: self, rel: 'self', type: mediaType, title: 'This document' },
    { href: self, rel: 'alternate', type: other, title: `This document as ${other}` },
  ]
}

function collectionLink({ base }: Addresses, dataset: Dataset): Link {
  return { href: collectionUrl(base, dataset), rel: 'collection', type: JSON_TYPE, title: dataset.name }
}
