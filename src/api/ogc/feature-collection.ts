import type { Dataset } from '../../catalog/models.ts'
import type { FeaturePage } from '../../catalog/sql/features.ts'
import { collectionUrl } from './collections.ts'
import { type Addresses, type Link, linkTo, ownLinks, withParameter } from './links.ts'
import { FORMS, JSON_TYPE } from './media-types.ts'

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
  const { self, form } = addresses
  // The cursor takes the place of an offset.
  const next = (cursor: string) => withParameter(self, 'after', cursor, ['offset', 'startindex'])
  const links = [
    ...ownLinks(addresses),
    ...(page.next === undefined ? [] : [linkTo(next(page.next), 'next', FORMS[form], 'The next page')]),
    collectionLink(addresses, dataset),
  ]
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

function collectionLink({ base }: Addresses, dataset: Dataset): Link {
  return linkTo(collectionUrl(base, dataset), 'collection', JSON_TYPE, dataset.name)
}
