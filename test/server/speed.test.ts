import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig, type SpeedConfig } from '../../src/config.ts'
import { createApp } from '../../src/server/app.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM } from '../support/catalog.ts'

/*
 * Whatever makes answers fast can be switched off, and then the answers are the same: status, headers that matter, and every byte.
 */

let t: TestApp
let key: string
const apps = new Map<string, FastifyInstance>()

const { speed: DEFAULTS, limits } = readConfig({})
const OFF: SpeedConfig = {
  responseCacheBytes: 0,
  keepRecords: false,
  optimisticReads: false,
  storedTotals: false,
  pageMarks: false,
  nearbyCubes: false,
  batchedSends: false,
  writtenPages: false,
  sharedStatements: false,
  directGraphQL: false,
}

beforeAll(async () => {
  t = await startApp()
  const { prisma } = t.database
  ;({ key } = await createKey(prisma, { name: 'some', accessTiers: ['gold'], datasets: ['restricted'] }))
  const now = new Date()
  // So many that there are marks on the way to the last page, and more near a point than are searched at once.
  await prisma.item.createMany({
    data: Array.from({ length: 1_300 }, (_, n) => ({
      id: `77777777-0000-4000-8000-${String(n).padStart(12, '0')}`,
      datasetId: DATASET.paid,
      parentItemId: n % 7 === 3 ? '77777777-0000-4000-8000-000000000000' : null,
      name: n === 0 ? AWKWARD : `Item ${(n * 7919) % 1000}`,
      description: n === 1 ? AWKWARD : '',
      openingHours: n % 2 === 0 ? null : '',
      latitude: (37.5 + (n % 40) / 1000).toFixed(7),
      longitude: (127 + Math.floor(n / 40) / 1000).toFixed(7),
      administrativeAreaCode: `a'${n % 3}`,
      categoryCode: `c${n % 5}`,
      createdAt: new Date(now.getTime() - (n % 50) * 1000),
      updatedAt: now,
    })),
  })
  const { database } = t
  const open = async (name: string, speed: SpeedConfig) =>
    apps.set(name, await createApp({ database, corsOrigins: [], speed, limits }))
  await open('nothing', OFF)
  for (const name of Object.keys(OFF)) await open(name, { ...DEFAULTS, [name]: OFF[name as keyof SpeedConfig] })
})
afterAll(async () => {
  for (const app of apps.values()) await app.close()
  await t.close()
})

/** All that JSON writers write in different ways. */
const AWKWARD = `"Back\\slash"/ \b\t\n\f\r\u0001\u001f\u007f\u2028\ufeff\uffff é \u{1f3db} </script> $& $1`
const FIELDS =
  'updatedAt createdAt longitude latitude openingHours url email telephone contactName thumbnailUrl jibunAddress roadAddress postalCode addressLocality addressRegion streetAddress parentItemId categoryCode administrativeAreaCode description name datasetId id'

const ITEMS = '/v1/datasets/paid/items'
const NEARBY = '/v1/dataset-items/nearby?latitude=37.52&longitude=127.01'

const PATHS = [
  '/v1/datasets',
  '/v1/datasets/paid',
  '/v1/datasets/draft',
  '/v1/datasets/nowhere',
  ITEMS,
  `${ITEMS}?page=65`,
  `${ITEMS}?page=14&limit=90&order=desc`,
  `${ITEMS}?page=600&limit=2&sort=createdAt`,
  `${ITEMS}?page=600&limit=2&sort=updatedAt&order=desc`,
  `${ITEMS}?page=2147483647&limit=100`,
  `${ITEMS}?page=66`,
  `${ITEMS}?administrativeAreaCode=a%271&categoryCode=c2&page=3`,
  `${ITEMS}?categoryCode=none`,
  `${ITEMS}?parentItemId=null&page=60`,
  `${ITEMS}?parentItemId=77777777-0000-4000-8000-000000000000&page=9`,
  `${ITEMS}?parentItemId=77777777-0000-4000-8000-000000000000&categoryCode=c2`,
  `${ITEMS}?limit=101&sort=x`,
  `/v1/dataset-items/${ITEM.palace}`,
  `/v1/dataset-items/${ITEM.draft}`,
  NEARBY,
  `${NEARBY}&radius=50000&page=20`,
  `${NEARBY}&radius=50000&page=90`,
  `${NEARBY}&radius=2500&limit=100&datasetId=paid`,
  `${NEARBY}&radius=50000&datasetId=seoul`,
]

