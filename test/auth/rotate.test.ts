import { describe, expect, test } from 'vitest'
import { authenticate, createKeyCache } from '../../src/auth/api-key.ts'
import { createKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()

const DAY_MS = 86_400_000
const now = new Date()
const fromNow = (ms: number) => new Date(now.getTime() + ms)

/** Whether a secret works at a time. */
const works = (key: string, at: Date) =>
  authenticate(createKeyCache(db.database.prisma, silentChangeFeed), `Bearer ${key}`, at).then(
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

  test('may have a grace of half a second', async () => {
    const { prisma } = db.database
    const { id, key: old } = await createKey(prisma, { name: 'short grace' })
    await rotateKey(prisma, id, 500, now)
    expect([await works(old, fromNow(499)), await works(old, fromNow(500))]).toEqual([true, false])
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
    await rotateKey(prisma, id, 1_000, now)
    await rotateKey(prisma, id, 60_000, fromNow(1_000))
    const left = await prisma.retiredSecret.findMany({ where: { apiKeyId: id } })
    expect(left.map(({ expiresAt }) => expiresAt)).toEqual([fromNow(61_000)])
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
