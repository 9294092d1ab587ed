import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { ITEM_FILTERS, mapFilters } from '../../src/catalog/filters.ts'
import { readConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/server/app.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { randomCases } from '../support/cases.ts'
import { DATASET, IMAGE, ITEM } from '../support/catalog.ts'

/*
 * A gateway answers with the same status, headers and bytes as one that caches no response and gets one request at a time: the first
 * time, from its cache, and when many requests arrive at once and share statements.
 */

/** The values of the filters in item `n`. */
const filterValues = (n: number) => ({
  ...mapFilters((filter) => `${filter}'${n % (2 + ITEM_FILTERS.indexOf(filter))}`),
  administrativeAreaCode: `a'${n % 3}`,
  categoryCode: `c${n % 5}`,
})

let t: TestApp
let real: FastifyInstance
/** No response cache, so that requests at the same time share statements each time. */
let uncached: FastifyInstance
const keys: string[] = []

beforeAll(async () => {
  t = await startApp()
  const { prisma } = t.database
  const withGrant = await createKey(prisma, { name: 'some', accessTiers: ['gold'], datasets: ['restricted'] })
  const withTier = await createKey(prisma, { name: 'tier', accessTiers: ['gold'] })
  const plain = await createKey(prisma, { name: 'plain' })
  keys.push(withGrant.key, withTier.key, plain.key)
  const now = new Date()
  // Enough items for offset bookmarks before the last page, and for a nearby search that uses the grid.
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
      ...filterValues(n),
      createdAt: new Date(now.getTime() - (n % 50) * 1000),
      updatedAt: now,
    })),
  })
  const { responseCacheBytes, limits } = readConfig({ MAX_EXPORTS: String(2 * CROWD) })
  const options = { database: t.database, corsOrigins: [], responseCacheBytes, limits }
  real = await createApp(options)
  uncached = await createApp({ ...options, responseCacheBytes: 0 })
})
afterAll(async () => {
  await Promise.all([real.close(), uncached.close()])
  await t.close()
})

/** Characters that JSON writers escape in different ways. */
const AWKWARD = `"Back\\slash"/ \b\t\n\f\r\u0001\u001f\u007f\u2028\ufeff\uffff é \u{1f3db} </script> $& $1`
const FIELDS =
  'updatedAt createdAt longitude latitude openingHours url email telephone contactName thumbnailUrl jibunAddress roadAddress postalCode addressLocality addressRegion streetAddress parentItemId categoryCode administrativeAreaCode description name datasetId id'

const ITEMS = '/v1/datasets/paid/items'
const NEARBY = '/v1/dataset-items/nearby?latitude=37.52&longitude=127.01'

/** Tiles and exports with the values of an item in each filter, and in all. */
const FILTERED_PATHS = [...ITEM_FILTERS.map((filter) => [filter]), ITEM_FILTERS].flatMap((filters) => {
  const query = new URLSearchParams(filters.map((filter) => [filter, filterValues(2)[filter]]))
  return [
    `/tiles/paid/0/0/0.mvt?${query}`,
    `/tiles/all/9/436/198.mvt?${query}&text=item`,
    `/tiles/all/12/3493/1586.mvt?${query}&latitude=37.52&longitude=127.01&radius=2500`,
    `/exports/paid.ndjson?${query}`,
    `/exports/paid.csv?flat=true&${query}`,
    `/exports/paid.geojson?${query}`,
  ]
})

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
  '/search?text=item%201&limit=5',
  '/search?text=gy&within=126,37,128,38&categoryCode=palace',
  '/search?text=1&latitude=37.52&longitude=127.01&radius=2500&limit=100',
  '/search?within=127,37.5,127.02,37.51&latitude=37.52&longitude=127.01&radius=50000&page=2',
  '/search?latitude=37.52&longitude=127.01&radius=2500&categoryCode=palace&datasetId=paid',
]

