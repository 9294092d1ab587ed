import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test, vi } from 'vitest'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { callOf, callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { openSocket, readAll } from '../support/raw.ts'
import { requestText } from '../support/unread.ts'

/*
 * Cached responses are never stale or inconsistent, and no key gets the response of another key (docs/security.md).
 */

// A request whose body arrives late must not be cut off on a busy machine.
const t = useApp({ limits: { receiveTimeoutMs: 600_000 } })

const PAGE = '/v1/datasets/seoul/items?limit=100'
const QUERY =
  '{ dataset(id: "seoul") { name items(limit: 100) { total nodes { name images { altText } parent { name } } } itemConnection { totalCount } } }'

/** The number of statements that a request takes. */
async function statementsOf(ask: () => Promise<unknown>): Promise<number> {
  t.statements.length = 0
  await ask()
  // The gateway writes the last use of keys twice a minute. Those statements belong to no request.
  return t.statements.filter((sql) => !sql.includes('INSERT INTO key_uses')).length
}

/**
 * Repeats a request until it takes no statement. Its response is cached then, until something changes. On a busy machine the
 * heartbeat of the change feed can be late, and then the next request reads again.
 */
const warm = (ask: () => Promise<unknown>) => expect.poll(() => statementsOf(ask), { interval: 5 }).toBe(0)

describe('A response is cached', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['the list of datasets', () => t.get('/v1/datasets')],
    ['a dataset', () => t.get('/v1/datasets/seoul')],
    ['a page of items', () => t.get(PAGE)],
    ['an item', () => t.get(`/v1/dataset-items/${ITEM.palace}`)],
    ['a search', () => t.get('/v1/dataset-items/nearby?latitude=37.5&longitude=127')],
    ['a GraphQL operation', () => t.graphql(QUERY)],
  ])('%s: a second request takes no statement', async (_what, ask) => {
    await warm(ask)
  })

  test('and serves another key with the same access, with no statement except for the key', async () => {
    const firstPageOfNewKey = async () => {
      const { key } = await createKey(t.database.prisma, { name: 'other', accessTiers: ['x'] })
      await warm(() => t.get(PAGE))
      await warm(() => t.get('/v1/datasets/seoul', { authorization: `Bearer ${key}` }))
      return statementsOf(() => t.get(PAGE, { authorization: `Bearer ${key}` }))
    }
    await expect.poll(firstPageOfNewKey).toBe(0)
  })

  test('only if it has no error', async () => {
    const ask = () => t.get('/v1/dataset-items/00000000-0000-4000-8000-000000000000')
    await ask()
    expect(await statementsOf(ask)).toBeGreaterThan(0)
  })
})

test.each([
  ['/graphql', 'application/json', '{"query":"{ datasets { total } }"}'],
  ['/graphql', 'application/graphql-response+json', '{"query":"{ datasets { total } }"}'],
  ['/mcp', 'application/json', callOf('listDatasets')],
])('A request to %s as %s whose body arrives after its key was revoked gets 401', async (path, accept, body) => {
  const { prisma } = t.database
  const { key, id } = await createKey(prisma, { name: 'slow' })
  const socket = await openSocket(t.url)
  const answer = readAll(socket)
  const head = requestText(key, path, body).slice(0, -body.length)
  socket.write(head.replace('\r\n', `\r\nAccept: ${accept}\r\nConnection: close\r\n`))
  const statusOfKey = async () => (await t.get('/v1/datasets', { authorization: `Bearer ${key}` })).status
  // The head is read when another request has been answered.
  await statusOfKey()
  await revokeKey(prisma, id)
  await expectWithinASecond(statusOfKey, (status) => expect(status).toBe(401))
  socket.write(body)
  const text = await answer
  expect(text).toMatch(/^HTTP\/1.1 401 /)
  expect(text).toMatch(/www-authenticate: Bearer/i)
})

describe('A cached response goes to no key without access:', () => {
  const get = (path: string, key: string) => t.get(path, { authorization: `Bearer ${key}` })

  test('not to a key without the grant, and not after the grant is withdrawn or has expired', async () => {
    const { prisma } = t.database
    const { key, id } = await createKey(prisma, { name: 'granted', datasets: ['restricted'] })
    const path = '/v1/datasets/restricted/items'
    await warm(() => get(path, key))
    expect((await t.get(path)).status).toBe(403)
    await withdrawGrant(prisma, { keyId: id, dataset: 'restricted' })
    const status = async () => (await get(path, key)).status
    await expectWithinASecond(status, (found) => expect(found).toBe(403))
    vi.useFakeTimers({ toFake: ['Date'] })
    const expiresAt = new Date(Date.now() + 1)
    await grantDataset(prisma, { keyId: id, dataset: 'restricted', expiresAt })
    await expectWithinASecond(status, (found) => expect(found).toBe(200))
    await warm(() => get(path, key))
    vi.setSystemTime(expiresAt)
    expect(await status()).toBe(403)
    vi.useRealTimers()
  })

  test('not after the dataset has become inaccessible', async () => {
    const { prisma } = t.database
    await warm(() => t.get('/v1/datasets/archived/items'))
    await prisma.dataset.update({ where: { id: DATASET.archived }, data: { status: 'draft' } })
    await expectWithinASecond(
      async () => (await t.get('/v1/datasets/archived/items')).status,
      (status) => expect(status).toBe(403),
    )
  })
})