const LIST =
  'total nodes { id name latitude createdAt images { altText sortOrder } parent { name parent { id } images { id } } }'

const DOCUMENTS: [string, object?][] = [
  ['{ datasets { total nodes { slug status items(limit: 2) { total nodes { name } } } } }'],
  [`{ dataset(id: "seoul") { name items(limit: 5) { ${LIST} } } }`],
  [`query ($page: Int) { dataset(id: "paid") { items(page: $page) { ${LIST} } } }`, { page: 60 }],
  [`{ dataset(id: "paid") { items(limit: 30) { nodes { ${FIELDS} __typename } } } }`],
  [
    `{ dataset(id: "seoul") { items { rows: nodes { ${FIELDS} images { isPrimary sortOrder altText thumbnailLargeUrl thumbnailMediumUrl thumbnailSmallUrl cdnUrl originalUrl __typename id } parent { __typename ${FIELDS} images { id } } } } } }`,
  ],
  [`{ dataset(id: "seoul") { items { nodes { id extraAttributes } } } }`],
  [
    '{ dataset(id: "seoul") { items { nodes { ...A name ... { url } ... on Node { id } ...A } } } } fragment A on Item { id images { ...B } } fragment B on Image { altText }',
  ],
  ['{ dataset(id: "seoul") { items { nodes { images { id } images { altText } parent { id } parent { name } } } } }'],
  ['{ dataset(id: "seoul") { items { nodes { id } nodes { name } } items { nodes { url } total } } }'],
  ['{ dataset(id: "seoul") { items { nodes { id } } ...D } } fragment D on Dataset { items { nodes { name } } }'],
  ['{ dataset(id: "seoul") { items { nodes { id } other: nodes { name } } } }'],
  ['query ($no: Boolean = false) { dataset(id: "seoul") { items { page nodes @include(if: $no) { id } } } }'],
  ['query ($no: Boolean = false) { dataset(id: "seoul") { items { nodes { id name @include(if: $no) } } } }'],
  ['{ dataset(id: "seoul") { items { nodes { name parent { parent { name } } } } } }'],
  ['{ dataset(id: "seoul") { items(limit: 3) { nodes { name children { total nodes { id name } } } } } }'],
  ['{ datasets { nodes { slug items(limit: 2) { nodes { __typename name } } } } }'],
  ['{ dataset(id: "seoul") { items(categoryCode: "none") { nodes { id } total } } }'],
  ['{ dataset(id: "seoul") { items { nodes { id } } bad: items(limit: 0) { nodes { id } } } }'],
  ['{ dataset(id: "seoul") { items { writtenNodes } } }'],
  [
    'query ($with: Boolean!) { dataset(id: "seoul") { items(limit: 2) { nodes { ...F @include(if: $with) id } } } } fragment F on Item { images { id } n: name }',
    { with: false },
  ],
  [
    '{ dataset(id: "seoul") { a: items(limit: 1) { total } b: items(limit: 1, page: 2) { page limit nodes { __typename id children { total nodes { name } } } } } }',
  ],
  [
    '{ dataset(id: "paid") { itemConnection(first: 3) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { name } } } } }',
  ],
  [
    '{ dataset(id: "paid") { itemConnection(last: 3, sort: UPDATED_AT) { nodes { updatedAt dataset { slug } } pageInfo { hasPreviousPage } } } }',
  ],
  [
    '{ dataset(id: "seoul") { itemConnection(first: 2) { totalCount } nearbyItems(latitude: 37.5, longitude: 127) { total } } }',
  ],
  [
    '{ nearbyItems(latitude: 37.52, longitude: 127.01, radius: 50000, page: 30) { total nodes { distance item { name images { id } parent { name } dataset { slug } } } } }',
  ],
  [
    `{ nodes(ids: ["${DATASET.draft}", "${ITEM.palace}", "${IMAGE.first}", "x"]) { __typename id ... on Item { images { id } } } }`,
  ],
  [`{ item(id: "${ITEM.gate}") { name parent { name } children { total } extraAttributes } }`],
  ['{ dataset(id: "nowhere") { name } good: dataset(id: "seoul") { id } }'],
  ['{ other: dataset(id: "draft") { id } good: dataset(id: "seoul") { id } }'],
  ['{ dataset(id: "seoul") { items(limit: 1000) { total } } }'],
  ['{ nothing }'],
  ['{ dataset(id: "seoul") { name '],
  ['query A { datasets { total } } query B { datasets { total } }'],
  ['query ($page: Int!) { dataset(id: "seoul") { items(page: $page) { total } } }', { page: 'x' }],
  ['mutation { x }'],
  ['{ __schema { queryType { name } } }'],
]

