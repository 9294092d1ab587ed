import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { randomCases } from '../support/cases.ts'
import { decodeTile } from '../support/tiles.ts'

/*
 * Compares the gateway with a plain model of the access rule (docs/access.md), for random catalogs, keys, grants and documents.
 * By any route, a response contains nothing that its key may not access: no id, name, count, cursor or tag.
 */

const t = useApp({ federation: true })

const TIERS = ['a', 'b']
const NOW = Date.now()
const HOUR = 3_600_000

const world = fc.record({
  datasets: fc.array(
    fc.record({
      status: fc.constantFrom('draft', 'active', 'inactive', 'archived'),
      visibility: fc.constantFrom('public', 'restricted', 'paid'),
      tier: fc.constantFrom(null, ...TIERS),
      /** For each item: which of those before it is its parent, if any, and how many images it has. */
      items: fc.array(fc.record({ parent: fc.option(fc.nat(3)), images: fc.nat(2) }), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 2, maxLength: 4 },
  ),
  keys: fc.array(
    fc.record({
      tiers: fc.subarray(TIERS),
      /** For each dataset. */
      grants: fc.array(fc.constantFrom('none', 'expired', 'good', 'endless'), { minLength: 4, maxLength: 4 }),
    }),
    { minLength: 2, maxLength: 3 },
  ),
})
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never

/** A selection on an item, of random depth. */
const { item: itemSelection } = fc.letrec<{ item: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('id name', 'id datasetId images { id altText }', 'id dataset { id slug name }'),
    fc
      .tuple(fc.constantFrom('parent', 'children'), tie('item'))
      .map(([field, inner]) =>
        field === 'parent' ? `id parent { ${inner} }` : `name children(limit: 5) { total nodes { ${inner} } }`,
      ),
    tie('item').map(
      (inner) =>
        `id dataset { slug items(limit: 5) { total nodes { ${inner} } } itemConnection(first: 3) { totalCount edges { cursor node { id } } } }`,
    ),
  ),
}))

/** Each catalog has different ids, so that a response about an earlier catalog is never correct. */
let run = 0
const uuid = (kind: number, dataset: number, n = 0, k = 0) =>
  `${String(kind).repeat(8)}-${String(run).padStart(4, '0')}-4000-8000-${String(dataset * 10_000 + n * 10 + k + 1).padStart(12, '0')}`
const slugOf = (dataset: number) => `hidden-${run}-${dataset}`

async function create({ datasets, keys }: World): Promise<string[]> {
  run += 1
  const { prisma } = t.database
  await prisma.$transaction([prisma.apiKey.deleteMany(), prisma.dataset.deleteMany()])
  const at = new Date(NOW - HOUR)
  for (const [d, { status, visibility, tier, items }] of datasets.entries()) {
    await prisma.dataset.create({
      data: {
        id: uuid(1, d),
        slug: slugOf(d),
        name: `Name of ${slugOf(d)}`,
        status,
        visibility,
        accessTier: tier,
        attribution: slugOf(d),
        createdAt: at,
        updatedAt: at,
        items: {
          create: items.map(({ parent, images }, n) => ({
            id: uuid(2, d, n),
            name: `Item ${n} of ${slugOf(d)}`,
            administrativeAreaCode: 'x',
            categoryCode: 'y',
            latitude: (10 + d / 1000).toFixed(7),
            longitude: (20 + n / 1000).toFixed(7),
            parentItemId: parent !== null && parent < n ? uuid(2, d, parent) : null,
            createdAt: at,
            updatedAt: at,
            images: {
              create: Array.from({ length: images }, (_, k) => ({
                id: uuid(3, d, n, k),
                originalUrl: `https://x/${slugOf(d)}`,
                cdnUrl: 'https://x/y',
                thumbnailSmallUrl: 'https://x/y',
                thumbnailMediumUrl: 'https://x/y',
                thumbnailLargeUrl: 'https://x/y',
                altText: slugOf(d),
                sortOrder: k,
                isPrimary: k === 0,
              })),
            },
          })),
        },
      },
    })
  }
  const made: string[] = []
  for (const [n, { tiers, grants }] of keys.entries()) {
    const { key, id } = await createKey(prisma, { name: `key ${n}`, accessTiers: tiers })
    for (const [d, grant] of grants.entries()) {
      if (grant === 'none' || d >= datasets.length) continue
      const expiresAt = grant === 'endless' ? null : new Date(NOW + (grant === 'good' ? HOUR : -HOUR))
      await prisma.grant.create({ data: { apiKeyId: id, datasetId: uuid(1, d), expiresAt, createdAt: at } })
    }
    made.push(key)
  }
  return made
}

/** The numbers of the GraphQL documents that were executed for some selection. */
const executed = new Set<number>()

