import type { LoadRequest } from './wrk.ts'

/** The same asked of the catalog and of PostGraphile: twenty items with seven fields, and with what hangs on them. */
export const ITEMS = {
  catalog: `query ($page: Int) { dataset(id: "towns") { id name items(page: $page) { nodes {
    id name description categoryCode latitude longitude createdAt } } } }`,
  postgraphile: `query ($offset: Int) { datasetBySlug(slug: "towns") { rowId name
    itemsByDatasetId(first: 20, offset: $offset, orderBy: [NAME_ASC]) { nodes {
    rowId name description categoryCode latitude longitude createdAt } } } }`,
} as const

export const RELATED = {
  catalog: `query ($page: Int) { dataset(id: "towns") { id name items(page: $page) { nodes {
    id name description categoryCode latitude longitude createdAt
    images { id cdnUrl altText } parent { id name } } } } }`,
  postgraphile: `query ($offset: Int) { datasetBySlug(slug: "towns") { rowId name
    itemsByDatasetId(first: 20, offset: $offset, orderBy: [NAME_ASC]) { nodes {
    rowId name description categoryCode latitude longitude createdAt
    imagesByItemId(orderBy: [SORT_ORDER_ASC]) { nodes { rowId cdnUrl altText } }
    itemByDatasetIdAndParentItemId { rowId name } } } } }`,
} as const

/** A query as clients POST it. */
export function post(query: string, variables: object, key?: string): LoadRequest {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...(key !== undefined && bearer(key)) },
    body: JSON.stringify({ query, variables }),
  }
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
