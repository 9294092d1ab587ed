import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ChangeFeed, Topic } from '../../src/database/change-feed.ts'
import { DATASET, IMAGE, ITEM, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/*
 * Whoever writes, and whatever he writes: the change feed hears of exactly the datasets and keys that changed, and their revisions move.
 */

const KEY = { one: '77777777-0000-4000-8000-000000000001', two: '77777777-0000-4000-8000-000000000002' }
const EMPTY = '88888888-0000-4000-8000-000000000001'
const OTHER = '88888888-0000-4000-8000-000000000002'
const { seoul, paid, restricted, draft } = DATASET

const db = useDatabase()
let feed: ChangeFeed
beforeAll(async () => {
  // With a clock that stands still, no heartbeat comes too late. After such a one, everything counts as changed.
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  feed = db.database.followChanges()
})
afterAll(async () => {
  await feed.close()
  vi.useRealTimers()
})

const hash = (n: number) => new Uint8Array(Buffer.alloc(32, n))

beforeEach(async () => {
  const { prisma } = db.database
  await prisma.dataset.deleteMany()
  await prisma.apiKey.deleteMany()
  await seedCatalog(prisma)
  const createdAt = new Date()
  const empty = { slug: 'empty', name: 'Empty', status: 'active', visibility: 'public', attribution: '' } as const
  await prisma.dataset.create({ data: { id: EMPTY, ...empty, createdAt, updatedAt: createdAt } })
  await prisma.apiKey.createMany({
    data: [KEY.one, KEY.two].map((id, n) => ({ id, name: id, hash: hash(n), createdAt })),
  })
  await prisma.grant.create({ data: { apiKeyId: KEY.one, datasetId: draft, createdAt } })
  await prisma.retiredSecret.create({ data: { apiKeyId: KEY.one, hash: hash(9), expiresAt: createdAt } })
  await prisma.$executeRaw`INSERT INTO code_labels VALUES (${seoul}::uuid, 'categoryCode', 'gate', 'Gate')`
})

const revisions = async () => {
  const datasets = await db.database.prisma.dataset.findMany({ select: { id: true, revision: true } })
  return new Map(datasets.map(({ id, revision }) => [id, revision]))
}

/** Every topic of the catalog. */
const TOPICS: readonly Topic[] = [
  'datasets',
  ...[...Object.values(DATASET), EMPTY, OTHER].map((id): Topic => `dataset ${id}`),
  ...Object.values(KEY).map((id): Topic => `key ${id}`),
]

/** Runs SQL. Returns the topics that the feed heard of, and the datasets whose revision moved. */
async function changesBy(sql: string): Promise<{ heard: Topic[]; moved: string[] }> {
  const { prisma } = db.database
  const before = await revisions()
  /** Waits until the feed has heard of all that was sent before. */
  const settle = async () => {
    const marker = `key ${randomUUID()}` as const
    let since: number | undefined
    await expect.poll(() => (since = feed.latest())).toBeDefined()
    await prisma.$executeRaw`SELECT pg_notify('catalog', ${marker})`
    await expect.poll(() => feed.isUnchanged([marker], since ?? 0)).toBe(false)
    return feed.latest() ?? 0
  }
  const since = await settle()
  await db.database.withSession((session) => session.query(sql))
  await settle()
  const heard = TOPICS.filter((topic) => !feed.isUnchanged([topic], since))
  const after = await revisions()
  const moved = [...after].filter(([id, revision]) => before.has(id) && revision > (before.get(id) ?? 0n))
  expect([...after].every(([id, revision]) => revision >= (before.get(id) ?? 0n))).toBe(true)
  return { heard, moved: moved.map(([id]) => id).sort() }
}

const ofDatasets = (...ids: string[]): Topic[] =>
  TOPICS.filter((topic) => topic === 'datasets' || ids.includes(topic.slice(8)))

const NEW_ITEM = `INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  SELECT gen_random_uuid(), dataset_id, 'New', 'a', 'c', 1, 1, now(), now() FROM unnest(ARRAY['${seoul}', '${paid}']::uuid[]) AS dataset_id`
const NEW_IMAGE = `INSERT INTO images SELECT gen_random_uuid(), '${ITEM.gate}', '', '', '', '', '', '', 5, false`

test('whatever was committed before is announced', async () => {
  await expect.poll(() => feed.latest()).toBeDefined()
  for (let n = 0; n < 100; n += 1) {
    const before = feed.latest() ?? 0
    await db.database.prisma.$executeRaw`UPDATE datasets SET description = ${String(n)} WHERE id = ${seoul}::uuid`
    await Promise.all([feed.announced(), feed.announced()])
    expect(feed.isUnchanged([`dataset ${seoul}`], before)).toBe(false)
    const after = feed.latest()
    await feed.announced()
    expect(feed.latest()).toBe(after)
  }
})

describe('A change of what is in a dataset is heard, and moves its revision:', () => {
  test.each<[string, string, string[]]>([
    ['its description', `UPDATE datasets SET description = 'new' WHERE id = '${seoul}'`, [seoul]],
    ['new items of two datasets', NEW_ITEM, [seoul, paid]],
    ['an item', `UPDATE items SET name = 'New' WHERE id = '${ITEM.gate}'`, [seoul]],
    [
      'an item that moves to another one',
      `UPDATE items SET dataset_id = '${paid}' WHERE id = '${ITEM.tower}'`,
      [seoul, paid],
    ],
    ['a deleted item', `DELETE FROM items WHERE id = '${ITEM.tower}'`, [seoul]],
    ['a new image', NEW_IMAGE, [seoul]],
    ['an image', `UPDATE images SET alt_text = 'new' WHERE id = '${IMAGE.first}'`, [seoul]],
    [
      'an image that moves',
      `UPDATE images SET item_id = '${ITEM.paid}' WHERE id = '${IMAGE.restricted}'`,
      [paid, restricted],
    ],
    ['a deleted image', `DELETE FROM images WHERE id = '${IMAGE.restricted}'`, [restricted]],
    ['a new label', `INSERT INTO code_labels VALUES ('${paid}', 'categoryCode', 'x', 'X')`, [paid]],
    ['a label', `UPDATE code_labels SET label = 'new'`, [seoul]],
    ['a label that moves', `UPDATE code_labels SET dataset_id = '${paid}'`, [seoul, paid]],
    ['a deleted label', 'DELETE FROM code_labels', [seoul]],
  ])('%s', async (_what, sql, ids) => {
    expect(await changesBy(sql)).toEqual({ heard: ofDatasets(...ids), moved: ids.toSorted() })
  })

  test.each([
    ['no row', `UPDATE items SET name = 'New' WHERE id = '${randomUUID()}'`],
    ['an item that is written and rolled back', `BEGIN; UPDATE items SET name = 'New'; ROLLBACK`],
  ])('but not %s', async (_what, sql) => {
    expect(await changesBy(sql)).toEqual({ heard: [], moved: [] })
  })
})

describe('A dataset is heard of', () => {
  const insert = `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
    VALUES ('${OTHER}', 'other', 'Other', 'active', 'public', '', now(), now())`

  test('when it is new, and when it is deleted', async () => {
    expect(await changesBy(insert)).toEqual({ heard: ofDatasets(OTHER), moved: [] })
    expect(await changesBy(`DELETE FROM datasets WHERE id = '${OTHER}'`)).toEqual({
      heard: ofDatasets(OTHER),
      moved: [],
    })
  })

  test('by its old and its new id', async () => {
    const { heard } = await changesBy(`UPDATE datasets SET id = '${OTHER}' WHERE id = '${EMPTY}'`)
    expect(heard).toEqual(ofDatasets(EMPTY, OTHER))
  })

  test('under a higher revision each time, however fast it is deleted and made anew', async () => {
    await db.database.prisma.$executeRawUnsafe(`
      DO $$
      DECLARE
        before bigint := 0;
        after bigint;
      BEGIN
        FOR n IN 1 .. 50 LOOP
          ${insert} RETURNING revision INTO after;
          IF after <= before THEN RAISE EXCEPTION 'revision % after %', after, before; END IF;
          before := after;
          DELETE FROM datasets WHERE id = '${OTHER}';
        END LOOP;
      END $$`)
  })
})

describe('A change of what a key may do is heard, and moves no revision:', () => {
  const [one, two]: Topic[] = [`key ${KEY.one}`, `key ${KEY.two}`]
  const grant = (key: string) => `INSERT INTO grants VALUES ('${key}', '${seoul}', now(), NULL)`
  const secret = `INSERT INTO retired_secrets VALUES (decode(repeat('07', 32), 'hex'), '${KEY.two}', now())`
  test.each<[string, string, (Topic | undefined)[]]>([
    ['its tiers', `UPDATE api_keys SET access_tiers = '{gold}' WHERE id = '${KEY.one}'`, [one]],
    ['a deleted key', `DELETE FROM api_keys WHERE id = '${KEY.two}'`, [two]],
    ['a new grant', grant(KEY.two), [two]],
    ['a grant', 'UPDATE grants SET expires_at = now()', [one]],
    ['a grant that moves', `UPDATE grants SET api_key_id = '${KEY.two}'`, [one, two]],
    ['a withdrawn grant', 'DELETE FROM grants', [one]],
    ['a new retired secret', secret, [two]],
    ['a retired secret', 'UPDATE retired_secrets SET expires_at = now()', [one]],
    ['a retired secret that moves', `UPDATE retired_secrets SET api_key_id = '${KEY.two}'`, [one, two]],
    ['a deleted retired secret', 'DELETE FROM retired_secrets', [one]],
  ])('%s', async (_what, sql, topics) => {
    expect(await changesBy(sql)).toEqual({ heard: topics, moved: [] })
  })

  test('a new key, which had been looked up before', async () => {
    await db.database.prisma.apiKey.delete({ where: { id: KEY.two } })
    const sql = `INSERT INTO api_keys (id, name, hash, created_at) VALUES ('${KEY.two}', 'k', decode(repeat('05', 32), 'hex'), now())`
    expect(await changesBy(sql)).toEqual({ heard: [two], moved: [] })
  })
})

describe('The revision of a dataset', () => {
  const { seoul, paid } = DATASET
  const revisionOf = async (id: string) => (await revisions()).get(id) ?? 0n

  test('moves on when the clock is behind', async () => {
    const { prisma } = db.database
    await prisma.$executeRaw`ALTER TABLE datasets DISABLE TRIGGER datasets_move_revision`
    await prisma.$executeRaw`UPDATE datasets SET revision = revision + 3600000000 WHERE id = ${seoul}::uuid`
    await prisma.$executeRaw`ALTER TABLE datasets ENABLE TRIGGER datasets_move_revision`
    for (const table of ['datasets', 'items', 'datasets']) {
      const before = await revisionOf(seoul)
      const id = table === 'items' ? ITEM.gate : seoul
      expect((await changesBy(`UPDATE ${table} SET description = 'new' WHERE id = '${id}'`)).moved).toEqual([seoul])
      expect(await revisionOf(seoul)).toBe(before + 1n)
    }
    // Microseconds since 1970. Smaller units would make two changes equal, and a day is more than any clock is wrong by.
    expect(Math.abs(Number(await revisionOf(paid)) / 1_000 - Date.now())).toBeLessThan(86_400_000)
  })

  test('is its own, also if it is created as a copy of another one', async () => {
    await db.database.prisma.$executeRawUnsafe(`
      INSERT INTO datasets SELECT (jsonb_populate_record(d, jsonb_build_object('id', '${OTHER}', 'slug', 'copy'))).* FROM datasets d WHERE id = '${seoul}'`)
    expect(await revisionOf(OTHER)).toBeGreaterThan(await revisionOf(seoul))
  })

  test('moves when the items are counted again', async () => {
    const all = [...Object.values(DATASET), EMPTY]
    expect(await changesBy('SELECT recount_items()')).toEqual({ heard: TOPICS, moved: all.sort() })
  })
})

describe('TRUNCATE is heard as a change of everything', () => {
  const ids = [...Object.values(DATASET), EMPTY].sort()
  test.each([
    ['items CASCADE', ids],
    ['images', ids],
    ['code_labels', ids],
    ['api_keys CASCADE', []],
    ['grants', []],
    ['retired_secrets', []],
  ])('%s', async (tables, moved) => {
    expect(await changesBy(`TRUNCATE ${tables}`)).toEqual({ heard: TOPICS, moved })
  })
})