/** The access rule in plain code. */
function maySee({ datasets, keys }: World, key: number, dataset: number): boolean {
  const { status, visibility, tier } = datasets[dataset] ?? {}
  const { tiers = [], grants = [] } = keys[key] ?? {}
  if (grants[dataset] === 'good' || grants[dataset] === 'endless') return true
  if (status === 'draft' || status === 'inactive') return false
  if (visibility === 'public') return true
  return visibility === 'paid' && tier != null && tiers.includes(tier)
}

test('a response contains what the model of the access rule allows, and reveals nothing else', {
  timeout: 900_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(itemSelection, { minLength: 3, maxLength: 3 }), async (made, selections) => {
      const keys = await create(made)
      const all = made.datasets.map((_, d) => d)
      // Each key asks after another one, so that the response to one is cached when another sends the same request.
      for (const [n, key] of [...keys.entries(), ...[...keys.entries()].slice(0, 1)]) {
        const seen = all.filter((d) => maySee(made, n, d))
        await expectAnswers(made, key, seen, selections)
      }
      await expectForeignTags(made, keys)
    }),
    // To shrink a case, with an import and requests of each key, takes hours.
    { numRuns: randomCases({ all: 12, few: 4 }), endOnFailure: true },
  )
  expect([...executed].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
})

