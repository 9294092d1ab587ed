import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { grantDataset } from '../../src/auth/grants.ts'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, newPlace } from '../support/catalog.ts'
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

/** The datasets of the small catalog that each kind of key may access besides those that all may. */
const KEYS: [what: string, options: KeyOptions, sees: Slug[]][] = [
  ['without tiers or grants', {}, []],
  ['with the tier of the paid dataset', { accessTiers: ['gold'] }, ['paid']],
  ['with another tier', { accessTiers: ['silver', 'Gold'] }, []],
  ['with a grant for the restricted dataset', { datasets: ['restricted'] }, ['restricted']],
  ['with a grant for the paid dataset', { datasets: ['paid'] }, ['paid']],
  ['with grants for the draft and the inactive', { datasets: ['draft', 'inactive'] }, ['draft', 'inactive']],
]

describe.each(KEYS)('A key %s', (_what, options, more) => {
  const sees = ['archived' as const, ...more, 'seoul' as const]
  let key: string
  beforeAll(async () => {
    ;({ key } = await issue(options))
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
})

test('a grant gives access until it expires', async () => {
  const { key, id } = await issue({})
  const grant = (expiresAt: Date) => grantDataset(t.database.prisma, { keyId: id, dataset: 'restricted', expiresAt })
  await grant(new Date(Date.now() + 60_000))
  expect((await get('/v1/datasets/restricted', key)).status).toBe(200)
  await grant(new Date(Date.now() - 1))
  await expectWithinASecond(
    () => get('/v1/datasets/restricted', key),
    (response) => expect(response.status).toBe(403),
  )
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
