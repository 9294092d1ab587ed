import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { reportUsage } from '../../src/auth/usage-report.ts'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

const t = useApp()

interface Sent {
  path: string
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** Sends requests with a new key. Returns the responses and the usage of the key. */
async function usageOf(...requests: readonly Sent[]) {
  const { id, key } = await createKey(t.database.prisma, { name: 'used' })
  const responses: { status: number; text: string; etag: string | null }[] = []
  for (const { path, method = 'GET', body, headers } of requests) {
    const response = await fetch(t.url + path, {
      method,
      ...(body !== undefined && { body }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    })
    responses.push({ status: response.status, text: await response.text(), etag: response.headers.get('etag') })
  }
  await t.keyUsage.write()
  const rows = await reportUsage(t.database.prisma, { key: id, days: 2 }, new Date())
  return { responses, usage: rows.map(({ dataset, requests, items, bytes }) => ({ dataset, requests, items, bytes })) }
}

const bytesOf = (responses: readonly { text: string }[]) =>
  responses.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
const graphql = (query: string): Sent => ({ path: '/graphql', method: 'POST', body: JSON.stringify({ query }) })

test.each<[string, Sent, items: number]>([
  ['a page of a list', { path: '/v1/datasets/seoul/items?limit=3' }, 3],
  ['the last page of a list', { path: '/v1/datasets/seoul/items?limit=5&page=2' }, 4],
  ['an item', { path: `/v1/dataset-items/${ITEM.palace}` }, 1],
  ['a page of nodes in GraphQL', graphql('{ dataset(id: "seoul") { items(limit: 4) { nodes { name } } } }'), 4],
  ['a total in GraphQL', graphql('{ dataset(id: "seoul") { items { total } } }'), 0],
  ['a connection', graphql('{ dataset(id: "seoul") { itemConnection(first: 2) { edges { node { name } } } } }'), 2],
  [
    'a nearby search in a dataset',
    { path: '/v1/dataset-items/nearby?datasetId=seoul&latitude=37.57&longitude=126.98&radius=50000&limit=2' },
    2,
  ],
  ['a search in a dataset', graphql('{ dataset(id: "seoul") { searchItems(text: "twin") { nodes { name } } } }'), 2],
  ['a page of features', { path: '/ogc/collections/seoul/items?limit=4' }, 4],
  ['an export', { path: '/exports/seoul.ndjson' }, 9],
])('%s counts as a request of its dataset, with its items and bytes, from the cache too', async (_, request, items) => {
  const { responses, usage } = await usageOf(request, request)
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  expect(usage).toEqual([{ dataset: 'seoul', requests: 2, items: 2 * items, bytes: bytesOf(responses) }])
})

test('a request that reads several datasets, or none, counts for no dataset', async () => {
  const { responses, usage } = await usageOf(
    { path: '/v1/datasets' },
    { path: '/v1/datasets/seoul/items?limit=0' },
    graphql('{ a: dataset(id: "seoul") { name } b: dataset(id: "archived") { name } }'),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 400, 200])
  expect(usage.map(({ dataset, requests }) => ({ dataset, requests }))).toEqual([{ dataset: null, requests: 3 }])
})

test('304 and HEAD count as requests without items and bytes', async () => {
  const path = '/v1/datasets/seoul/items?limit=7'
  const { responses } = await usageOf({ path })
  const { usage } = await usageOf(
    { path, headers: { 'if-none-match': responses[0]?.etag ?? '' } },
    { path, method: 'HEAD' },
  )
  expect(usage).toEqual([{ dataset: 'seoul', requests: 2, items: 0, bytes: 0 }])
})

test('a key with a limit of items gets the response that passes it, and then 429 until the minute is over', async () => {
  const { key } = await createKey(t.database.prisma, { name: 'limited', requestsPerMinute: 9, itemsPerMinute: 5 })
  const send = () => t.get('/v1/datasets/seoul/items?limit=3', { authorization: `Bearer ${key}` })
  const responses = [await send(), await send(), await send()]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(responses.map(({ headers }) => headers.get('ratelimit')?.replaceAll(/t=\d+/g, 't'))).toEqual([
    '"requests";r=8;t, "items";r=5;t',
    '"requests";r=7;t, "items";r=2;t',
    '"requests";r=6;t, "items";r=0;t',
  ])
  expect(responses[2]?.headers.get('ratelimit-policy')).toBe('"requests";q=9;w=60, "items";q=5;w=60')
  expect(await responses[2]?.json()).toMatchObject({
    error: { code: 'RATE_LIMITED', message: 'This API key may receive 5 items a minute' },
  })
})
