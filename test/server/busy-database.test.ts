import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { cacheDatasetList } from '../../src/catalog/snapshot/dataset-list.ts'
import { readConfig } from '../../src/config/config.ts'
import { Cancellation, withCancellation } from '../../src/database/cancellation.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createApp } from '../../src/server/app.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createFeed } from '../support/changes.ts'

const isServer = inject('template').kind === 'postgres'

const PATHS = [
  '/v1/datasets',
  '/v1/datasets/seoul-landmarks/items',
  '/v1/dataset-items/nearby?latitude=1&longitude=1',
  '/search?text=a',
  '/tiles/seoul-landmarks/0/0/0.mvt',
  '/exports/seoul-landmarks.csv',
  '/ogc/collections/seoul-landmarks/items',
]

describe('While one key keeps the database busy', () => {
  let t: TestApp
  const greedy = new Cancellation(['greedy'])
  let busy: Promise<unknown>[]
  const keys: string[] = []
  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    // Before the database is busy, because to create one takes a second then.
    for (const path of PATHS) keys.push((await createKey(t.database.prisma, { name: path })).key)
    // The embedded database has one session, and others wait for the statement that runs.
    const rows = isServer ? 1_000_000 : 1
    const runLong = () =>
      t.database.sql
        .$queryRaw`SELECT count(*) FROM generate_series(1, 1000000) AS a, generate_series(1, ${rows}::integer) AS b`
    const runMany = async () => {
      for (;;) await runLong()
    }
    // More than the database has places for.
    busy = Array.from({ length: 20 }, () => withCancellation(greedy, runMany).catch((error: unknown) => error))
  })
  afterAll(async () => {
    greedy.cancel()
    await Promise.all(busy)
    await t.close()
  })

  test('/healthz and /readyz answer', async () => {
    expect((await fetch(`${t.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${t.url}/readyz`)).status).toBe(200)
  })

  test('another key does not wait for a read of the datasets that both share', async () => {
    const datasets = cacheDatasetList(t.database.prisma, createFeed().feed)
    const first = withCancellation(greedy, datasets)
    const shared = withCancellation(new Cancellation(['other']), datasets)
    const read = Promise.all([first, shared]).then(() => 'read')
    expect(await Promise.race([read, Promise.race(busy).then(() => 'the key is not busy any more')])).toBe('read')
  })

  test.each(PATHS)('another key gets its answer from %s', async (path) => {
    // The gateway does not know this key yet.
    const key = keys[PATHS.indexOf(path)]
    const response = await fetch(`${t.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true])
  })
})

test.runIf(isServer)(
  'A key that keeps the only connection for requests busy delays neither /readyz nor the look-up of another key',
  async () => {
    const t = await startApp()
    const database = await openDatabase({ ...t.config, poolSize: 1 }, { share: true })
    const { responseCacheBytes, limits } = readConfig({})
    const app = await createApp({ database, corsOrigins: [], responseCacheBytes, limits })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const statusOf = async (path: string, key = t.key) =>
      (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).status
    const greedy = new Cancellation(['greedy'])
    const runLong = () =>
      database.sql.$queryRaw`SELECT count(*) FROM generate_series(1, 1000000) AS a, generate_series(1, 1000000) AS b`
    const { key: other } = await createKey(t.database.prisma, { name: 'other' })
    // With a clock that stands still, no heartbeat of the change feed comes too late: from now on the list of datasets is cached.
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    await expect.poll(() => statusOf('/v1/datasets')).toBe(200)
    await expect.poll(() => database.poolUse().busy).toBe(0)
    const busy = withCancellation(greedy, runLong).catch(() => 'the key is not busy any more')
    await expect.poll(() => database.poolUse().busy).toBe(1)
    expect(await Promise.race([statusOf('/readyz'), busy])).toBe(200)
    expect(await Promise.race([statusOf('/v1/datasets', other), busy])).toBe(200)
    greedy.cancel()
    await busy
    vi.useRealTimers()
    await app.close()
    await database.close()
    await t.close()
  },
)