describe('After a change', () => {
  /** The writer needs several seconds for them. */
  const LAST = 100

  const INSERT = `
    INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
    VALUES (gen_random_uuid(), $2, $1, 'a', 'second', 0, 0, now(), now())`
  /** The names of a page with all items, and a text that is none of them if the totals are of another state. */
  const namesOf = (items: { name: string }[], ...totals: number[]) => [
    ...items.map(({ name }) => name),
    ...totals.filter((total) => total !== items.length).map((total) => `a total of ${total}`),
  ]

  test.each<[string, string, () => Promise<unknown>]>([
    ['an item', `UPDATE items SET name = 'changed 1' WHERE id = '${ITEM.gate}'`, () => t.get(PAGE)],
    ['an image', `UPDATE images SET alt_text = 'changed 2'`, () => t.graphql(QUERY)],
    ['the dataset', `UPDATE datasets SET name = 'changed 3' WHERE slug = 'seoul'`, () => t.get('/v1/datasets')],
    [
      'a new item',
      `INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
       VALUES ('99999999-0000-4000-8000-000000000001', '${DATASET.seoul}', 'changed 4', 'a', 'c', 37.5, 127, now(), now())`,
      () => t.get('/v1/dataset-items/nearby?latitude=37.5&longitude=127'),
    ],
    [
      'an item of a tool',
      `UPDATE items SET name = 'changed 5' WHERE id = '${ITEM.hall}'`,
      () => callTool(t.url, t.key, 'getItem', { itemId: ITEM.hall }),
    ],
  ])('of %s by psql the cached response is not used after a second', async (_what, sql, ask) => {
    await warm(ask)
    const marker = /changed \d/.exec(sql)?.[0] ?? ''
    const text = async () => {
      const response = await ask()
      return response instanceof Response ? response.text() : JSON.stringify(response)
    }
    expect(await text()).not.toContain(marker)
    await t.database.withSession((session) => session.query(sql))
    await expectWithinASecond(text, (found) => expect(found).toContain(marker))
  })

  test('of one dataset the cached responses about others stay', async () => {
    const paid = await createKey(t.database.prisma, { name: 'paid', accessTiers: ['gold'] })
    const ask = () => t.get('/v1/datasets/paid/items', { authorization: `Bearer ${paid.key}` })
    let changes = 0
    const statementsAfterChange = async () => {
      await warm(ask)
      changes += 1
      const description = `change ${changes}`
      await t.database.prisma.item.update({ where: { id: ITEM.gate }, data: { description } })
      // The change feed has received the change when a response shows it.
      const gate = async () => (await t.get(`/v1/dataset-items/${ITEM.gate}`)).json()
      await expectWithinASecond(gate, ({ data }) => expect(data.description).toBe(description))
      return statementsOf(ask)
    }
    await expect.poll(statementsAfterChange).toBe(0)
  })

  test('no reader sees the old state after the new one, or a part of the change, by any route', async () => {
    /** The time of the commit of each generation. */
    const committedAt: number[] = []
    let generation = 0
    let isWriting = true
    const write = async () => {
      while (generation < LAST) {
        const next = `generation ${String(generation + 1).padStart(4, '0')}`
        await t.database.withSession(async (session) => {
          await session.query('BEGIN')
          await session.query('UPDATE items SET name = $1 WHERE dataset_id = $2', [next, DATASET.seoul])
          await session.query('UPDATE datasets SET name = $1 WHERE id = $2', [next, DATASET.seoul])
          await session.query('UPDATE images SET alt_text = $1', [next])
          // Each second generation has one item more.
          await session.query(`DELETE FROM items WHERE category_code = 'second'`)
          if (generation % 2 === 0) await session.query(INSERT, [next, DATASET.seoul])
          await session.query('COMMIT')
        })
        generation += 1
        committedAt[generation] = performance.now()
        await sleep(15)
      }
      isWriting = false
    }
    const read = async (ask: () => Promise<string[]>) => {
      let last = ''
      while (isWriting) {
        const secondAgo = performance.now() - 1_000
        const newestThen = committedAt.findLastIndex((time) => time <= secondAgo)
        const names = new Set(await ask())
        // The state before the first generation.
        if (last === '' && ![...names].some((name) => name.startsWith('generation'))) continue
        expect(names.size).toBe(1)
        const [name = ''] = names
        expect(name >= last).toBe(true)
        last = name
        expect(Number(name.slice(-4))).toBeGreaterThanOrEqual(newestThen)
      }
    }
    const rest = async () => {
      const { data, meta } = await (await t.get(PAGE)).json()
      return namesOf(data, meta.total)
    }
    interface Node {
      name: string
      images: { altText: string }[]
      parent: { name: string } | null
    }
    const graphql = async () => {
      const { name, items, itemConnection } = (await t.graphql(QUERY)).body.data.dataset
      const nodes: Node[] = items.nodes
      const others = nodes.flatMap(({ images, parent }) => [
        ...images.map(({ altText }) => altText),
        ...(parent ? [parent.name] : []),
      ])
      return [name, ...namesOf(nodes, items.total, itemConnection.totalCount), ...others]
    }
    await Promise.all([write(), read(rest), read(rest), read(graphql), read(graphql)])
    await expectWithinASecond(rest, (names) => expect(names.at(0)).toBe(`generation ${String(LAST).padStart(4, '0')}`))
  })
})

describe.runIf(inject('template').kind === 'postgres')('When the connection of the change feed is lost', () => {
  test('responses are new at once, and cached again once it is back', async () => {
    await warm(() => t.get(PAGE))
    await t.database.withSession(async (session) => {
      await session.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND (query = 'LISTEN catalog' OR query LIKE 'SELECT pg_postmaster_start_time()%') AND pid <> pg_backend_pid()`)
      await session.query(`UPDATE items SET name = 'while away' WHERE dataset_id = $1`, [DATASET.seoul])
    })
    await expectWithinASecond(
      async () => (await t.get(PAGE)).text(),
      (found) => expect(found).toContain('while away'),
    )
    await warm(() => t.get(PAGE))
  })
})