const LIST =
  'total nodes { id name latitude createdAt images { altText sortOrder } parent { name parent { id } images { id } } }'

/** The items and the children with the values of an item in one filter, in two, and in all. */
const FILTERED = [
  ...ITEM_FILTERS.flatMap((filter, n) => ITEM_FILTERS.slice(n).map((other) => [...new Set([filter, other])])),
  ITEM_FILTERS,
].map((filters) => {
  const args = filters.map((filter) => `${filter}: ${JSON.stringify(filterValues(2)[filter])}`).join(', ')
  const parent = 'parentItemId: "77777777-0000-4000-8000-000000000000"'
  return `{ dataset(id: "paid") {
    first: items(${args}) { ${LIST} } deep: items(${args}, page: 11, sort: UPDATED_AT) { total nodes { id } }
    total: items(${args}) { total } children: items(${args}, ${parent}) { total nodes { id } }
    itemConnection(${args}, last: 3) { totalCount nodes { id } pageInfo { hasPreviousPage } }
    nearbyItems(latitude: 37.52, longitude: 127.01, radius: 2500, page: 2, limit: 5, ${args}) { total nodes { distance item { name } } }
  } }`
})

const QUERIES: (string | [string, object])[] = [
  ...FILTERED,
  '{ datasets { total nodes { slug status items(limit: 2) { total nodes { name } } } } }',
  `{ dataset(id: "seoul") { name items(limit: 5) { ${LIST} } } }`,
  [`query ($page: Int) { dataset(id: "paid") { items(page: $page) { ${LIST} } } }`, { page: 60 }],
  `{ dataset(id: "paid") { items(limit: 30) { nodes { ${FIELDS} __typename } } } }`,
  `{ dataset(id: "seoul") { items { rows: nodes { ${FIELDS} images { isPrimary sortOrder altText thumbnailLargeUrl thumbnailMediumUrl thumbnailSmallUrl cdnUrl originalUrl __typename id } parent { __typename ${FIELDS} images { id } } } } } }`,
  `{ dataset(id: "seoul") { items { nodes { id extraAttributes } } } }`,
  '{ dataset(id: "seoul") { items { nodes { ...A name ... { url } ... on Node { id } ...A } } } } fragment A on Item { id images { ...B } } fragment B on Image { altText }',
  '{ dataset(id: "seoul") { items { nodes { images { id } images { altText } parent { id } parent { name } } } } }',
  '{ dataset(id: "seoul") { items { nodes { id } nodes { name } } items { nodes { url } total } } }',
  '{ dataset(id: "seoul") { items { nodes { id } } ...D } } fragment D on Dataset { items { nodes { name } } }',
  '{ dataset(id: "seoul") { items { nodes { id } other: nodes { name } } } }',
  'query ($no: Boolean = false) { dataset(id: "seoul") { items { page nodes @include(if: $no) { id } } } }',
  'query ($no: Boolean = false) { dataset(id: "seoul") { items { nodes { id name @include(if: $no) } } } }',
  '{ dataset(id: "seoul") { items { nodes { name parent { parent { name } } } } } }',
  '{ dataset(id: "seoul") { items(limit: 3) { nodes { name children { total nodes { id name } } } } } }',
  '{ datasets { nodes { slug items(limit: 2) { nodes { __typename name } } } } }',
  '{ dataset(id: "seoul") { items(categoryCode: "none") { nodes { id } total } } }',
  '{ dataset(id: "seoul") { items { nodes { id } } bad: items(limit: 0) { nodes { id } } } }',
  '{ dataset(id: "seoul") { items { rawNodes } } }',
  [
    'query ($with: Boolean!) { dataset(id: "seoul") { items(limit: 2) { nodes { ...F @include(if: $with) id } } } } fragment F on Item { images { id } n: name }',
    { with: false },
  ],
  '{ dataset(id: "seoul") { a: items(limit: 1) { total } b: items(limit: 1, page: 2) { page limit nodes { __typename id children { total nodes { name } } } } } }',
  '{ dataset(id: "paid") { itemConnection(first: 3) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { name } } } } }',
  '{ dataset(id: "paid") { itemConnection(last: 3, sort: UPDATED_AT) { nodes { updatedAt dataset { slug } } pageInfo { hasPreviousPage } } } }',
  '{ dataset(id: "seoul") { itemConnection(first: 2) { totalCount } nearbyItems(latitude: 37.5, longitude: 127) { total } } }',
  '{ nearbyItems(latitude: 37.52, longitude: 127.01, radius: 50000, page: 30) { total nodes { distance item { name images { id } parent { name } dataset { slug } } } } }',
  `{ nodes(ids: ["${DATASET.draft}", "${ITEM.palace}", "${IMAGE.first}", "x"]) { __typename id ... on Item { images { id } } } }`,
  `{ searchItems(text: "item 1", limit: 5) { total nodes { ${FIELDS} externalId __typename } } }`,
  '{ searchItems(text: "I", page: 40) { total nodes { id extraAttributes parent { name } } } }',
  '{ searchItems(within: { west: 127, south: 37.5, east: 127.02, north: 37.51 }) { total page limit nodes { id name } } }',
  '{ dataset(id: "paid") { searchItems(within: { west: 0, south: -90, east: 180, north: 90 }, page: 3) { total nodes { name } } } }',
  '{ dataset(id: "paid") { categories { code total } administrativeAreas { total code } } }',
  '{ suggestItems(text: "gyeonbok") { id name keywords images { id } } }',
  '{ dataset(id: "seoul") { id } suggestItems(text: "item 1", limit: 30, datasetId: "paid") { id name } }',
  '{ findItems(text: "1", latitude: 37.52, longitude: 127.01, radius: 900, page: 2) { total nodes { distance item { id } } } }',
  '{ searchItems { total } good: searchItems(text: "gyeong", categoryCode: "palace") { total } }',
  `{ item(id: "${ITEM.gate}") { name parent { name } children { total } extraAttributes } }`,
  '{ dataset(id: "nowhere") { name } good: dataset(id: "seoul") { id } }',
  '{ other: dataset(id: "draft") { id } good: dataset(id: "seoul") { id } }',
  '{ dataset(id: "seoul") { items(limit: 1000) { total } } }',
  '{ nothing }',
  '{ dataset(id: "seoul") { name ',
  'query A { datasets { total } } query B { datasets { total } }',
  ['query ($page: Int!) { dataset(id: "seoul") { items(page: $page) { total } } }', { page: 'x' }],
  'mutation { x }',
  '{ __schema { queryType { name } } }',
]
const DOCUMENTS = QUERIES.map((query): [string, object?] => (typeof query === 'string' ? [query] : query))

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