async function expectAnswers(made: World, key: string, seen: number[], selections: string[]): Promise<void> {
  const all = made.datasets.map((_, d) => d)
  const hidden = all.filter((d) => !seen.includes(d))
  const itemsOf = (d: number) => made.datasets[d]?.items.map((_, n) => uuid(2, d, n)) ?? []
  const imagesOf = (d: number) =>
    made.datasets[d]?.items.flatMap(({ images }, n) => Array.from({ length: images }, (_, k) => uuid(3, d, n, k))) ?? []
  const tellsNothing = (text: string) => {
    for (const d of hidden) {
      expect(text).not.toContain(slugOf(d))
      for (const id of [uuid(1, d), ...itemsOf(d), ...imagesOf(d)]) expect(text).not.toContain(id)
    }
  }
  const get = async (path: string) => {
    const response = await t.get(path, { authorization: `Bearer ${key}` })
    const text = await response.text()
    tellsNothing(text + JSON.stringify([...response.headers]))
    return { status: response.status, body: JSON.parse(text) }
  }
  const getOgc = (path: string) => get(`/ogc/collections/${path}`)
  const idsOf = (nodes: { id: string }[]) => nodes.map(({ id }) => id).sort()

  // The gateway shows a change within a second (docs/security.md).
  const listed = async () => idsOf((await get('/v1/datasets')).body.data)
  await expect.poll(listed, { interval: 5 }).toEqual(seen.map((d) => uuid(1, d)).sort())
  const list = await get('/v1/datasets')
  expect(list.body.meta).toEqual({ total: seen.length })
  const collections = (await get('/ogc/collections')).body.collections
  expect(idsOf(collections)).toEqual(seen.map(slugOf).sort())
  for (const d of all) {
    const expected = seen.includes(d) ? 200 : 403
    for (const name of [uuid(1, d), slugOf(d)]) {
      expect((await get(`/v1/datasets/${name}`)).status).toBe(expected)
      expect((await get(`/v1/dataset-items/nearby?latitude=10&longitude=20&datasetId=${name}`)).status).toBe(expected)
      const tile = await t.get(`/tiles/${name}/0/0/0.mvt`, { authorization: `Bearer ${key}` })
      expect(tile.status).toBe(expected)
      const collection = await getOgc(name)
      expect(collection.status).toBe(expected)
      expect((await getOgc(`${name}/queryables`)).status).toBe(expected)
    }
    const features = await getOgc(`${slugOf(d)}/items?bbox=19,9,21,11`)
    expect(features.status).toBe(expected)
    if (expected === 200) expect(idsOf(features.body.features)).toEqual(itemsOf(d).sort())
    for (const id of itemsOf(d)) expect((await getOgc(`${slugOf(d)}/items/${id}`)).status).toBe(expected)
    const items = await get(`/v1/datasets/${slugOf(d)}/items`)
    expect(items.status).toBe(expected)
    if (expected === 200) expect(idsOf(items.body.data)).toEqual(itemsOf(d).sort())
    for (const id of itemsOf(d)) expect((await get(`/v1/dataset-items/${id.toUpperCase()}`)).status).toBe(expected)
  }
  const near = await get('/v1/dataset-items/nearby?latitude=10&longitude=20&radius=50000')
  expect(idsOf(near.body.data)).toEqual(seen.flatMap(itemsOf).sort())
  expect(near.body.meta.total).toBe(seen.flatMap(itemsOf).length)

  const tile = await t.get('/tiles/all/0/0/0.mvt', { authorization: `Bearer ${key}` })
  const bytes = await tile.arrayBuffer()
  tellsNothing(Buffer.from(bytes).toString('latin1'))
  const features = decodeTile(bytes, { z: 0, x: 0, y: 0 })
  expect(features.map(({ properties }) => properties.id).sort()).toEqual(seen.flatMap(itemsOf).sort())

  await expectFiltered(key, { all, seen, itemsOf, tellsNothing })

  const found = await t.graphql(
    `{ text: searchItems(text: "hidden item", limit: 100) { total nodes { id } }
       box: searchItems(within: { west: 19, south: 9, east: 21, north: 11 }, limit: 100) { total nodes { id } } }`,
    {},
    key,
  )
  for (const { total, nodes } of [found.body.data.text, found.body.data.box]) {
    expect(idsOf(nodes)).toEqual(seen.flatMap(itemsOf).sort())
    expect(total).toBe(seen.flatMap(itemsOf).length)
  }

  const suggested = await t.graphql('{ suggestItems(text: "hiden item", limit: 100) { id } }', {}, key)
  expect(idsOf(suggested.body.data.suggestItems)).toEqual(seen.flatMap(itemsOf).sort())
  for (const query of [
    'text=hidden%20item',
    'latitude=10&longitude=20&radius=50000',
    'text=item&latitude=10&longitude=20&radius=50000',
  ]) {
    const { body } = await get(`/search?${query}&limit=100`)
    expect(idsOf(body.data)).toEqual(seen.flatMap(itemsOf).sort())
    expect(body.meta.total).toBe(seen.flatMap(itemsOf).length)
  }

  const call = async (name: string, given: object) => {
    const result = await callTool(t.url, key, name, given)
    tellsNothing(JSON.stringify(result))
    return result
  }
  expect((await call('listDatasets', {})).structuredContent).toEqual(list.body)
  const { datasetConnection } = (await t.graphql('{ datasetConnection { nodes { id } totalCount } }', {}, key)).body
    .data
  expect(datasetConnection).toEqual({
    nodes: list.body.data.map(({ id }: { id: string }) => ({ id })),
    totalCount: seen.length,
  })
  for (const d of all) {
    const denied = seen.includes(d) ? undefined : 'DATASET_ACCESS_DENIED'
    for (const datasetId of [uuid(1, d), slugOf(d)]) {
      for (const name of ['getDataset', 'listItems', 'searchItems', 'suggestItems']) {
        const { _meta } = await call(name, {
          datasetId,
          ...(['searchItems', 'suggestItems'].includes(name) && { text: 'item' }),
        })
        expect([name, _meta?.error.code]).toEqual([name, denied])
      }
    }
    for (const itemId of itemsOf(d)) {
      expect((await call('getItem', { itemId }))._meta?.error.code).toBe(denied)
    }
  }
  const around = await call('findNearbyItems', { latitude: 10, longitude: 20, radius: 50_000 })
  expect(around.structuredContent).toEqual(near.body)
  const named = await call('searchItems', { text: 'hidden item', limit: 100 })
  expect(idsOf(named.structuredContent.data)).toEqual(seen.flatMap(itemsOf).sort())

  const nodes = all.flatMap((d) =>
    [uuid(1, d), ...itemsOf(d), ...imagesOf(d)].map((id) => ({ id, isSeen: seen.includes(d) })),
  )
  const nodeIds = nodes.map(({ id }) => id)
  const entities = all.flatMap((d) => [
    { isSeen: seen.includes(d), reference: { __typename: 'Dataset', id: uuid(1, d) } },
    ...itemsOf(d).map((id) => ({ isSeen: seen.includes(d), reference: { __typename: 'Item', id } })),
  ])
  const representations = entities.map(({ reference }) => reference)
  for (const selection of selections) {
    const documents = [
      `{ datasets { total nodes { id items(limit: 5) { total nodes { ${selection} } } nearbyItems(latitude: 10, longitude: 20, limit: 1) { total } categories { code total } } } }`,
      `{ datasets { total nodes { id searchItems(text: "ITEM", limit: 2) { total nodes { ${selection} } } } } }`,
      `{ nearbyItems(latitude: 10, longitude: 20, radius: 50000, limit: 10) { total nodes { item { ${selection} } } } }`,
      `{ searchItems(text: "item", limit: 10) { total nodes { ${selection} } } }`,
      `{ ${all.map((d) => `d${d}: dataset(id: "${slugOf(d)}") { name } i${d}: item(id: "${uuid(2, d)}") { ${selection} }`).join(' ')} }`,
      `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Item { ${selection} } } }`,
      `query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Dataset { slug } ... on Item { ${selection} } } }`,
    ]
    for (const [n, document] of documents.entries()) {
      const { status, body } = await t.graphql(document, { ids: nodeIds, representations }, key)
      expect(status).toBe(200)
      // A selection that is too deep or costs too much is refused.
      if (body.data) executed.add(n)
      // The other members of the response must reveal nothing.
      tellsNothing(JSON.stringify(body))
      if (body.data?.nodes) {
        const isFound = body.data.nodes.map((node: unknown) => node !== null)
        expect(isFound).toEqual(nodes.map(({ isSeen }) => isSeen))
      }
      if (body.data?.datasets) expect(body.data.datasets.total).toBe(seen.length)
      if (body.data?.searchItems) expect(body.data.searchItems.total).toBe(seen.flatMap(itemsOf).length)
      if (body.data?.nearbyItems) expect(body.data.nearbyItems.total).toBe(seen.flatMap(itemsOf).length)
      if (body.data?._entities) {
        const isFound = body.data._entities.map((entity: unknown) => entity !== null)
        expect(isFound).toEqual(entities.map(({ isSeen }) => isSeen))
      }
      for (const d of body.data?.[`d${all[0]}`] === undefined ? [] : all) {
        expect(body.data[`d${d}`] !== null).toBe(seen.includes(d))
        expect(body.data[`i${d}`] !== null).toBe(seen.includes(d))
      }
    }
  }
}

