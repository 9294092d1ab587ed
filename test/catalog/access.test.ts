import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM, newPlace } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'

const t = useApp()

type Slug = keyof typeof DATASET
const ALL = Object.keys(DATASET) as Slug[]
const SOME_ITEM = { ...ITEM, seoul: ITEM.palace }

interface KeyOptions {
  accessTiers?: string[]
  datasets?: Slug[]
}

const get = (path: string, key: string) => t.get(path, { authorization: `Bearer ${key}` })
const issue = (options: KeyOptions) => createKey(t.database.prisma, { name: 'access', ...options })

/** The datasets of the small catalog that each kind of key may access. */
const KEYS: { what: string; options: KeyOptions; sees: Slug[] }[] = [
  { what: 'without tiers or grants', options: {}, sees: ['archived', 'seoul'] },
  {
    what: 'with the tier of the paid dataset',
    options: { accessTiers: ['gold'] },
    sees: ['archived', 'paid', 'seoul'],
  },
  { what: 'with another tier', options: { accessTiers: ['silver', 'Gold'] }, sees: ['archived', 'seoul'] },
  {
    what: 'with a grant for the restricted dataset',
    options: { datasets: ['restricted'] },
    sees: ['archived', 'restricted', 'seoul'],
  },
  { what: 'with a grant for the paid dataset', options: { datasets: ['paid'] }, sees: ['archived', 'paid', 'seoul'] },
  {
    what: 'with grants for the draft and the inactive',
    options: { datasets: ['draft', 'inactive'] },
    sees: ['archived', 'draft', 'inactive', 'seoul'],
  },
]

describe.each(KEYS)('A key $what', ({ options, sees }) => {
  let key: string
  const denied = ALL.filter((slug) => !sees.includes(slug))
  beforeAll(async () => {
    ;({ key } = await issue(options))
  })

  test('lists the datasets that it may access', async () => {
    const { data, meta } = await (await get('/v1/datasets', key)).json()
    expect(data.map(({ slug }: { slug: string }) => slug)).toEqual(sees)
    expect(meta.total).toBe(sees.length)
  })

  test('reads those datasets, and is denied all others, by slug, UUID and item, in REST and GraphQL', async () => {
    for (const slug of ALL) {
      const status = sees.includes(slug) ? 200 : 403
      const codes = sees.includes(slug) ? undefined : 'DATASET_ACCESS_DENIED'
      for (const path of [slug, DATASET[slug], DATASET[slug].toUpperCase(), `${slug}/items`]) {
        expect((await get(`/v1/datasets/${path}`, key)).status).toBe(status)
      }
      expect((await get(`/v1/dataset-items/${SOME_ITEM[slug]}`, key)).status).toBe(status)
      expect((await get(`/v1/dataset-items/nearby?latitude=0&longitude=0&datasetId=${slug}`, key)).status).toBe(status)
      for (const query of [
        `{ dataset(id: "${slug}") { items { total nodes { id } } nearbyItems(latitude: 0, longitude: 0) { total } } }`,
        `{ item(id: "${SOME_ITEM[slug]}") { id parent { id } children { total } images { id } dataset { id } } }`,
      ]) {
        const { body } = await t.graphql(query, {}, key)
        expect(body.errors?.[0].extensions.code).toBe(codes)
      }
    }
  })

  test('finds nearby items only in datasets that it may access', async () => {
    const { data, meta } = await (
      await get('/v1/dataset-items/nearby?latitude=37.5798&longitude=126.977&radius=100', key)
    ).json()
    const found = new Set(data.map(({ datasetId }: { datasetId: string }) => datasetId))
    for (const slug of denied) expect(found).not.toContain(DATASET[slug])
    expect(meta.total).toBe(data.length)
    expect(meta.total).toBe(sees.length)
  })

  test('receives no id of a dataset that it may not access', async () => {
    const responses = await Promise.all(
      ['/v1/datasets', '/v1/dataset-items/nearby?latitude=37.58&longitude=126.977&radius=50000&limit=100'].map((path) =>
        get(path, key).then((response) => response.text()),
      ),
    )
    const { body } = await t.graphql(
      '{ datasets { total nodes { id items { total nodes { id images { id } } } } } }',
      {},
      key,
    )
    const received = responses.join() + JSON.stringify(body)
    for (const slug of denied) for (const id of [DATASET[slug], SOME_ITEM[slug]]) expect(received).not.toContain(id)
    expect(received.includes(IMAGE.restricted)).toBe(sees.includes('restricted'))
  })
})

