import type { Catalog } from '../../catalog/catalog.ts'
import { mapFilters } from '../../catalog/filters.ts'
import type { Dataset } from '../../catalog/models.ts'
import { collectionOf } from './collections.ts'
import { describeFilter } from './feature-schema.ts'
import { type Addresses, linkTo, ownLinks } from './links.ts'
import { JSON_TYPE, OPENAPI_TYPE } from './media-types.ts'

/*
 * The documents that describe the API.
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
