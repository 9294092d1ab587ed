import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { isUnavailable } from '../../src/database/client.ts'
import { isComplete, startApp, type TestApp } from '../support/app.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { type ProxiedGateway, startProxiedGateway } from '../support/proxied-gateway.ts'

/*
 * The database ends sessions while requests use them. Each request is answered correctly or with 503, whatever it was doing when
 * its session ended.
 */

const NEARBY = '/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=50000'
const LOCK_ITEMS = 'BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE'

describe.runIf(inject('template').kind === 'postgres')('A session that ends during a request', () => {
  let t: TestApp
  let gateway: ProxiedGateway

  beforeAll(async () => {
    t = await startApp()
    gateway = await startProxiedGateway(t)
  })
  afterAll(async () => {
    await gateway.close()
    await t.close()
  })

  const send = (path: string, init: RequestInit = {}) =>
    fetch(gateway.url + path, {
      ...init,
      headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' },
    })
  const sendGraphQL = (query: string) => send('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
  const waitingStatements = () => countLockWaits(t.database)

  test.each([
    ['a raw SQL statement', 503, () => send(`${NEARBY}&page=2`)],
    [
      'a nullable field of GraphQL',
      200,
      () => sendGraphQL('{ dataset(id: "seoul") { items(limit: 7) { nodes { name } } } }'),
    ],
    ['a Prisma query', 503, () => send('/v1/dataset-items/22222222-0000-4000-8000-000000000001')],
  ])('by a TCP reset in %s gives SERVICE_UNAVAILABLE with status %i', async (_, status, ask) => {
    await isComplete(gateway.changeFeed)
    await t.database.withSession(async (session) => {
      await session.query(LOCK_ITEMS)
      const response = ask()
      await expect.poll(waitingStatements).toBeGreaterThan(0)
      gateway.proxy.reset()
      expect((await response).status).toBe(status)
      expect(await (await response).text()).toContain('"SERVICE_UNAVAILABLE"')
      await session.query('COMMIT')
    })
    await expect.poll(async () => (await ask()).status).toBe(200)
  })

  test('by a TCP reset at the start of a transaction counts as unavailable', async () => {
    await gateway.database.prisma.$queryRaw`SELECT 1`
    gateway.proxy.silence()
    const started = gateway.database.prisma.$transaction(async () => {}).catch((error: unknown) => error)
    // The pool takes its connection at once, so BEGIN is sent before this poll succeeds.
    await expect.poll(() => gateway.database.poolUse().busy).toBe(1)
    gateway.proxy.reset()
    expect(isUnavailable(await started)).toBe(true)
    await gateway.proxy.restore()
  })

  test('by pg_terminate_backend, twenty times under load, gives 200 or 503 and nothing else', async () => {
    const seen = new Set<string>()
    let isOver = false
    let count = 0
    const asks = [
      () => send('/v1/datasets'),
      () => send(`/v1/datasets/seoul/items?limit=${1 + (count % 9)}`),
      () => send(NEARBY),
      () => sendGraphQL('{ datasets { nodes { name items(limit: 2) { total nodes { name images { altText } } } } } }'),
    ]
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        count += 1
        const response = await asks[count % asks.length]?.()
        const codes = (await response?.text())?.match(/"code":"[A-Z_]+"/g) ?? []
        seen.add([response?.status, ...new Set(codes)].join(' '))
      }
    })
    for (let round = 0; round < 20; round += 1) {
      const before = count
      await t.database.withSession(async (session) => {
        // The change makes cached responses invalid, and reads that are under way start again in a transaction.
        await session.query('UPDATE datasets SET updated_at = clock_timestamp()')
        await session.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
      })
      await expect.poll(() => count, { interval: 5 }).toBeGreaterThan(before + clients.length)
    }
    isOver = true
    await Promise.all(clients)
    const allowed = ['200', '200 "code":"SERVICE_UNAVAILABLE"', '503 "code":"SERVICE_UNAVAILABLE"']
    expect([...seen].filter((answer) => !allowed.includes(answer))).toEqual([])
    await expect.poll(async () => (await send(NEARBY)).status).toBe(200)
  })
})