describe('Keys and grants', () => {
  const expectStatus = (ask: () => Promise<Response>, status: number) =>
    expectWithinASecond(ask, (response) => expect(response.status).toBe(status))

  test('a grant gives access until it expires', async () => {
    const { key, id } = await issue({})
    const { prisma } = t.database
    await grantDataset(prisma, { keyId: id, dataset: 'restricted', expiresAt: new Date(Date.now() + 60_000) })
    expect((await get('/v1/datasets/restricted', key)).status).toBe(200)
    await grantDataset(prisma, { keyId: id, dataset: 'restricted', expiresAt: new Date(Date.now() - 1) })
    await expectStatus(() => get('/v1/datasets/restricted', key), 403)
  })

  test('a withdrawn grant stops working within a second', async () => {
    const { key, id } = await issue({ datasets: ['draft'] })
    expect((await get('/v1/datasets/draft', key)).status).toBe(200)
    await withdrawGrant(t.database.prisma, { keyId: id, dataset: 'draft' })
    await expectStatus(() => get('/v1/datasets/draft', key), 403)
  })

  test('a revoked key stops working within a second, on a keep-alive connection', async () => {
    const { key, id } = await issue({})
    expect((await get('/v1/datasets', key)).status).toBe(200)
    await revokeKey(t.database.prisma, id)
    await expectStatus(() => get('/v1/datasets', key), 401)
  })

  test('an expired key is refused', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'short', expiresAt: new Date(Date.now() - 1) })
    expect((await get('/v1/datasets', key)).status).toBe(401)
  })

  test('a key with a rate limit gets 429 with Retry-After for the first request beyond it', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'slow', requestsPerMinute: 2 })
    const responses = [await get('/v1/datasets', key), await get('/v1/datasets', key), await get('/v1/datasets', key)]
    expect(responses.map((response) => response.status)).toEqual([200, 200, 429])
    const [, , refused] = responses
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused?.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    const { status, body } = await t.graphql('{ datasets { total } }', {}, key)
    expect([status, body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED'])
  })
})

test('datasets that a key may not access add no statement and no row to its requests', async () => {
  const { key } = await issue({})
  const { prisma } = t.database
  const requests = [
    '/v1/datasets',
    '/v1/datasets/restricted',
    `/v1/dataset-items/${ITEM.restricted}`,
    '/v1/dataset-items/nearby?latitude=37.5797&longitude=126.977&radius=50000',
    '/v1/dataset-items/nearby?latitude=37.5797&longitude=126.977&datasetId=restricted',
  ]
  /** The statements that PostgreSQL receives, and the responses. */
  const ask = async () => {
    const bodies: string[] = []
    t.statements.length = 0
    t.parameters.length = 0
    for (const path of requests) bodies.push((await (await get(path, key)).text()).replace(/"requestId":"[^"]+"/, ''))
    return { statements: [...t.statements], parameters: [...t.parameters], bodies }
  }
  const askWithoutCaches = async () => {
    await prisma.$executeRaw`SELECT pg_notify('catalog', 'everything')`
    await setTimeout(50)
    return ask()
  }

  // On a busy machine the notification can arrive late and empty the caches between two requests. So the test asks again.
  let before = await askWithoutCaches()
  await expect
    .poll(async () => {
      const last = before
      before = await askWithoutCaches()
      return isDeepStrictEqual(before, last)
    })
    .toBe(true)
  await prisma.item.createMany({
    data: Array.from({ length: 500 }, (_, n) =>
      newPlace({
        datasetId: DATASET.restricted,
        name: `Hidden ${n}`,
        latitude: 37.5797,
        longitude: 126.977 + n / 10_000,
        administrativeAreaCode: 'hidden',
        categoryCode: 'hidden',
      }),
    ),
  })
  // The key, the datasets, the item and one of the searches.
  expect(before.statements).toHaveLength(4)
  await expect.poll(askWithoutCaches).toEqual(before)
})
