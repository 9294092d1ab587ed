import { isSearch, type View } from './address.ts'
import { toBoundingBox } from './box.ts'
import { DATASET_FIELDS, DETAILS, LISTED } from './data.ts'
import { PAGE_SIZE } from './results.ts'

/*
 * The request for the data of a view: as GraphQL, and as REST if there is a route.
 */

type Values = Readonly<Record<string, string | number | Readonly<Record<string, number>>>>

export interface ApiRequest {
  /** Path and query string of the REST request; undefined for a search, which has no REST route. */
  path?: string
  /** The GraphQL operation. Its variables have the values as defaults, so it also runs without them. */
  query: string
  variables: Values
}

/** Returns the request for a view. */
export function requestOf(view: View): ApiRequest {
  if (view.item) return itemRequest(view.item)
  if (view.near) return nearbyRequest(view)
  if (isSearch(view)) return searchRequest(view)
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

function nearbyRequest({ near, dataset }: View): ApiRequest {
  const variables = { ...near, ...(dataset && { datasetId: dataset }), limit: PAGE_SIZE }
  const types = { latitude: 'Float', longitude: 'Float', radius: 'Float', datasetId: 'ID', limit: 'Int' }
  return {
    path: `/v1/dataset-items/nearby?${queryString(variables)}`,
    query: `query Nearby(${declare(variables, types)}) {
  nearbyItems(${Object.keys(variables).map(argument).join(', ')}) {
    total
    nodes { distance item { ${LISTED} } }
  }
}
`,
    variables,
  }
}

function searchRequest({ dataset, text, within, category, area }: View): ApiRequest {
  const variables = {
    ...(text && { text }),
    ...(within && { within: toBoundingBox(within) }),
    ...(dataset && { datasetId: dataset }),
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
    limit: PAGE_SIZE,
  }
  const types = {
    text: 'String',
    within: 'BoundingBox',
    datasetId: 'ID',
    administrativeAreaCode: 'String',
    categoryCode: 'String',
    limit: 'Int',
  }
  return {
    query: `query Search(${declare(variables, types)}) {
  searchItems(${Object.keys(variables).map(argument).join(', ')}) {
    total
    nodes { ${LISTED} }
  }
}
`,
    variables,
  }
}

function itemsRequest({ dataset = '', category, area }: View): ApiRequest {
  const list = {
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
    limit: PAGE_SIZE,
  }
  const variables = { dataset, ...list }
  const types = { dataset: 'ID', administrativeAreaCode: 'String', categoryCode: 'String', limit: 'Int' }
  return {
    path: `/v1/datasets/${encodeURIComponent(dataset)}/items?${queryString(list)}`,
    query: `query Items(${declare(variables, types)}) {
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

const argument = (name: string) => `${name}: $${name}`

function declare(variables: Values, types: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `$${name}: ${types[name]} = ${literal(value)}`)
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
