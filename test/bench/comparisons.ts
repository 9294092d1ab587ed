import { hash } from 'node:crypto'
import type { LoadRequest } from './wrk.ts'

/** The same query for the catalog and for PostGraphile: 20 items with seven fields. */
export const ITEMS = {
  catalog: `query ($page: Int) { dataset(id: "towns") { id name items(page: $page) { nodes {
    id name description categoryCode latitude longitude createdAt } } } }`,
  postgraphile: `query ($offset: Int) { datasetBySlug(slug: "towns") { rowId name
    itemsByDatasetId(first: 20, offset: $offset, orderBy: [NAME_ASC]) { nodes {
    rowId name description categoryCode latitude longitude createdAt } } } }`,
} as const

/** `ITEMS` with images and parents. */
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

/** A query by POST. */
export function post(query: string, variables: object, key?: string): LoadRequest {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...(key !== undefined && bearer(key)) },
    body: JSON.stringify({ query, variables }),
  }
}

/** A query by GET. */
export function getQuery(query: string, variables: object, key: string): LoadRequest {
  return getWith({ query, variables: JSON.stringify(variables) }, key)
}

/** A query by its hash and POST (automatic persisted queries). With `register` it contains the text too. */
export function postByHash(query: string, variables: object, key: string, registers?: 'register'): LoadRequest {
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } }
  const request = post(query, variables, key)
  return { ...request, body: JSON.stringify({ ...(registers && { query }), variables, extensions }) }
}

/** A query by its hash and GET. */
export function getByHash(query: string, variables: object, key: string): LoadRequest {
  const persistedQuery = { version: 1, sha256Hash: hash('sha256', query) }
  return getWith({ variables: JSON.stringify(variables), extensions: JSON.stringify({ persistedQuery }) }, key)
}

function getWith(parameters: Record<string, string>, key: string): LoadRequest {
  return { method: 'GET', path: `/graphql?${new URLSearchParams(parameters)}`, headers: bearer(key) }
}

/** The `Authorization` header of a key. */
export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