interface Filtered {
  all: number[]
  seen: number[]
  itemsOf: (dataset: number) => string[]
  tellsNothing: (text: string) => void
}

/** With a filter that each item matches, every door gives what the key may access, and with another one nothing. */
async function expectFiltered(key: string, { all, seen, itemsOf, tellsNothing }: Filtered): Promise<void> {
  const authorization = `Bearer ${key}`
  const visible = seen.flatMap(itemsOf).sort()
  const read = async (path: string) => {
    const response = await t.get(path, { authorization })
    const bytes = await response.arrayBuffer()
    tellsNothing(Buffer.from(bytes).toString('latin1') + JSON.stringify([...response.headers]))
    return { status: response.status, bytes, text: Buffer.from(bytes).toString() }
  }
  const idsIn = (text: string) => [...text.matchAll(/"id":"(2[^"]+)"/g)].map(([, id = '']) => id).sort()
  for (const [filter, isFound] of [
    ['categoryCode=y', true],
    ['administrativeAreaCode=x&categoryCode=y', true],
    ['categoryCode=none', false],
    ['postalCode=none', false],
  ] as const) {
    const expected = isFound ? visible : []
    for (const d of all) {
      const status = seen.includes(d) ? 200 : 403
      const own = isFound ? itemsOf(d).sort() : []
      for (const format of ['ndjson', 'csv', 'geojson']) {
        const file = await read(`/exports/${slugOf(d)}.${format}?${filter}`)
        expect(file.status).toBe(status)
        if (status === 200 && format === 'ndjson') expect(idsIn(file.text)).toEqual(own)
      }
      const tile = await read(`/tiles/${slugOf(d)}/0/0/0.mvt?${filter}`)
      expect(tile.status).toBe(status)
      if (status === 200) expect(idsOfTile(tile.bytes)).toEqual(own)
    }
    expect(idsOfTile((await read(`/tiles/all/0/0/0.mvt?${filter}`)).bytes)).toEqual(expected)
    const args = [...new URLSearchParams(filter)].map(([name, value]) => `${name}: "${value}"`).join(', ')
    const { body } = await t.graphql(
      `{ nearbyItems(latitude: 10, longitude: 20, radius: 50000, limit: 100, ${args}) { total nodes { item { id } } } }`,
      {},
      key,
    )
    tellsNothing(JSON.stringify(body))
    const { total, nodes } = body.data.nearbyItems
    expect([total, idsIn(JSON.stringify(nodes))]).toEqual([expected.length, expected])
    if (filter.startsWith('postalCode')) continue
    const near = await read(`/search?latitude=10&longitude=20&radius=50000&limit=100&${filter}`)
    expect(idsIn(near.text)).toEqual(expected)
  }
}

function idsOfTile(bytes: ArrayBuffer): string[] {
  return decodeTile(bytes, { z: 0, x: 0, y: 0 })
    .map(({ properties }) => String(properties.id))
    .sort()
}

/** A key that sends the tag of another key's response does not learn that it is current. */
async function expectForeignTags(made: World, keys: string[]): Promise<void> {
  for (const d of made.datasets.keys()) {
    const path = `/v1/datasets/${slugOf(d)}/items`
    const answers = await Promise.all(keys.map((key) => t.get(path, { authorization: `Bearer ${key}` })))
    const etag = answers.map(({ headers }) => headers.get('etag')).find((tag) => tag !== null)
    if (!etag) continue
    for (const [n, key] of keys.entries()) {
      const { status } = await t.get(path, { authorization: `Bearer ${key}`, 'if-none-match': etag })
      expect(status).toBe(maySee(made, n, d) ? 304 : 403)
    }
  }
}