/** What a client can tell apart, without what names this one request. */
async function answerOf(app: FastifyInstance, sent: Sent, key = keys[0]) {
  const headers = { authorization: `Bearer ${key}`, ...sent.headers }
  const response = await app.inject({ ...sent, headers })
  const { etag, 'content-type': type, 'cache-control': cacheControl, vary, link } = response.headers
  const body = response.body.replace(/"requestId":"[^"]*"/, '')
  return { status: response.statusCode, type, etag, cacheControl, vary, link, body }
}

/** As many requests as a gateway accepts at once. With more, some wait too long for a connection on a busy machine. */
const CROWD = 50

/** The answers to all requests, which arrive in crowds. */
async function answersInCrowds<Asked>(asked: readonly Asked[], ask: (one: Asked) => ReturnType<typeof answerOf>) {
  const answers: Awaited<ReturnType<typeof answerOf>>[] = []
  for (let n = 0; n < asked.length; n += CROWD) {
    answers.push(...(await Promise.all(asked.slice(n, n + CROWD).map(ask))))
  }
  return answers
}

const post = (body: string, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  url: '/graphql',
  headers: { 'content-type': 'application/json', ...headers },
  payload: body,
})

const get = (query: string, variables?: object): Sent => {
  const parameters = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) })
  return { method: 'GET', url: `/graphql?${parameters}` }
}

