import type { LoadRequest } from './wrk.ts'

/*
 * The worst requests that are known for each door, for the made-up towns of seed.ts. `worst.ts` looks for worse ones. The nth request
 * differs from the others, so that no response cache has it.
 */

type Door = (n: number) => LoadRequest

const get = (path: string): LoadRequest => ({ method: 'GET', path })

const query = (text: string): LoadRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: text }),
})

const tool = (name: string, args: object): LoadRequest => ({
  method: 'POST',
  path: '/mcp',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
})

const aliases = (count: number, field: (k: number) => string): string =>
  Array.from({ length: count }, (_, k) => `a${k}: ${field(k)}`).join(' ')

export const DOORS: Readonly<Record<string, Door>> = {
  search: (n) => get(`/search?text=${'0123456789abcdef'[n % 16]}&limit=100&page=${100 + n}`),
  'deep page': (n) =>
    get(`/v1/datasets/towns/items?categoryCode=c${n % 20}&sort=updatedAt&limit=100&page=${20 + (n % 20)}`),
  nearby: (n) =>
    get(`/v1/dataset-items/nearby?latitude=37.56&longitude=126.97&radius=${50_000 - n}&limit=100&page=${300 + n}`),
  'nearby filter': (n) =>
    query(`{ nearbyItems(latitude: 37.56, longitude: 126.97, radius: ${50_000 - n}, categoryCode: "c3", limit: 100, page: 5) {
      total nodes { item { id name images { id } } distance } } }`),
  facets: (n) =>
    query(
      `{ ${aliases(49, (_) => `dataset(id: "towns") { id a${n}: name categories { code label total } administrativeAreas { code label total } }`)} }`,
    ),
  searches: (n) =>
    query(
      `{ ${aliases(20, (k) => `searchItems(text: "${'0123456789abcdef'[(n + k) % 16]}", limit: 20, page: ${1 + n}) { total nodes { id name } }`)} }`,
    ),
  suggestions: (n) => query(`{ ${aliases(9, (k) => `suggestItems(text: "plaec ${n}${k}", limit: 20) { id name }`)} }`),
  'greatest cost': (n) =>
    query(`{ dataset(id: "towns") { items(limit: 100, page: ${n + 1}) { nodes { id name description images { id cdnUrl altText }
      children(limit: 8) { total nodes { id name images { id cdnUrl } } } } } } }`),
  tiles: (n) =>
    get(`/tiles/towns/${['0/0/0', '1/1/0', '2/3/1', '5/27/12'][n % 4]}.mvt?text=${'0123456789abcdef'[n % 16]}`),
  exports: (n) => get(`/exports/towns.${['csv', 'ndjson', 'geojson'][n % 3]}?categoryCode=c${n % 20}`),
  ogc: (n) => get(`/ogc/collections/towns/items?limit=1000&bbox=-180,-90,180,${90 - n / 100}`),
  mcp: (n) => tool('searchItems', { text: '0123456789abcdef'[n % 16], limit: 100, page: 10 + n }),
}
