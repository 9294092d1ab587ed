import type { z } from 'zod'
import { type Envelope, listEnvelope, recordEnvelope, toDataset, toNearbyItem } from './envelope.ts'
import { type FeatureCollection, featureCollection } from './geojson.ts'
import { itemListParameters, nearbyParameters, noParameters } from './parameters.ts'

/** A /v1 route: a GraphQL operation, where its variables come from, and where its result goes. */
export interface RestRoute {
  /** What clients that are generated from the OpenAPI document call it. */
  name: string
  summary: string
  /** As the router writes it; `(.+)` keeps a parameter from being empty. */
  path: string
  /** Variables: the path's parameters and the query string's, by name. */
  query: z.ZodObject
  operation: string
  /** Where in the operation's result the resource stands. */
  resource: readonly [string, ...string[]]
  envelope: (resource: unknown) => Envelope
  /** For lists of places: the same as GeoJSON. */
  features?: (resource: unknown) => FeatureCollection
}

const ITEM = `
  id datasetId name description administrativeAreaCode categoryCode parentItemId
  streetAddress addressRegion addressLocality postalCode roadAddress jibunAddress
  latitude longitude thumbnailUrl createdAt updatedAt`

/** The five routes. Members stand in the order of the specification's tables. */
export const REST_ROUTES: readonly RestRoute[] = [
  {
    name: 'listDatasets',
    summary: 'Datasets',
    path: '/v1/datasets',
    query: noParameters,
    operation: `{
      datasets {
        nodes { id slug name description status visibility accessTier createdAt updatedAt }
        total
      }
    }`,
    resource: ['datasets'],
    envelope: listEnvelope(toDataset),
  },
  {
    name: 'getDataset',
    summary: 'A dataset',
    path: '/v1/datasets/:datasetId(.+)',
    query: noParameters,
    operation: `query ($datasetId: ID!) {
      dataset(id: $datasetId) {
        id slug name description visibility accessTier attribution createdAt updatedAt
      }
    }`,
    resource: ['dataset'],
    envelope: recordEnvelope(toDataset),
  },
  {
    name: 'listItems',
    summary: 'Items of a dataset',
    path: '/v1/datasets/:datasetId(.+)/items',
    query: itemListParameters,
    operation: `query (
      $datasetId: ID!, $page: Int, $limit: Int, $sort: ItemSort, $order: SortOrder,
      $administrativeAreaCode: String, $categoryCode: String, $parentItemId: ID
    ) {
      dataset(id: $datasetId) {
        items(
          page: $page, limit: $limit, sort: $sort, order: $order,
          administrativeAreaCode: $administrativeAreaCode, categoryCode: $categoryCode, parentItemId: $parentItemId
        ) {
          nodes { ${ITEM} }
          page limit total
        }
      }
    }`,
    resource: ['dataset', 'items'],
    envelope: listEnvelope(),
    features: featureCollection(),
  },
  {
    name: 'findNearbyItems',
    summary: 'Items near a point',
    path: '/v1/dataset-items/nearby',
    query: nearbyParameters,
    operation: `query ($latitude: Float!, $longitude: Float!, $radius: Float, $datasetId: ID, $page: Int, $limit: Int) {
      nearbyItems(
        latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $datasetId, page: $page, limit: $limit
      ) {
        nodes {
          item {
            id datasetId name description administrativeAreaCode categoryCode
            streetAddress addressRegion addressLocality postalCode roadAddress jibunAddress
            latitude longitude thumbnailUrl url openingHours createdAt
          }
          distance
        }
        page limit total
      }
    }`,
    resource: ['nearbyItems'],
    envelope: listEnvelope(toNearbyItem),
    features: featureCollection(toNearbyItem),
  },
  {
    name: 'getItem',
    summary: 'An item',
    path: '/v1/dataset-items/:itemId(.+)',
    query: noParameters,
    operation: `query ($itemId: ID!) {
      item(id: $itemId) {
        ${ITEM}
        contactName telephone email url openingHours extraAttributes
        dataset { slug name }
        images {
          id originalUrl cdnUrl thumbnailSmallUrl thumbnailMediumUrl thumbnailLargeUrl altText sortOrder isPrimary
        }
      }
    }`,
    resource: ['item'],
    envelope: recordEnvelope(),
  },
]

/** A path of the router's as URI templates have it (RFC 6570): `/v1/datasets/{datasetId}`. */
export function pathTemplate(path: string): string {
  return path.replace(/:(\w+)\(\.\+\)/g, '{$1}')
}
