import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { grantDataset } from '../../src/auth/grants.ts'
import { createKey } from '../../src/auth/keys.ts'
import { type AccessClause, accessClause, type DatasetGrant, mayAccess } from '../../src/catalog/access.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, newPlace } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'

/* Every combination of the access rule, against the words of docs/access.md. */

const NOW = new Date('2026-11-20T12:00:00.000Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)
const grant = (datasetId: string, expiresAt: Date | null = null): DatasetGrant => ({ datasetId, expiresAt })

const STATUSES = ['draft', 'active', 'inactive', 'archived'] as const
const VISIBILITIES = ['public', 'restricted', 'paid'] as const
const TIERS = [null, 'gold', 'silver'] as const
const DATASETS = STATUSES.flatMap((status) =>
  VISIBILITIES.flatMap((visibility) => TIERS.map((accessTier) => ({ id: 'this', status, visibility, accessTier }))),
)
type Dataset = (typeof DATASETS)[number]

const isPublished = ({ status }: Dataset) => ['active', 'archived'].includes(status)
const isPaidInGold = ({ visibility, accessTier }: Dataset) => visibility === 'paid' && accessTier === 'gold'

const clauseFor = (grants: DatasetGrant[], accessTiers: string[], dataset: Dataset) =>
  accessClause({ grants, accessTiers }, dataset, NOW)

describe.each(DATASETS)('A dataset that is $status and $visibility, with the tier $accessTier,', (dataset) => {
  const open: AccessClause | undefined = isPublished(dataset) && dataset.visibility === 'public' ? 'public' : undefined

  test('is open to a key with a grant that has not expired', () => {
    for (const given of [grant('this'), grant('this', later(1))]) {
      expect(clauseFor([given], [], dataset)).toBe('grant')
      expect(clauseFor([grant('other'), given, grant('third')], ['gold'], dataset)).toBe('grant')
    }
  })

  test('is open without a grant only if it is published and public', () => {
    for (const grants of [[], [grant('other')], [grant('this', NOW)], [grant('this', later(-1))]]) {
      expect(clauseFor(grants, [], dataset)).toBe(open)
      expect(clauseFor(grants, ['bronze', 'Gold', ''], dataset)).toBe(open)
    }
  })

  test('is open by its tier only if it is published and paid', () => {
    const byTier = isPublished(dataset) && isPaidInGold(dataset) ? 'tier' : undefined
    expect(clauseFor([], ['bronze', 'gold'], dataset)).toBe(open ?? byTier)
  })

  test('is open by any clause', () => {
    for (const grants of [[], [grant('this')]]) {
      const access = { grants, accessTiers: ['gold'] }
      expect(mayAccess(access, dataset, NOW)).toBe(accessClause(access, dataset, NOW) !== undefined)
    }
  })
})

const t = useApp()

const get = (path: string, key: string) => t.get(path, { authorization: `Bearer ${key}` })
const issue = () => createKey(t.database.prisma, { name: 'access' })

test('a grant gives access until it expires', async () => {
  const { key, id } = await issue()
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
  const { key } = await issue()
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
    await t.hearChanges()
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
