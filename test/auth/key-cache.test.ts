import { beforeAll, expect, test } from 'vitest'
import { createKeyCache } from '../../src/auth/api-key.ts'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { Cancellation, withCancellation } from '../../src/database/cancellation.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { createFeed, silentChangeFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const UNKNOWN = `dck_${'A'.repeat(43)}`

test('keys that are looked up at the same time are each their own, with their own grants, and unknown ones are null', async () => {
  const { prisma, sql } = db.database
  const issue = (name: string, ...datasets: string[]) => createKey(prisma, { name, datasets, accessTiers: [name] })
  const [one, two, three] = [
    await issue('one', 'draft'),
    await issue('two', 'restricted', 'paid'),
    await issue('three'),
  ]
  const { key: second } = await rotateKey(prisma, two.id, 60_000)
  const find = createKeyCache(sql, silentChangeFeed)
  const found = await Promise.all([UNKNOWN, three.key, second, one.key, two.key].map((key) => find(key)))
  const grantsOf = (datasetIds: string[]) => datasetIds.toSorted()
  expect(
    found.map((key) => key && [key.id, key.accessTiers, grantsOf(key.grants.map((grant) => grant.datasetId))]),
  ).toEqual([
    null,
    [three.id, ['three'], []],
    [two.id, ['two'], grantsOf([DATASET.restricted, DATASET.paid])],
    [one.id, ['one'], [DATASET.draft]],
    [two.id, ['two'], grantsOf([DATASET.restricted, DATASET.paid])],
  ])
})

test('a key has its own times: of its expiry, of its grants and of its revocation', async () => {
  const { prisma, sql } = db.database
  const [expiresAt, grantExpiresAt] = [new Date('2199-01-01T00:00:00.123Z'), new Date('2198-01-01T00:00:00.456Z')]
  const { id, key } = await createKey(prisma, { name: 'timed', expiresAt, requestsPerMinute: 7, datasets: ['draft'] })
  await prisma.grant.updateMany({ where: { apiKeyId: id }, data: { expiresAt: grantExpiresAt } })
  const find = createKeyCache(sql, silentChangeFeed)
  const stored = {
    id,
    name: 'timed',
    requestsPerMinute: 7,
    itemsPerMinute: null,
    origins: [],
    accessTiers: [],
    expiresAt,
  }
  const grants = [{ datasetId: DATASET.draft, expiresAt: grantExpiresAt }]
  expect(await find(key)).toEqual({ ...stored, revokedAt: null, grants })
  const { revokedAt } = await revokeKey(prisma, id)
  expect(await find(key)).toEqual({ ...stored, revokedAt, grants })
})

test('a key is read once, and again after a change of this key', async () => {
  const { prisma, sql } = db.database
  const { id, key } = await createKey(prisma, { name: 'cached' })
  const { feed, notify } = createFeed()
  const find = createKeyCache(sql, feed)
  const tiers = async () => (await find(key))?.accessTiers
  expect(await tiers()).toEqual([])
  await prisma.apiKey.update({ where: { id }, data: { accessTiers: ['gold'] } })
  notify('key cached')
  notify(`dataset ${id}`)
  expect(await tiers()).toEqual([])
  notify(`key ${id}`)
  expect(await tiers()).toEqual(['gold'])
})

const searches = () => db.statements.filter((sql) => sql.includes('retired_secrets')).length

test('unknown keys that arrive during a search share the next one', async () => {
  const find = createKeyCache(db.database.sql, silentChangeFeed)
  const before = searches()
  const unknown = (n: number) => find(`dck_${String(n).padStart(43, '0')}`)
  const first = unknown(0)
  await new Promise((resolve) => setImmediate(resolve))
  const others = Array.from({ length: 50 }, async (_, n) => {
    for (let turn = 0; turn < n % 5; turn += 1) await Promise.resolve()
    return unknown(n + 1)
  })
  expect(await Promise.all([first, ...others])).toEqual(Array(51).fill(null))
  expect(searches() - before).toBeLessThanOrEqual(3)
})

test('a search that several requests share goes on when the client of the first one disconnects', async () => {
  const { prisma, sql } = db.database
  const stays = await createKey(prisma, { name: 'stays' })
  const leaves = await createKey(prisma, { name: 'leaves' })
  const find = createKeyCache(sql, silentChangeFeed)
  const leaving = new Cancellation([leaves.id])
  const gone = withCancellation(leaving, () => find(leaves.key)).catch(() => null)
  const found = withCancellation(new Cancellation([stays.id]), () => find(stays.key))
  leaving.cancel()
  expect((await found)?.id).toBe(stays.id)
  await gone
})
