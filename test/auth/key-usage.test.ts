import { afterAll, beforeAll, expect, test } from 'vitest'
import { KeyUsage } from '../../src/auth/key-usage.ts'
import { createKey, listUsage, showKey } from '../../src/auth/keys.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await createDatabase()
})
afterAll(() => db.close())

const EVENING = new Date('2026-11-20T23:59:59.999Z')
const MIDNIGHT = new Date('2026-11-21T00:00:00.000Z')

const usage = (id: string) => listUsage(db.database.prisma, id)
const lastUsedAt = async (id: string) => (await showKey(db.database.prisma, id, new Date())).lastUsedAt

test('requests are counted by day in UTC, over several writes and several gateways', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'counted' })
  const [one, two] = [new KeyUsage(prisma), new KeyUsage(prisma)]
  for (const at of [EVENING, MIDNIGHT, MIDNIGHT]) one.record(id, at)
  await one.write()
  await one.write()
  one.record(id, MIDNIGHT)
  two.record(id, EVENING)
  await one.write()
  await two.write()
  expect(await usage(id)).toEqual([
    { day: '2026-11-20', requests: 2 },
    { day: '2026-11-21', requests: 3 },
  ])
})

test('the last use is the latest, in whatever order uses are recorded and written', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'last' })
  const [early, late] = [new KeyUsage(prisma), new KeyUsage(prisma)]
  for (const at of [MIDNIGHT, EVENING]) late.record(id, at)
  await late.write()
  expect(await lastUsedAt(id)).toEqual(MIDNIGHT)
  early.record(id, EVENING)
  await early.write()
  expect(await lastUsedAt(id)).toEqual(MIDNIGHT)
})

test('uses survive a failed write, and uses of a deleted key are left out', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'survives' })
  const { id: deleted } = await createKey(prisma, { name: 'deleted' })
  const keyUsage = new KeyUsage(prisma)
  for (const key of [id, id, deleted]) keyUsage.record(key, MIDNIGHT)
  await db.database.withSession((session) => session.query('ALTER TABLE key_usage_days RENAME TO renamed'))
  await expect(keyUsage.write()).rejects.toThrow()
  await db.database.withSession((session) => session.query('ALTER TABLE renamed RENAME TO key_usage_days'))
  await prisma.apiKey.delete({ where: { id: deleted } })
  await keyUsage.write()
  expect(await usage(id)).toEqual([{ day: '2026-11-21', requests: 2 }])
})
