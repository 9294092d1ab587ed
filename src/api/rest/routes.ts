import { parse } from 'graphql'
import type { z } from 'zod'
import { DETAIL_FIELDS, LIST_FIELDS } from '../../catalog/columns.ts'
import { ITEM_FILTERS, type ItemFilter } from '../../catalog/filters.ts'
import { type Parameter, parametersOf } from '../../graphql/operation/parameters.ts'
import { schema } from '../../graphql/schema.ts'
import { listEnvelope, type ResponseSource, recordEnvelope, toDataset, toFoundItem, toNearbyItem } from './envelope.ts'
import { querySchema } from './parameters.ts'

/** A route: its GraphQL operation, the source of the variables, and the form of the response. */
export interface RestRoute extends ResponseSource {
  /** The operation's name in the OpenAPI document and in generated clients. */
  name: string
  tag: 'Datasets' | 'Items' | 'Key'
  summary: string
  description: string
  /** The name of a record of the response in the OpenAPI document and in generated clients. */
  record: string
  /** In the router's syntax; `(.+)` refuses an empty parameter. */
  path: string
  /** A description of each parameter in the path. They become variables of the same name. */
  pathParameters: Readonly<Record<string, string>>
  /** The variables of the operation, from the path and the query string. */
  parameters: readonly Parameter[]
  /** The schema that parses the query string. */
  query: z.ZodObject
}

/** A row of the table below. */
interface Row extends Omit<RestRoute, 'parameters' | 'query'> {
  /** The variables that the query string sets. The tools of /mcp set the others too. */
  query: readonly string[]
}

/** What a `datasetId` in a path is. */
export const DATASET_ID = 'UUID, in any letter case, or slug.'

/** The fields of a dataset in a list, as a GraphQL selection. */
export const DATASET = 'id slug name description status visibility accessTier createdAt updatedAt'

/** The fields of an item in a list, as a GraphQL selection. */
export const ITEM = LIST_FIELDS.join(' ')

/** All filters. A route sets those that its `query` names, the tools of /mcp all of them. */
const FILTER_VARIABLES = ITEM_FILTERS.map(filterVariable).join(', ')
const FILTER_ARGUMENTS = ITEM_FILTERS.map((filter) => `${filter}: $${filter}`).join(', ')