const hashed = (query: string, variables?: object): Sent => {
  const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') }
  return post(JSON.stringify({ query, variables, extensions: { persistedQuery } }))
}

const ALL: [string, Sent][] = [
  ...[...PATHS, ...FILTERED_PATHS].map((url): [string, Sent] => [url, { method: 'GET', url }]),
  ...PATHS.map((url): [string, Sent] => [
    `${url} as GeoJSON`,
    { method: 'GET', url, headers: { accept: 'application/geo+json, */*;q=0.1' } },
  ]),
  ...DOCUMENTS.map(([query, variables]): [string, Sent] => [query, post(JSON.stringify({ query, variables }))]),
  ...DOCUMENTS.map(([query, variables]): [string, Sent] => [`GET ${query}`, get(query, variables)]),
  ...DOCUMENTS.map(([query, variables]): [string, Sent] => [`by its hash ${query}`, hashed(query, variables)]),
  ...SENT.map(([what, headers, body]): [string, Sent] => [`a request ${what}`, post(body, headers)]),
]

describe('A request gets the same response from the cache, and beside other requests', () => {
  test.each(ALL)('%s', async (_what, sent) => {
    const expected = await answerOf(uncached, sent)
    expect(expected.status).toBeLessThan(500)
    expect(await answerOf(real, sent)).toEqual(expected)
    expect(await answerOf(real, sent)).toEqual(expected)
  })

  test('when all requests of three keys arrive at once, in any order', async () => {
    const requests = keys.flatMap((key) => ALL.map(([, sent]) => ({ key, sent })))
    const expected = new Map<object, unknown>()
    for (const request of requests) expected.set(request, await answerOf(uncached, request.sent, request.key))
    for (let seed = 1; seed <= randomCases({ all: 3, few: 1 }); seed += 1) {
      const shuffled = shuffle(requests, seed)
      const answers = await answersInCrowds(shuffled, ({ key, sent }) => answerOf(uncached, sent, key))
      answers.forEach((answer, n) => {
        const request = shuffled[n]
        expect(answer, JSON.stringify(request?.sent)).toEqual(request && expected.get(request))
      })
    }
  })

  test('when requests for different pages of the same shape arrive at once and share statements', async () => {
    const lists = ['paid', 'seoul', 'archived', 'restricted'].flatMap((slug) =>
      [
        '',
        'administrativeAreaCode=a%270',
        'administrativeAreaCode=a%271',
        'categoryCode=c1',
        'categoryCode=c2',
      ].flatMap((filter) =>
        [1, 2, 3, 20].map(
          (limit): Sent => ({ method: 'GET', url: `/v1/datasets/${slug}/items?limit=${limit}&${filter}` }),
        ),
      ),
    )
    const expected = new Map<Sent, unknown>()
    for (const sent of lists) expected.set(sent, await answerOf(uncached, sent))
    expect(new Set([...expected.values()].map((answer) => JSON.stringify(answer))).size).toBeGreaterThan(30)
    for (const seed of [1, 2, 3, 4, 5]) {
      const shuffled = shuffle(lists, seed)
      const answers = await answersInCrowds(shuffled, (sent) => answerOf(uncached, sent))
      shuffled.forEach((sent, n) => {
        expect(answers[n], sent.url).toEqual(expected.get(sent))
      })
    }
  })
})

/** The same elements in an order that the seed decides. */
function shuffle<Element>(elements: readonly Element[], seed: number): Element[] {
  return elements
    .map((element, n) => ({ element, rank: createHash('sha256').update(`${seed} ${n}`).digest('hex') }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ element }) => element)
}
