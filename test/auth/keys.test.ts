import { beforeAll, describe, expect, test } from 'vitest'
import { authenticate, challenge, createKeyCache } from '../../src/auth/api-key.ts'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, listKeys, revokeKey, updateKey } from '../../src/auth/keys.ts'
import { seedCatalog } from '../support/catalog.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const now = new Date()

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
    await expect(
      authenticate(createKeyCache(db.database.prisma, silentChangeFeed), authorization ?? '', now),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
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
    for (const key of [expired.key, revoked.key, `dck_${'A'.repeat(43)}`, 'nonsense']) {
      await expect(authenticate(createKeyCache(prisma, silentChangeFeed), `Bearer ${key}`, now)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
        message: 'The API key is not valid',
      })
    }
  })

  test('is valid until the time at which it expires', async () => {
    const { prisma } = db.database
    const { id, key } = await createKey(prisma, { name: 'until', expiresAt: now })
    const justBefore = new Date(now.getTime() - 1)
    expect(await authenticate(createKeyCache(prisma, silentChangeFeed), `Bearer   ${key}`, justBefore)).toMatchObject({
      id,
      expiresAt: now,
      grants: [],
    })
    await expect(authenticate(createKeyCache(prisma, silentChangeFeed), `Bearer ${key}`, now)).rejects.toThrow(
      'not valid',
    )
  })

  test('is read without its hash', async () => {
    const { key } = await createKey(db.database.prisma, { name: 'hashless' })
    expect(
      await authenticate(createKeyCache(db.database.prisma, silentChangeFeed), `Bearer ${key}`, now),
    ).not.toHaveProperty('hash')
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
    expect(await authenticate(createKeyCache(prisma, silentChangeFeed), `Bearer ${created.key}`, now)).toMatchObject({
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
