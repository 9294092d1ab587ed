import { toBoundingBox } from '../map/box.ts'
import { isSearch, tableOf, type View } from './address.ts'
import { DATASET_FIELDS, DETAILS, FACTS, LISTED } from './data.ts'
import { enumOf, PAGE_SIZE } from './results.ts'
import type { Table } from './table-columns.ts'

/*
 * The request for the data of a view: as GraphQL, and as REST if there is a route.
 */

type Values = Readonly<Record<string, string | number | Readonly<Record<string, number>>>>

export interface ApiRequest {
  /** Path and query string of the REST request. */
  path: string
  /** The GraphQL operation. Its variables have the values as defaults, so it also runs without them. */
  query: string
  variables: Values
}

/** Returns the request for a view. */
export function requestOf(view: View): ApiRequest {
  if (view.item) return itemRequest(view.item)
  if (view.isAbout && view.dataset) return aboutRequest(view.dataset)
  if (view.compared) return compareRequest(view, view.compared)
  if (view.near) return nearbyRequest(view)
  if (isSearch(view)) return searchRequest(view)
  const table = tableOf(view)
  if (table) return tableRequest(view, table)
  if (view.dataset) return itemsRequest(view)
  return {
    path: '/v1/datasets',
    query: `query Datasets {\n  datasets {\n    total\n    nodes { ${DATASET_FIELDS} items { total } }\n  }\n}\n`,
    variables: {},
  }
}

function itemRequest(id: string): ApiRequest {
  return {
    path: `/v1/dataset-items/${encodeURIComponent(id)}`,
    query: `query Item($id: ID = ${JSON.stringify(id)}) {
  item(id: $id) {
    ${DETAILS}
  }
}
`,
    variables: { id },
  }
}

function aboutRequest(dataset: string): ApiRequest {
  return {
    path: `/v1/datasets/${encodeURIComponent(dataset)}`,
    query: `query About($dataset: ID = ${JSON.stringify(dataset)}) {
  dataset(id: $dataset) {
    ${DATASET_FIELDS}
    ${FACTS}
    categories { code label total }
    administrativeAreas { code label total }
  }
}
`,
    variables: { dataset },
  }
}

/** The same list of several datasets in one document. REST has one request for each; this is that of the first. */
function compareRequest({ compared: _, ...view }: View, compared: readonly string[]): ApiRequest {
  const { near, text, within } = view
  const search = { ...(text && { text }), ...(within && { within: toBoundingBox(within) }), limit: PAGE_SIZE }
  const given = near ? { ...near, limit: PAGE_SIZE } : search
  const list = near ? 'nearbyItems' : isSearch(view) ? 'searchItems' : 'items'
  const nodes = near ? `{ distance item { ${LISTED} } }` : `{ ${LISTED} }`
  const values = Object.entries(given).map(([name, value]) => `${name}: ${literal(value)}`)
  const parts = compared.map(
    (slug, n) => `  dataset${n + 1}: dataset(id: ${literal(slug)}) {
    name
    attribution
    ${list}(${values.join(', ')}) {
      total
      nodes ${nodes}
    }
  }
`,
  )
  const [first] = compared
  return { ...requestOf({ ...view, dataset: first }), query: `query Compare {\n${parts.join('')}}\n`, variables: {} }
}

function nearbyRequest({ near, ...view }: View): ApiRequest {
  const { category, area } = view
  const variables = { ...near, ...selection(view) }
  // The route of the specification has no filters.
  const path = category || area ? '/search' : '/v1/dataset-items/nearby'
  return {
    path: `${path}?${queryString(variables)}`,
    query: `query Nearby(${declare(variables)}) {
  nearbyItems(${Object.keys(variables).map(argument).join(', ')}) {
    total
    nodes { distance item { ${fieldsOf(view)} } }
  }
}
`,
    variables,
  }
}

function searchRequest(view: View): ApiRequest {
  const { text, within } = view
  const where = selection(view)
  const variables = { ...(text && { text }), ...(within && { within: toBoundingBox(within) }), ...where }
  const parameters = { ...(text && { text }), ...(within && { within: within.join() }), ...where }
  return {
    path: `/search?${queryString(parameters)}`,
    query: `query Search(${declare(variables)}) {
  searchItems(${Object.keys(variables).map(argument).join(', ')}) {
    total
    nodes { ${fieldsOf(view)} }
  }
}
`,
    variables,
  }
}

/** The fields of a place in the list, or in the table. */
function fieldsOf({ table }: View): string {
  return table ? `id ${table.fields.join(' ')}` : LISTED
}

/** The arguments that searches and nearby searches share. */
function selection({ dataset, category, area, table }: View) {
  return {
    ...(dataset && { datasetId: dataset }),
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
    ...(table && { page: table.page }),
    limit: PAGE_SIZE,
  }
}

function itemsRequest({ dataset = '', category, area }: View): ApiRequest {
  const list = {
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
    limit: PAGE_SIZE,
  }
  const variables = { dataset, ...list }
  return {
    path: `/v1/datasets/${encodeURIComponent(dataset)}/items?${queryString(list)}`,
    query: `query Items(${declare(variables)}) {
  dataset(id: $dataset) {
    name
    attribution
    items(${Object.keys(list).map(argument).join(', ')}) {
      total
      nodes { ${LISTED} }
    }
  }
}
`,
    variables,
  }
}

function tableRequest({ dataset = '', category, area }: View, { fields, sort, isDescending, page }: Table): ApiRequest {
  const filters = { ...(area && { administrativeAreaCode: area }), ...(category && { categoryCode: category }) }
  const list = { ...filters, page, limit: PAGE_SIZE }
  const order = isDescending ? 'desc' : 'asc'
  const variables = { dataset, ...list }
  const inOrder = `sort: ${enumOf(sort)}, order: ${order.toUpperCase()}`
  return {
    path: `/v1/datasets/${encodeURIComponent(dataset)}/items?${queryString({ ...list, sort, order })}`,
    query: `query Table(${declare(variables)}) {
  dataset(id: $dataset) {
    name
    attribution
    items(${inOrder}, ${Object.keys(list).map(argument).join(', ')}) {
      total
      nodes { id ${fields.join(' ')} }
    }
  }
}
`,
    variables,
  }
}

const argument = (name: string) => `${name}: $${name}`

/** The types of the arguments; those of the others are `String`. */
const TYPES: Readonly<Record<string, string>> = {
  dataset: 'ID',
  datasetId: 'ID',
  within: 'BoundingBox',
  latitude: 'Float',
  longitude: 'Float',
  radius: 'Float',
  page: 'Int',
  limit: 'Int',
}

function declare(variables: Values): string {
  return Object.entries(variables)
    .map(([name, value]) => `$${name}: ${TYPES[name] ?? 'String'} = ${literal(value)}`)
    .join(', ')
}

/** Writes a value as GraphQL does: like JSON, with plain names of fields. */
function literal(value: Values[string]): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, number]) => `${name}: ${number}`)
    .join(', ')} }`
}

function queryString(values: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString()
}