const SENT: [string, Record<string, string>, string][] = [
  ['with the type of GraphQL', { accept: 'application/graphql-response+json' }, '{"query":"{ datasets { total } }"}'],
  ['that wants HTML', { accept: 'text/html' }, '{"query":"{ datasets { total } }"}'],
  ['that wants anything', { accept: '*/*' }, '{"query":"{ datasets { total } }"}'],
  ['that is refused, with the type of GraphQL', { accept: 'application/graphql-response+json' }, '{"query":"{ x }"}'],
  [
    'by the name of an operation',
    {},
    '{"query":"query A { datasets { total } } query B { datasets { nodes { id } } }","operationName":"B"}',
  ],
  ['with nulls', {}, '{"query":"{ datasets { total } }","variables":null,"operationName":null,"extensions":null}'],
  ['with a cost', {}, '{"query":"{ datasets { total } }","extensions":{"cost":true}}'],
  ['that is no object', {}, '["x"]'],
  ['that is no JSON', {}, '{"query":'],
  ['without a query', {}, '{"variables":{}}'],
  ['as text', { 'content-type': 'text/plain' }, '{"query":"{ datasets { total } }"}'],
]

interface Sent {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  payload?: string
}

/** What a client can tell apart, but for what names this one request. */
async function answerOf(name: string, sent: Sent) {
  const headers = { authorization: `Bearer ${key}`, ...sent.headers }
  const response = await apps.get(name)?.inject({ ...sent, headers })
  const { etag, 'content-type': type, 'cache-control': cacheControl, vary } = response?.headers ?? {}
  const body = response?.body.replace(/"requestId":"[^"]*"/, '')
  return { status: response?.statusCode, type, etag, cacheControl, vary, body }
}

const post = (body: string, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  url: '/graphql',
  headers: { 'content-type': 'application/json', ...headers },
  payload: body,
})

const ALL: [string, Sent][] = [
  ...PATHS.map((url): [string, Sent] => [url, { method: 'GET', url }]),
  ...DOCUMENTS.map(([query, variables]): [string, Sent] => [query, post(JSON.stringify({ query, variables }))]),
  ...SENT.map(([what, headers, body]): [string, Sent] => [`a request ${what}`, post(body, headers)]),
]

describe.each(Object.keys(OFF))('Without %s', (name) => {
  test.each(ALL)('%s has the same answer, the first time and again', async (_what, sent) => {
    const expected = await answerOf('nothing', sent)
    expect(expected.status).toBeLessThan(500)
    expect(await answerOf(name, sent)).toEqual(expected)
    expect(await answerOf(name, sent)).toEqual(expected)
  })
})
