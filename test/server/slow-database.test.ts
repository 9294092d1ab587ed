import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { recordsWith } from '../../src/catalog/projection.ts'
import { createBatchers } from '../../src/catalog/sql/statement-batcher.ts'
import { CANCELLED, Cancellation, withCancellation } from '../../src/database/cancellation.ts'
import { callOf } from '../mcp/client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { countLockWaits, startInTurn } from '../support/lock-waits.ts'

describe.runIf(inject('template').kind === 'postgres')('While the database is slow', () => {
  let t: TestApp
  beforeAll(async () => {
    // A key alone gets half of the places.
    t = await startApp({ limits: { maxInFlight: 6, refusalsPerMinute: 5 } })
  })
  afterAll(() => t.close())

  const PATH = '/v1/dataset-items/nearby?latitude=1&longitude=1'
  const working = () => countLockWaits(t.database)

  test('requests above the limit in flight get 503 at once, health routes respond, and afterwards all requests succeed', async () => {
    /** A new one for each request, because a cached response would not wait for the table. */
    let radius = 100
    const nearby = () => {
      radius += 1
      return t.get(`${PATH}&radius=${radius}`)
    }
    const statusOfCached = () =>
      t.database.withSession(async (session) => {
        await t.get('/v1/datasets')
        await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
        const waiting = await startInTurn(t.database, [1, 2, 3], nearby)
        const refused = await nearby()
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
        expect(await refused.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
        expect((await t.get('/healthz')).status).toBe(200)
        const cached = await t.get('/v1/datasets')
        expect((await t.get('/readyz')).status).toBe(200)
        await session.query('COMMIT')
        expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
        return cached.status
      })
    // A cached response takes no room. On a busy machine the heartbeat of the change feed can be late, and then it is read again.
    await expect.poll(statusOfCached).toBe(200)
    expect((await t.get('/v1/datasets')).status).toBe(200)
  })

  test('searches for unknown keys take no room of requests with a valid key', async () => {
    const unknown = (n: number) => ({ authorization: `Bearer dck_${String(n).padStart(43, '0')}` })
    const statusOfValid = () =>
      t.database.withSession(async (session) => {
        await t.get('/v1/datasets')
        await session.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE')
        const waiting = Array.from({ length: 10 }, (_, n) => t.get('/v1/datasets', unknown(n)))
        await expect.poll(working).toBe(1)
        const valid = t.get(`${PATH}&radius=8`).then(({ status }) => status)
        const status = await Promise.race([valid, sleep(5_000)])
        await session.query('COMMIT')
        const statuses = (await Promise.all(waiting)).map(({ status }) => status)
        expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([])
        return status
      })
    // On a busy machine the heartbeat of the change feed can be late. Then the valid key is searched too.
    await expect.poll(statusOfValid).toBe(200)
  })

  const DOORS: [string, (radius: number) => [string, RequestInit]][] = [
    ['REST', (radius) => [`${PATH}&radius=${radius}`, {}]],
    [
      'a tool',
      (radius) => ['/mcp', { method: 'POST', body: callOf('findNearbyItems', { latitude: 1, longitude: 1, radius }) }],
    ],
  ]

  test.each(DOORS)('a disconnect from %s cancels the statement and frees its place', async (door, requestOf) => {
    await t.database.withSession(async (session) => {
      await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
      const leaving = new AbortController()
      const headers = { authorization: `Bearer ${t.key}`, 'content-type': 'application/json', accept: '*/*' }
      const send = (radius: number) => {
        const [path, init] = requestOf(radius)
        return fetch(t.url + path, { ...init, headers, ...(radius !== 4 && { signal: leaving.signal }) })
      }
      // The first one stays. When it has waited too long, it is refused before the others.
      const [staying, ...gone] = await startInTurn(t.database, [4, 5, 6], send)
      leaving.abort()
      for (const request of gone) await expect(request).rejects.toThrow()
      await expect.poll(working).toBe(1)
      const next = t.get(`${PATH}&radius=7${door.length}`)
      // The gateway has the request when it has answered a later one.
      expect((await t.get('/healthz')).status).toBe(200)
      await session.query('COMMIT')
      expect([(await staying)?.status, (await next).status]).toEqual([200, 200])
      expect(await (await staying)?.text()).not.toContain('SERVICE_UNAVAILABLE')
    })
  })

  test('a disconnect during the search for the key stops the request', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'leaves' })
    await t.database.withSession(async (items) => {
      await items.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
      await t.database.withSession(async (keys) => {
        await keys.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE')
        const leaving = new AbortController()
        const headers = { authorization: `Bearer ${key}` }
        const gone = fetch(`${t.url}${PATH}&radius=8`, { headers, signal: leaving.signal })
        await expect.poll(working).toBe(1)
        leaving.abort()
        await expect(gone).rejects.toThrow()
        // The server has noticed it when it has answered a later request on another connection.
        await fetch(`${t.url}/healthz`)
        await keys.query('COMMIT')
      })
      // The key is in the cache when this request is answered, and the first request has had its turn.
      expect((await fetch(`${t.url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
      await expect.poll(working).toBe(0)
      await items.query('COMMIT')
    })
  })

  test('a statement that two requests share is cancelled when both clients have disconnected, and not before', async () => {
    const { id } = await t.database.prisma.dataset.findFirstOrThrow()
    const list = {
      selection: { among: 'all' },
      sort: 'name',
      order: 'asc',
      limit: 1,
      offset: 0,
      isCounted: false,
    } as const
    const { fetchWindow } = createBatchers(t.database.sql)
    const readTwice = (requests: readonly Cancellation[]) =>
      requests.map((request) =>
        withCancellation(request, () =>
          fetchWindow({
            window: { ...list, projection: recordsWith({ fields: ['name'] }) },
            owner: { datasetId: id, parentItemId: null },
          }),
        ),
      )
    await t.database.withSession(async (session) => {
      const lock = 'BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE'
      const [stays, leaves, leavesToo] = [new Cancellation([]), new Cancellation([]), new Cancellation([])]
      await session.query(lock)
      const kept = readTwice([stays, leaves])
      await expect.poll(working).toBe(1)
      leaves.cancel()
      await session.query('COMMIT')
      await expect(Promise.all(kept)).resolves.toHaveLength(2)

      await session.query(lock)
      const cancelled = Promise.allSettled(readTwice([leaves, leavesToo]))
      await expect.poll(working).toBe(1)
      leavesToo.cancel()
      await expect.poll(working).toBe(0)
      expect(await cancelled).toMatchObject(Array(2).fill({ status: 'rejected', reason: { code: CANCELLED } }))
      await session.query('COMMIT')
    })
  })
})
