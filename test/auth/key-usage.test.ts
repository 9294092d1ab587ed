import { beforeAll, expect, test, vi } from 'vitest'
import { KeyUsage, NO_SINGLE_DATASET } from '../../src/auth/key-usage.ts'
import { createKey, showKey } from '../../src/auth/keys.ts'
import { parseDays, reportUsage } from '../../src/auth/usage-report.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const EVENING = new Date('2026-11-20T23:59:59.999Z')
const MIDNIGHT = new Date('2026-11-21T00:00:00.000Z')

const report = (selection: { key?: string; dataset?: string; days?: number }, now = MIDNIGHT) =>
  reportUsage(db.database.prisma, { days: 30, ...selection }, now)
const requestsByDay = async (key: string) => (await report({ key })).map(({ day, requests }) => ({ day, requests }))
const lastUsedAt = async (id: string) => (await showKey(db.database.prisma, id, new Date())).lastUsedAt
const countRequest = (usage: KeyUsage, keyId: string, at: Date) =>
  usage.add(keyId, NO_SINGLE_DATASET, at, { requests: 1 })

test('requests are counted by day in UTC, over several writes and several gateways', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'counted' })
  const [one, two] = [new KeyUsage(prisma), new KeyUsage(prisma)]
  for (const at of [EVENING, MIDNIGHT, MIDNIGHT]) countRequest(one, id, at)
  await one.write()
  await one.write()
  countRequest(one, id, MIDNIGHT)
  countRequest(two, id, EVENING)
  await one.write()
  await two.write()
  expect(await requestsByDay(id)).toEqual([
    { day: '2026-11-20', requests: 2 },
    { day: '2026-11-21', requests: 3 },
  ])
})

test('the last use is the latest, in whatever order uses are recorded and written', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'last' })
  const [early, late] = [new KeyUsage(prisma), new KeyUsage(prisma)]
  for (const at of [MIDNIGHT, EVENING]) countRequest(late, id, at)
  await late.write()
  expect(await lastUsedAt(id)).toEqual(MIDNIGHT)
  countRequest(early, id, EVENING)
  await early.write()
  expect(await lastUsedAt(id)).toEqual(MIDNIGHT)
})

test('uses survive a failed write, and uses of a deleted key are left out', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'survives' })
  const { id: deleted } = await createKey(prisma, { name: 'deleted' })
  const keyUsage = new KeyUsage(prisma)
  for (const key of [id, id, deleted]) countRequest(keyUsage, key, MIDNIGHT)
  await db.database.withSession((session) => session.query('ALTER TABLE key_usage_days RENAME TO renamed'))
  await expect(keyUsage.write()).rejects.toThrow()
  await db.database.withSession((session) => session.query('ALTER TABLE renamed RENAME TO key_usage_days'))
  await prisma.apiKey.delete({ where: { id: deleted } })
  countRequest(keyUsage, id, MIDNIGHT)
  await keyUsage.write()
  expect(await requestsByDay(id)).toEqual([{ day: '2026-11-21', requests: 3 }])
  expect(await lastUsedAt(id)).toEqual(MIDNIGHT)
})

test('while a write waits, for an import for example, no other one begins, and the last one has all uses', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'waits' })
  const usage = new KeyUsage(prisma)
  const write = vi.spyOn(usage, 'write')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const stop = usage.writeRegularly((error) => expect.fail(String(error)))
    const stopped = await db.database.withSession(async (session) => {
      await session.query('BEGIN')
      await session.query('LOCK TABLE key_usage_days')
      for (let minute = 0; minute < 3; minute += 1) {
        countRequest(usage, id, MIDNIGHT)
        vi.advanceTimersByTime(60_000)
      }
      expect(write).toHaveBeenCalledTimes(1)
      const stopping = stop()
      await session.query('ROLLBACK')
      return { stopping }
    })
    await stopped.stopping
  } finally {
    vi.useRealTimers()
  }
  expect(write).toHaveBeenCalledTimes(2)
  expect(await requestsByDay(id)).toEqual([{ day: '2026-11-21', requests: 3 }])
})

test('a report has the rows of one key or all, of one dataset or all, on the last days', async () => {
  const { prisma } = db.database
  const { id: a } = await createKey(prisma, { name: 'report a' })
  const { id: b } = await createKey(prisma, { name: 'report b' })
  const usage = new KeyUsage(prisma)
  usage.add(b, DATASET.seoul, EVENING, { requests: 1, items: 20, bytes: 5_000_000_000 })
  usage.add(b, DATASET.seoul, EVENING, { items: 5 })
  usage.add(a, DATASET.paid, MIDNIGHT, { requests: 2, bytes: 7 })
  usage.add(a, NO_SINGLE_DATASET, MIDNIGHT, { requests: 3 })
  await usage.write()
  const ofB = { day: '2026-11-20', keyId: b, key: 'report b', dataset: 'seoul', requests: 1, items: 25, bytes: 5e9 }
  expect(await report({ key: 'report b' })).toEqual([ofB])
  expect(await report({ dataset: 'seoul' })).toEqual([ofB])
  expect((await report({ key: a })).map(({ dataset, requests }) => [dataset, requests])).toEqual([
    [null, 3],
    ['paid', 2],
  ])
  expect(await report({ key: b, days: 1 })).toEqual([])
  expect(await report({ key: b, days: 2 })).toEqual([ofB])
  await expect(report({ key: 'nobody' })).rejects.toThrow('There is no key')
  await expect(report({ dataset: 'nothing' })).rejects.toThrow('There is no dataset')
})

test('the usage of a dataset stays when the dataset is removed', async () => {
  const { prisma } = db.database
  const { id } = await createKey(prisma, { name: 'of a removed dataset' })
  const usage = new KeyUsage(prisma)
  usage.add(id, DATASET.draft, MIDNIGHT, { requests: 1 })
  await usage.write()
  await prisma.dataset.delete({ where: { id: DATASET.draft } })
  expect((await report({ key: id })).map(({ dataset }) => dataset)).toEqual([DATASET.draft])
})

test('the number of days is from 1 to 3660', () => {
  expect(['1', '30', '3660'].map(parseDays)).toEqual([1, 30, 3660])
  for (const text of ['0', '3661', '-1', '1.5', '', 'x', '00001']) {
    expect(() => parseDays(text)).toThrow(`--days must be a whole number from 1 to 3660, not "${text}"`)
  }
})
