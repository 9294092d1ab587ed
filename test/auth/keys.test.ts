import { beforeAll, describe, expect, test } from 'vitest'
import { authenticate, challenge, createKeyCache } from '../../src/auth/api-key.ts'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, findValidKeys, listKeys, revokeKey, showKey, updateKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const now = new Date()
const DAY_MS = 86_400_000
const authenticated = (authorization: string, at = now) =>
  authenticate(createKeyCache(db.database.prisma, silentChangeFeed), authorization, at)
const fromNow = (ms: number) => new Date(now.getTime() + ms)

describe('A malformed key', () => {
  const almost = `dck_${'A'.repeat(43)}`
  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer\t${almost}`,
    `Bearer${almost}`,
    `Bearer "${almost}"`,
    `Bearer ${almost},${almost}`,
    `Bearer ${almost} x`,
    `Basic ${almost}`,
    `DPoP ${almost}`,
    'Bearer dck_short',
    `Bearer DCK_${'A'.repeat(43)}`,
    `Bearer dck_${'A'.repeat(200)}`,
    `Bearer dck_${'\u0000'.repeat(43)}`,
    `Bearer dck_${'é'.repeat(43)}`,
  ])('is refused without asking the database: %j', async (authorization) => {
    const before = db.statements.length
    await expect(authenticated(authorization ?? '')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(db.statements).toHaveLength(before)
  })

  test.each([
    [undefined, 'Bearer realm="dataset-catalog"'],
    ['Basic dXNlcjpwYXNz', 'Bearer realm="dataset-catalog"'],
    ['bearer x', 'Bearer realm="dataset-catalog", error="invalid_token", error_description="The API key is not valid"'],
  ])('is challenged with an error only if there is a bearer token: %j', (authorization, expected) => {
    expect(challenge(authorization)).toBe(expected)
  })
})

describe('A key', () => {
  test('gets the same error whether it never existed, has expired or is revoked', async () => {
    const { prisma } = db.database
    const expired = await createKey(prisma, { name: 'expired', expiresAt: now })
    const revoked = await createKey(prisma, { name: 'revoked' })
    await revokeKey(prisma, revoked.id)
    for (const key of [expired.key, revoked.key, `dck_${'A'.repeat(43)}`]) {
      await expect(authenticated(`Bearer ${key}`)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
        message: 'The API key is not valid',
      })
    }
  })

  test.each(['nonsense', `dck_${'A'.repeat(42)}`])(
    'that can not be one is told what a key looks like: %s',
    async (key) => {
      const message = 'The API key is not valid: a key begins with dck_ and has 47 characters'
      await expect(authenticated(`Bearer ${key}`)).rejects.toMatchObject({ code: 'UNAUTHORIZED', message })
    },
  )

  test('is valid until the time at which it expires', async () => {
    const { prisma } = db.database
    const { id, key } = await createKey(prisma, { name: 'until', expiresAt: now })
    const justBefore = new Date(now.getTime() - 1)
    expect(await authenticated(`Bearer   ${key}`, justBefore)).toMatchObject({
      id,
      expiresAt: now,
      grants: [],
    })
    await expect(authenticated(`Bearer ${key}`)).rejects.toThrow('not valid')
  })

  test('has each tier and dataset once, even if it was given several times', async () => {
    const given = { accessTiers: ['gold', 'gold'], datasets: ['draft', 'draft', 'seoul'] }
    const { accessTiers, grants } = await createKey(db.database.prisma, { name: 'twice', ...given })
    expect(accessTiers).toEqual(['gold'])
    expect(grants.map(({ dataset }) => dataset)).toEqual(['draft', 'seoul'])
  })

  test('gets a new name, tiers, expiry and limits, and its secret and grants stay', async () => {
    const { prisma } = db.database
    const created = await createKey(prisma, { name: 'old', accessTiers: ['gold'], datasets: ['draft'], expiresAt: now })
    const findKey = createKeyCache(prisma, silentChangeFeed)
    await expect(authenticate(findKey, `Bearer ${created.key}`, now)).rejects.toThrow('not valid')
    const changes = { name: 'new', accessTiers: ['b', 'a', 'b'], requestsPerMinute: 6, itemsPerMinute: 7 }
    const { key: _, ...before } = created
    const updated = { ...before, ...changes, accessTiers: ['b', 'a'], expiresAt: null }
    expect(await updateKey(prisma, 'old', { ...changes, expiresAt: null })).toEqual(updated)
    expect(await authenticated(`Bearer ${created.key}`)).toMatchObject({
      ...{ id: created.id, name: 'new', requestsPerMinute: 6, itemsPerMinute: 7, grants: [{ expiresAt: null }] },
    })
    const unlimited = { accessTiers: [], requestsPerMinute: null, itemsPerMinute: null }
    expect(await updateKey(prisma, 'new', unlimited)).toEqual({ ...updated, ...unlimited })
    for (const name of ['', ' ', 'two\nlines']) {
      await expect(updateKey(prisma, 'new', { name })).rejects.toThrow("A key's name must be a line of text")
    }
    await expect(updateKey(prisma, 'new', { accessTiers: ['ok', ''] })).rejects.toThrow('An access tier must be a line')
    await expect(updateKey(prisma, 'nobody', { name: 'x' })).rejects.toThrow('There is no key')
  })

  test('that is revoked can no longer be changed, and stays in the list', async () => {
    const { prisma } = db.database
    const { id } = await createKey(prisma, { name: 'gone', datasets: ['draft'] })
    const { revokedAt } = await revokeKey(prisma, id)
    const draft = { keyId: id, dataset: 'draft' }
    for (const change of [
      () => revokeKey(prisma, id),
      () => grantDataset(prisma, { ...draft, expiresAt: null }),
      () => withdrawGrant(prisma, draft),
      () => updateKey(prisma, id, { name: 'x' }),
    ]) {
      await expect(change()).rejects.toThrow(`The key ${id} was revoked at ${revokedAt?.toISOString()}`)
    }
    expect((await listKeys(prisma)).find((key) => key.id === id)).toMatchObject({ revokedAt, name: 'gone' })
  })
})

test('a second grant of a dataset sets the expiry of the first', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'granted twice' })
  const grant = { keyId: id, dataset: 'draft' }
  for (const expiresAt of [fromNow(60_000), null, fromNow(1_000)]) {
    await grantDataset(prisma, { ...grant, expiresAt })
    expect(await prisma.grant.findMany({ where: { apiKeyId: id } })).toMatchObject([{ expiresAt }])
  }
})

test('a withdrawn grant leaves the other grants of the key and of the dataset', async () => {
  const { prisma } = db.database
  const one = await createKey(prisma, { name: 'one', datasets: ['draft', 'restricted'] })
  const two = await createKey(prisma, { name: 'two', datasets: ['draft'] })
  await withdrawGrant(prisma, { keyId: one.id, dataset: 'draft' })
  const left = await prisma.grant.findMany({
    where: { apiKeyId: { in: [one.id, two.id] } },
    select: { apiKeyId: true, datasetId: true },
  })
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

/** Whether a secret works at a time. */
const works = (key: string, at: Date) =>
  authenticated(`Bearer ${key}`, at).then(
    () => true,
    () => false,
  )

describe('An old secret', () => {
  test('works until the end of its grace, and the new one afterwards too', async () => {
    const { prisma } = db.database
    const { id, key: old } = await createKey(prisma, { name: 'rotated' })
    const { key, previousExpiresAt } = await rotateKey(prisma, id, 60_000, now)
    expect(previousExpiresAt).toEqual(fromNow(60_000))
    expect([await works(old, now), await works(old, fromNow(59_999)), await works(old, fromNow(60_000))]).toEqual([
      true,
      true,
      false,
    ])
    expect(await works(key, fromNow(DAY_MS))).toBe(true)
  })

  test('works no longer than its key', async () => {
    const { prisma } = db.database
    const { id, key: old } = await createKey(prisma, { name: 'expires first', expiresAt: fromNow(60_000) })
    const { key } = await rotateKey(prisma, id, DAY_MS, now)
    for (const secret of [old, key]) {
      expect([await works(secret, fromNow(59_999)), await works(secret, fromNow(60_000))]).toEqual([true, false])
    }
  })

  test('keeps its own expiry at the next rotation, and a grace of 0 ends all of them', async () => {
    const { prisma } = db.database
    const { id, key: first } = await createKey(prisma, { name: 'rotated twice' })
    const { key: second } = await rotateKey(prisma, id, DAY_MS, now)
    const { key: third } = await rotateKey(prisma, id, 60_000, now)
    const working = async (at: Date) => Promise.all([first, second, third].map((key) => works(key, at)))
    expect(await working(now)).toEqual([true, true, true])
    expect(await working(fromNow(60_000))).toEqual([true, false, true])
    await rotateKey(prisma, id, 0, now)
    expect(await working(now)).toEqual([false, false, false])
  })

  test('is deleted by the first rotation after its end', async () => {
    const { prisma } = db.database
    const { id } = await createKey(prisma, { name: 'cleared' })
    const kept = async () => {
      const left = await prisma.retiredSecret.findMany({ where: { apiKeyId: id } })
      return left.map(({ expiresAt }) => expiresAt)
    }
    await rotateKey(prisma, id, 1_000, now)
    expect(await kept()).toEqual([fromNow(1_000)])
    await rotateKey(prisma, id, 60_000, fromNow(1_000))
    expect(await kept()).toEqual([fromNow(61_000)])
  })
})

test('rotations at the same time lose no secret', async () => {
  const { prisma } = db.database
  const { id, key } = await createKey(prisma, { name: 'at once' })
  const secrets = [key]
  // In the first round, the connections open one after the other.
  for (let round = 0; round < 5; round += 1) {
    const rotated = await Promise.all(Array.from({ length: 4 }, () => rotateKey(prisma, id, DAY_MS, now)))
    secrets.push(...rotated.map((each) => each.key))
  }
  for (const secret of secrets) expect(await works(secret, now)).toBe(true)
})

test('a key gets no new secret from the moment at which it expires', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'over', expiresAt: now })
  await expect(rotateKey(prisma, id, DAY_MS, now)).rejects.toThrow('a new secret would not work')
  expect(await rotateKey(prisma, id, DAY_MS, fromNow(-1))).toMatchObject({ id })
})