/** The five /v1 routes, the search and the key. Clients may rely on the order of the members. */
const ROWS: readonly Row[] = [
  {
    name: 'listDatasets',
    tag: 'Datasets',
    summary: 'Datasets',
    description: 'The datasets that the API key may access, by name, then id.',
    record: 'DatasetSummary',
    path: '/v1/datasets',
    pathParameters: {},
    query: [],
    operation: `{
      datasets {
        nodes { ${DATASET} }
        total
      }
    }`,
    resource: ['datasets'],
    envelope: listEnvelope(toDataset),
  },
  {
    name: 'getDataset',
    tag: 'Datasets',
    summary: 'A dataset',
    description: 'One dataset, by its UUID or slug.',
    record: 'Dataset',
    path: '/v1/datasets/:datasetId(.+)',
    pathParameters: { datasetId: DATASET_ID },
    query: [],
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
    tag: 'Items',
    summary: 'Items of a dataset',
    description: 'A page of the items of a dataset, sorted and filtered.',
    record: 'Item',
    path: '/v1/datasets/:datasetId(.+)/items',
    pathParameters: { datasetId: DATASET_ID },
    query: ['page', 'limit', 'sort', 'order', 'administrativeAreaCode', 'categoryCode', 'parentItemId'],
    operation: `query (
      $datasetId: ID!, $page: Int, $limit: Int, $sort: ItemSort, $order: SortOrder,
      ${FILTER_VARIABLES}, "Return only children of the item with this UUID." $parentItemId: ID
    ) {
      dataset(id: $datasetId) {
        items(
          page: $page, limit: $limit, sort: $sort, order: $order,
          ${FILTER_ARGUMENTS}, parentItemId: $parentItemId
        ) {
          nodes { ${ITEM} }
          page limit total
        }
      }
    }`,
    resource: ['dataset', 'items'],
    envelope: listEnvelope(),
    hasFeatures: true,
  },
  {
    name: 'findNearbyItems',
    tag: 'Items',
    summary: 'Items near a point',
    description: 'A page of the items within a radius of a point, nearest first, from all datasets or from one.',
    record: 'NearbyItem',
    path: '/v1/dataset-items/nearby',
    pathParameters: {},
    query: ['latitude', 'longitude', 'radius', 'datasetId', 'page', 'limit'],
    operation: `query (
      $latitude: Float!, $longitude: Float!, $radius: Float, $datasetId: ID, ${FILTER_VARIABLES}, $page: Int, $limit: Int
    ) {
      nearbyItems(
        latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $datasetId, ${FILTER_ARGUMENTS},
        page: $page, limit: $limit
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
    hasFeatures: true,
  },
  {
    name: 'getItem',
    tag: 'Items',
    summary: 'An item',
    description: 'One item with its images, by its UUID.',
    record: 'ItemDetail',
    path: '/v1/dataset-items/:itemId(.+)',
    pathParameters: { itemId: 'UUID, in any letter case.' },
    query: [],
    operation: `query ($itemId: ID!) {
      item(id: $itemId) {
        ${DETAIL_FIELDS.join(' ')}
        dataset { slug name }
        images {
          id originalUrl cdnUrl thumbnailSmallUrl thumbnailMediumUrl thumbnailLargeUrl altText sortOrder isPrimary
        }
      }
    }`,
    resource: ['item'],
    envelope: recordEnvelope(),
  },
  {
    name: 'searchItems',
    tag: 'Items',
    summary: 'Search',
    description: schema.getQueryType()?.getFields().findItems?.description ?? '',
    record: 'FoundItem',
    path: '/search',
    pathParameters: {},
    query: [
      ...['text', 'within', 'latitude', 'longitude', 'radius', 'datasetId'],
      ...['administrativeAreaCode', 'categoryCode', 'page', 'limit'],
    ],
    operation: `query (
      $text: String, $within: BoundingBox, $latitude: Float, $longitude: Float, $radius: Float, $datasetId: ID,
      ${filterVariable('administrativeAreaCode')}, ${filterVariable('categoryCode')}, $page: Int, $limit: Int
    ) {
      findItems(
        text: $text, within: $within, latitude: $latitude, longitude: $longitude, radius: $radius, datasetId: $datasetId,
        administrativeAreaCode: $administrativeAreaCode, categoryCode: $categoryCode, page: $page, limit: $limit
      ) {
        nodes { item { ${ITEM} } distance }
        page limit total
      }
    }`,
    resource: ['findItems'],
    envelope: listEnvelope(toFoundItem),
    hasFeatures: true,
  },
  {
    name: 'getKey',
    tag: 'Key',
    summary: 'The API key',
    description: schema.getQueryType()?.getFields().apiKey?.description ?? '',
    record: 'ApiKey',
    path: '/key',
    pathParameters: {},
    query: ['days'],
    operation: `query ($days: Int) {
      apiKey {
        id name tiers grants { dataset { id slug } expiresAt } expiresAt requestsPerMinute itemsPerMinute origins
        usage(days: $days) { day dataset { id slug } requests items bytes }
      }
    }`,
    resource: ['apiKey'],
    envelope: recordEnvelope(),
  },
]

export const REST_ROUTES: readonly RestRoute[] = ROWS.map(({ query, ...row }) => {
  const parameters = parametersOf(parse(row.operation))
  return { ...row, parameters, query: querySchema(parameters, query, row.path.startsWith('/v1/')) }
})

/** The variable of a filter in an operation. Its description is for the tools of /mcp, whose list must be short. */
export function filterVariable(filter: ItemFilter): string {
  return `"Exactly this value." $${filter}: String`
}
