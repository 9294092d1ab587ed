import type { Catalog } from '../catalog/catalog.ts'
import { exportTag } from '../catalog/export.ts'
import { pickFilters } from '../catalog/filters.ts'
import type { Dataset } from '../catalog/models.ts'
import { GEOJSON } from '../rest/envelope.ts'
import { apiDefinition } from './api-definition.ts'
import { collectionOf } from './collections.ts'
import { collections, conformance, landingPage, queryables } from './documents.ts'
import { featureCollection, singleFeature } from './feature-collection.ts'
import { linkHeader } from './links.ts'
import { JSON_TYPE, OPENAPI_TYPE, SCHEMA_TYPE } from './media-types.ts'
import { DEFAULT_LIMIT, featureParameters, featuresParameters, noParameters } from './parameters.ts'
import { type OgcRequest, type OgcResponse, type OgcRoute, type Resource, route } from './route.ts'

/*
 * The resources of OGC API Features below /ogc (OGC 17-069r4; part 2: OGC 18-058r1).
 */

const documentOf = (document: object): OgcResponse => ({ body: JSON.stringify(document) })

const fixed = (document: object): Resource => ({ read: async () => documentOf(document) })

const COLLECTION = '/ogc/collections/:collectionId(.+)'

/** The routes. All need an API key. */
export const OGC_ROUTES: readonly OgcRoute[] = [
  route({
    name: 'getLandingPage',
    summary: 'The landing page',
    path: '/ogc',
    query: noParameters,
    mediaTypes: [JSON_TYPE],
    schema: 'LandingPage',
    resource: ({ base, self }) => fixed(landingPage(base, self)),
  }),
  route({
    name: 'getConformance',
    summary: 'The conformance classes',
    path: '/ogc/conformance',
    query: noParameters,
    mediaTypes: [JSON_TYPE],
    schema: 'Conformance',
    resource: ({ self }) => fixed(conformance(self)),
  }),
  route({
    name: 'getApiDefinition',
    summary: 'The API definition',
    path: '/ogc/api',
    query: noParameters,
    mediaTypes: [OPENAPI_TYPE, JSON_TYPE],
    schema: 'JsonDocument',
    resource: ({ base }) => fixed(apiDefinition(base, OGC_ROUTES)),
  }),
  route({
    name: 'getCollections',
    summary: 'The collections',
    path: '/ogc/collections',
    query: noParameters,
    mediaTypes: [JSON_TYPE],
    schema: 'Collections',
    resource: ({ base, self }) => ({
      read: async (catalog) => {
        const datasets = catalog.datasets()
        const extents = await Promise.all(datasets.map((dataset) => catalog.extentOf(dataset)))
        return documentOf(
          collections(
            base,
            self,
            datasets.map((dataset, n) => [dataset, extents[n] ?? null]),
          ),
        )
      },
    }),
  }),
  route({
    name: 'getCollection',
    summary: 'A collection',
    path: COLLECTION,
    query: noParameters,
    mediaTypes: [JSON_TYPE],
    schema: 'Collection',
    resource: ({ base, path }) => ({
      read: async (catalog) => {
        const dataset = collectionIn(catalog, path)
        return documentOf(collectionOf(base, dataset, await catalog.extentOf(dataset)))
      },
    }),
  }),
  route({
    name: 'getQueryables',
    summary: 'The parameters that select features of a collection',
    path: `${COLLECTION}/queryables`,
    query: noParameters,
    mediaTypes: [SCHEMA_TYPE, JSON_TYPE],
    schema: 'JsonDocument',
    resource: ({ self, path }) => ({
      read: async (catalog) => documentOf(queryables(self, collectionIn(catalog, path))),
    }),
  }),
  route({
    name: 'getFeatures',
    summary: 'The features of a collection',
    path: `${COLLECTION}/items`,
    query: featuresParameters,
    mediaTypes: [GEOJSON, JSON_TYPE],
    schema: 'FeatureCollection',
    resource: (request, { limit = DEFAULT_LIMIT, bbox, datetime, after, ...others }) => ({
      version: async (catalog) => pageTag(request, collectionIn(catalog, request.path)),
      read: async (catalog) => {
        const dataset = collectionIn(catalog, request.path)
        const { reserve } = request
        const window = { limit, within: bbox, ...datetime, ...pickFilters(others), after, reserve }
        const page = await catalog.featurePage(dataset, window)
        const { body, links } = featureCollection(request, dataset, page, new Date())
        return { body, links: linkHeader(links), weakTag: pageTag(request, dataset) }
      },
    }),
  }),
  route({
    name: 'getFeature',
    summary: 'A feature',
    path: `${COLLECTION}/items/:featureId(.+)`,
    query: featureParameters,
    mediaTypes: [GEOJSON, JSON_TYPE],
    schema: 'Feature',
    resource: (request) => ({
      read: async (catalog) => {
        const dataset = collectionIn(catalog, request.path)
        const feature = await catalog.feature(dataset, request.path.featureId ?? '')
        const { body, links } = singleFeature(request, dataset, feature)
        return { body, links: linkHeader(links) }
      },
    }),
  }),
]

function collectionIn(catalog: Catalog, { collectionId = '' }: OgcRequest['path']): Dataset {
  return catalog.dataset(collectionId)
}

/** The weak entity tag of a page (RFC 9110 section 8.8.1). The page has the time of the response, so two equal pages differ. */
function pageTag({ self, mediaType }: OgcRequest, dataset: Dataset): string {
  return exportTag(dataset, self, mediaType)
}
