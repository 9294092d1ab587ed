import { beforeAll, expect, test } from 'vitest'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, findValidKeys, showKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const now = new Date()
const fromNow = (ms: number) => new Date(now.getTime() + ms)

test('a withdrawn grant leaves the other grants of the key and of the dataset', async () => {
  const { prisma } = db.database
  const one = await createKey(prisma, { name: 'one', datasets: ['draft', 'restricted'] })
  const two = await createKey(prisma, { name: 'two', datasets: ['draft'] })
  await withdrawGrant(prisma, { keyId: one.id, dataset: 'draft' })
  const left = await prisma.grant.findMany({ select: { apiKeyId: true, datasetId: true } })
  expect(left).toHaveLength(2)
  expect(left).toEqual(
    expect.arrayContaining([
      { apiKeyId: one.id, datasetId: DATASET.restricted },
      { apiKeyId: two.id, datasetId: DATASET.draft },
    ]),
  )
  await expect(withdrawGrant(prisma, { keyId: one.id, dataset: 'draft' })).rejects.toThrow(
    `The key ${one.id} has no grant for the dataset draft`,
  )
})

test('a grant gets the expiry of the last command', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'extended' })
  for (const expiresAt of [fromNow(1_000), null, fromNow(2_000)]) {
    await grantDataset(prisma, { keyId: id, dataset: 'draft', expiresAt })
    expect((await showKey(prisma, id, now)).grants).toEqual([{ dataset: 'draft', expiresAt }])
  }
})

test('valid keys are those that are neither revoked nor expired', async () => {
  const { prisma } = db.database
  await prisma.apiKey.deleteMany()
  await createKey(prisma, { name: 'for ever', accessTiers: ['a'] })
  await createKey(prisma, { name: 'for now', accessTiers: ['b'], expiresAt: fromNow(1) })
  await createKey(prisma, { name: 'expired', accessTiers: ['c'], expiresAt: now })
  const { id } = await createKey(prisma, { name: 'revoked', accessTiers: ['d'] })
  await prisma.apiKey.update({ where: { id }, data: { revokedAt: now } })
  const tiers = (await findValidKeys(prisma, now)).flatMap(({ accessTiers }) => accessTiers)
  expect(tiers.sort()).toEqual(['a', 'b'])
})

test('a key is shown with its limit, its expiry, and the old secrets that still work, the latest first', async () => {
  const { prisma } = db.database
  const expiresAt = fromNow(86_400_000)
  const { id } = await createKey(prisma, { name: 'shown', expiresAt, requestsPerMinute: 60 })
  await rotateKey(prisma, id, 1_000, now)
  await rotateKey(prisma, id, 5_000, now)
  await rotateKey(prisma, id, 3_000, now)
  expect(await showKey(prisma, id, fromNow(1_000))).toMatchObject({
    expiresAt,
    requestsPerMinute: 60,
    previousSecrets: [{ expiresAt: fromNow(5_000) }, { expiresAt: fromNow(3_000) }],
  })
})
