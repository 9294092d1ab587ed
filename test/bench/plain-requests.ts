import { bearer, ITEMS, post, RELATED } from './comparisons.ts'
import { CITY } from './seed.ts'
import type { LoadRequest } from './wrk.ts'

/*
 * Plain requests at each door, for the made-up towns and Korean places of seed.ts: small ones, as clients send most of the time.
 */

/** A door: its requests, and whether it is also measured with the response cache. */
export interface PlainDoor {
  name: string
  requests: readonly LoadRequest[]
  isCached: boolean
}

const REQUESTS = 1_000
const pages = Array.from({ length: REQUESTS }, (_, n) => n + 1)

/**
 * The requests at each door.
 * @param itemIds of the dataset
 */
export function plainDoors(key: string, itemIds: readonly string[]): PlainDoor[] {
  const get = (path: string): LoadRequest => ({ method: 'GET', path, headers: bearer(key) })
  const each = (request: (n: number) => LoadRequest) => pages.map(request)
  const firstPage = (n: number) => `/v1/datasets/towns/items?limit=20&categoryCode=c${n % 20}`
  return [
    { name: 'REST dataset', isCached: false, requests: [get('/v1/datasets/towns')] },
    { name: 'REST item', isCached: false, requests: itemIds.map((id) => get(`/v1/dataset-items/${id}`)) },
    { name: 'REST list', isCached: true, requests: each((n) => get(firstPage(n))) },
    {
      name: 'Korean list',
      isCached: true,
      requests: each((n) => get(`/v1/datasets/korea/items?page=${(n % 40) + 1}`)),
    },
    { name: 'REST page', isCached: false, requests: each((n) => get(`/v1/datasets/towns/items?page=${n}`)) },
    { name: 'REST nearby', isCached: false, requests: each((n) => get(nearby(n))) },
    { name: 'GraphQL list', isCached: true, requests: [post(ITEMS.catalog, {}, key)] },
    { name: 'GraphQL relations', isCached: false, requests: [post(RELATED.catalog, {}, key)] },
    {
      name: 'MCP list',
      isCached: true,
      requests: each((n) => callTool(key, { datasetId: 'towns', categoryCode: `c${n % 20}` })),
    },
    { name: 'tile', isCached: true, requests: each((n) => get(`/tiles/towns/12/${2048 + (n % 32)}/1586.mvt`)) },
  ]
}

function nearby(n: number): string {
  return `/v1/dataset-items/nearby?latitude=${CITY.latitude}&longitude=${CITY.longitude}&radius=${1_000 + n}`
}

function callTool(key: string, args: object): LoadRequest {
  return {
    method: 'POST',
    path: '/mcp',
    headers: { ...bearer(key), 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'listItems', arguments: args },
    }),
  }
}
