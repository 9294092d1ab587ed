import type { View } from './address.ts'

/*
 * What is shown, as the request that gets it: REST and GraphQL, and both in the forms that people copy.
 */

export interface ApiRequest {
  /** Path and query string of the REST request. */
  path: string
  /** The GraphQL operation. Its variables have the values as defaults, so it also runs without them. */
  query: string
  variables: Readonly<Record<string, string | number>>
}

const ITEM_FIELDS = 'id name categoryCode administrativeAreaCode latitude longitude'

/** Returns the request for a view. */
export function requestOf(view: View): ApiRequest {
  if (view.item) return itemRequest(view.item)
  if (view.near) return nearbyRequest(view)
  if (view.dataset) return itemsRequest(view)
  return {
    path: '/v1/datasets',
    query:
      'query Datasets {\n  datasets {\n    total\n    nodes { id slug name attribution items { total } }\n  }\n}\n',
    variables: {},
  }
}

function itemRequest(id: string): ApiRequest {
  return {
    path: `/v1/dataset-items/${encodeURIComponent(id)}`,
    query: `query Item($id: ID = ${JSON.stringify(id)}) {
  item(id: $id) {
    ${ITEM_FIELDS} description extraAttributes
    dataset { name attribution }
    parent { id name }
    children { nodes { id name } }
    images { originalUrl altText }
  }
}
`,
    variables: { id },
  }
}

function nearbyRequest({ near, dataset }: View): ApiRequest {
  const variables = { ...near, ...(dataset && { datasetId: dataset }) }
  const types = { latitude: 'Float', longitude: 'Float', radius: 'Float', datasetId: 'ID' }
  return {
    path: `/v1/dataset-items/nearby?${queryString(variables)}`,
    query: `query Nearby(${declare(variables, types)}) {
  nearbyItems(${Object.keys(variables).map(argument).join(', ')}) {
    total
    nodes { distance item { ${ITEM_FIELDS} } }
  }
}
`,
    variables,
  }
}

function itemsRequest({ dataset = '', category, area }: View): ApiRequest {
  const filters = {
    ...(area && { administrativeAreaCode: area }),
    ...(category && { categoryCode: category }),
  }
  const names = Object.keys(filters)
  const variables = { dataset, ...filters }
  const types = { dataset: 'ID', administrativeAreaCode: 'String', categoryCode: 'String' }
  const path = `/v1/datasets/${encodeURIComponent(dataset)}/items`
  return {
    path: names.length > 0 ? `${path}?${queryString(filters)}` : path,
    query: `query Items(${declare(variables, types)}) {
  dataset(id: $dataset) {
    name
    attribution
    items${names.length > 0 ? `(${names.map(argument).join(', ')})` : ''} {
      total
      nodes { ${ITEM_FIELDS} }
    }
  }
}
`,
    variables,
  }
}

type Values = Readonly<Record<string, string | number>>

const argument = (name: string) => `${name}: $${name}`

function declare(variables: Values, types: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `$${name}: ${types[name]} = ${JSON.stringify(value)}`)
    .join(', ')
}

function queryString(values: Values): string {
  return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString()
}

/** Returns the texts to copy, by the name of the form. */
export function formsOf({ path, query }: ApiRequest, origin: string, key: string): Record<string, string> {
  const url = origin + path
  const authorization = `Bearer ${key}`
  return {
    curl: `curl -H ${shellQuote(`Authorization: ${authorization}`)} ${shellQuote(url)}`,
    URL: url,
    GraphQL: query,
    JavaScript: `const response = await fetch(${JSON.stringify(url)}, {
  headers: { Authorization: ${JSON.stringify(authorization)} },
})
console.log(await response.json())
`,
    Python: `import json
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={"Authorization": ${JSON.stringify(authorization)}},
)
with urllib.request.urlopen(request) as response:
    print(json.dumps(json.load(response), indent=2, ensure_ascii=False))
`,
  }
}

/** Returns the address that opens GraphiQL with a request. */
export function graphiqlPath({ query, variables }: ApiRequest): string {
  const hasVariables = Object.keys(variables).length > 0
  const params = new URLSearchParams({
    query,
    ...(hasVariables && { variables: JSON.stringify(variables, undefined, 2) }),
  })
  return `/graphql?${params}`
}

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
