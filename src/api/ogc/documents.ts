import type { Catalog } from '../../catalog/catalog.ts'
import { mapFilters } from '../../catalog/filters.ts'
import type { Dataset } from '../../catalog/models.ts'
import type { FeaturePage } from '../../catalog/sql/features.ts'
import { collectionOf, collectionUrl } from './collections.ts'
import { describeFilter } from './feature-schema.ts'
import { type Addresses, type Link, linkTo, ownLinks, withParameter } from './links.ts'
import { FORMS, JSON_TYPE, OPENAPI_TYPE } from './media-types.ts'

/*
 * The documents that describe the API, and those with features.
 */

const CONFORMS_TO = [
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
  'http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables-query-parameters',
]

/** The landing page (OGC 17-069r4, section 7.2). */
export function landingPage(addresses: Addresses) {
  const { base } = addresses
  return {
    title: 'Dataset Catalog',
    description: 'Datasets of places. Each collection is a dataset that the API key may access.',
    links: [
      ...ownLinks(addresses),
      linkTo(`${base}/api`, 'service-desc', OPENAPI_TYPE, 'The API definition'),
      linkTo(`${base}/conformance`, 'conformance', JSON_TYPE, 'The conformance classes'),
      linkTo(`${base}/collections`, 'data', JSON_TYPE, 'The collections'),
    ],
  }
}

/** The conformance declaration (OGC 17-069r4, section 7.4). */
export function conformance(addresses: Addresses) {
  return { links: ownLinks(addresses), conformsTo: CONFORMS_TO }
}

/** The list of collections (OGC 17-069r4, section 7.13). */
export async function collections(addresses: Addresses, catalog: Catalog) {
  const described = catalog
    .datasets()
    .map(async (dataset) => collectionOf(addresses.base, dataset, await catalog.extentOf(dataset)))
  return { links: ownLinks(addresses), collections: await Promise.all(described) }
}

/** The queryables of a collection as JSON Schema (OGC 19-079r2, section 6.3). */
export function queryables(self: string, { name }: Dataset) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: self,
    type: 'object',
    title: name,
    properties: mapFilters((filter) => ({ title: filter, ...describeFilter(filter) })),
    additionalProperties: false,
  }
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
