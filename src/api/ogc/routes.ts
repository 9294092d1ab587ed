import type { Catalog } from '../../catalog/catalog.ts'
import { pickFilters } from '../../catalog/filters.ts'
import type { Dataset } from '../../catalog/models.ts'
import { exportTag } from '../../catalog/sql/export.ts'
import { collectionOf } from './collections.ts'
import { collections, conformance, featureCollection, landingPage, queryables, singleFeature } from './documents.ts'
import { linkHeader } from './links.ts'
import { FORMS } from './media-types.ts'
import { DEFAULT_LIMIT, featureParameters, featuresParameters, pageStart } from './parameters.ts'
import { type OgcRequest, type OgcRoute, route } from './route.ts'

/*
 * The resources of OGC API Features below /ogc (OGC 17-069r4; part 2: OGC 18-058r1).
 */

/** A JSON document without parameters but `f`. */
interface DocumentRoute extends Pick<OgcRoute, 'name' | 'summary' | 'path' | 'schema'> {
  forms?: OgcRoute['forms']
  document: (request: OgcRequest, catalog: Catalog) => object | Promise<object>
}

function documentRoute({ document, ...options }: DocumentRoute): OgcRoute {
  return route({
    forms: ['json', 'html'],
    ...options,
    parameters: {},
    resource: (request) => ({ read: async (catalog) => ({ body: JSON.stringify(await document(request, catalog)) }) }),
  })
}

const COLLECTION = '/ogc/collections/:collectionId(.+)'

/** The routes. All need an API key. */
export const OGC_ROUTES: readonly OgcRoute[] = [
  documentRoute({
    name: 'getLandingPage',
    summary: 'The landing page',
    path: '/ogc',
    schema: 'LandingPage',
    document: landingPage,
  }),
  documentRoute({
    name: 'getConformance',
    summary: 'The conformance classes',
    path: '/ogc/conformance',
    schema: 'Conformance',
    document: conformance,
  }),
  documentRoute({
    name: 'getApiDefinition',
    summary: 'The API definition',
    path: '/ogc/api',
    forms: ['openapi', 'json', 'html'],
    schema: 'JsonDocument',
    document: ({ base, apiDefinition }) => apiDefinition(base),
  }),
  documentRoute({
    name: 'getCollections',
    summary: 'The collections',
    path: '/ogc/collections',
    schema: 'Collections',
    document: collections,
  }),
  documentRoute({
    name: 'getCollection',
    summary: 'A collection',
    path: COLLECTION,
    schema: 'Collection',
    document: async ({ base, path }, catalog) => {
      const dataset = collectionIn(catalog, path)
      return collectionOf(base, dataset, await catalog.extentOf(dataset))
    },
  }),
  documentRoute({
    name: 'getQueryables',
    summary: 'The parameters that select features of a collection',
    path: `${COLLECTION}/queryables`,
    forms: ['schema', 'json', 'html'],
    schema: 'JsonDocument',
    document: ({ self, path }, catalog) => queryables(self, collectionIn(catalog, path)),
  }),
  route({
    name: 'getFeatures',
    summary: 'The features of a collection',
    path: `${COLLECTION}/items`,
    parameters: featuresParameters,
    forms: ['geojson', 'json', 'html'],
    schema: 'FeatureCollection',
    resource: (request, { limit = DEFAULT_LIMIT, bbox, datetime, ...others }) => {
      const { reserve } = request
      const window = { limit, within: bbox, ...datetime, ...pickFilters(others), ...pageStart(others), reserve }
      return {
        version: async (catalog) => pageTag(request, collectionIn(catalog, request.path)),
        read: async (catalog) => {
          const dataset = collectionIn(catalog, request.path)
          const page = await catalog.featurePage(dataset, window)
          const { body, links } = featureCollection(request, dataset, page, new Date())
          return { body, links: linkHeader(links), weakTag: pageTag(request, dataset) }
        },
      }
    },
  }),
  route({
    name: 'getFeature',
    summary: 'A feature',
    path: `${COLLECTION}/items/:featureId(.+)`,
    parameters: featureParameters,
    forms: ['geojson', 'json', 'html'],
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
function pageTag({ self, form }: OgcRequest, dataset: Dataset): string {
  return exportTag(dataset, self, FORMS[form])
}
