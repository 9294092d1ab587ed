import { describe, expect, inject, test } from 'vitest'
import { isTransient, isUnavailable } from '../../src/database/client.ts'
import { type GraphQLAnswer, useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM } from '../support/catalog.ts'
import { countLockWaits } from '../support/lock-waits.ts'

const t = useApp()

/*
 * `TRUNCATE items CASCADE` locks the items and then the images. A read that locks the images and then the items would be its
 * deadlock. So a read that waits for the items holds no other table of the catalog that a TRUNCATE locks.
 */

const DOCUMENTS = {
  'an item with its images, parent and children': `{ item(id: "${ITEM.hall}") {
    a: name images { id } parent { name } children { nodes { name images { id } } } } }`,
  'an item that is JSON of PostgreSQL': `{ item(id: "${ITEM.palace}") { name extraAttributes images { cdnUrl } } }`,
  'nodes of both types': `{ nodes(ids: ["${IMAGE.second}", "${ITEM.palace}"]) { id ... on Image { altText } } }`,
  'a node that is an image': `{ node(id: "${IMAGE.second}") { id ... on Image { originalUrl } } }`,
  'a list': `{ dataset(id: "${DATASET.seoul}") { items { total nodes { name images { id } } } } }`,
  'a search': '{ searchItems(text: "palace") { nodes { name images { id } } } }',
  'a nearby search': `{ nearbyItems(latitude: 37.5, longitude: 127, radius: 9000) {
    nodes { distance item { images { id } } } } }`,
  facets: `{ dataset(id: "${DATASET.seoul}") { categories { code total } } }`,
  'the sizes of exports': `{ dataset(id: "${DATASET.seoul}") { exportSizes { format bytes } } }`,
  suggestions: '{ suggestItems(text: "palce") { name images { id } } }',
} as const

const PATHS = {
  'the list of datasets': '/v1/datasets',
  'an item by REST': `/v1/dataset-items/${ITEM.palace}`,
  'a list by REST': `/v1/datasets/${DATASET.seoul}/items`,
  'a nearby search by REST': '/v1/dataset-items/nearby?latitude=37.5&longitude=127&radius=9000',
  'an export': '/exports/seoul.ndjson',
  'a tile': '/tiles/seoul/4/13/6.mvt',
  'the features of a collection': '/ogc/collections/seoul/items?bbox=120,30,130,40',
}

/** Returns whether a session waits for a lock while it holds one of the images. */
async function waitsWithImages(): Promise<boolean> {
  const [row] = await t.database.prisma.$queryRaw<{ n: number }[]>`
    SELECT count(*)::integer AS n FROM pg_locks AS held JOIN pg_locks AS wanted USING (pid)
     WHERE held.granted AND NOT wanted.granted AND held.relation = 'images'::regclass
       AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  return row?.n !== 0
}

describe.runIf(inject('template').kind === 'postgres')(
  'A read that waits for the items does not hold the images:',
  () => {
    const requests = [
      ...Object.entries(DOCUMENTS).map(([what, document]) => ({ what, send: () => t.graphql(document) })),
      ...Object.entries(PATHS).map(([what, path]) => ({ what, send: () => t.get(path) })),
    ]
    test.each(requests)('$what', async ({ send }) => {
      await t.database.withSession(async (session) => {
        await session.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE')
        let isEnded = false
        const sent: Promise<Response | GraphQLAnswer> = send().finally(() => (isEnded = true))
        await expect.poll(async () => isEnded || (await countLockWaits(t.database)) > 0).toBe(true)
        expect(await waitsWithImages()).toBe(false)
        await session.query('COMMIT')
        const response = await sent
        expect(response.status).toBe(200)
        if (!(response instanceof Response)) expect(response.body.errors).toBeUndefined()
      })
    })
  },
)

/*
 * Writers that lock several datasets, or tables and datasets, lock them in one order. So they wait, and none gets "deadlock detected".
 */

/** How often each writer repeats its change. */
const ROUNDS = 400

describe.runIf(inject('template').kind === 'postgres')('Writers never wait for each other:', () => {
  /** Repeats a statement in transactions of its own. */
  const repeat = (sql: string, parameters: readonly string[][]) =>
    t.database.withSession(async (session) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await session.query(sql, parameters[round % parameters.length])
      }
    })

  test.each([
    ['items', 'UPDATE items SET dataset_id = $2 WHERE id = $1', [ITEM.tower, ITEM.paid], [DATASET.seoul, DATASET.paid]],
    [
      'images',
      'UPDATE images SET item_id = $2 WHERE id = $1',
      [IMAGE.second, IMAGE.tied],
      [ITEM.palace, ITEM.archived],
    ],
  ] as const)('opposite moves of %s between two datasets', async (_what, sql, [one, other], [here, there]) => {
    await Promise.all([
      repeat(sql, [
        [one, there],
        [one, here],
      ]),
      repeat(sql, [
        [other, here],
        [other, there],
      ]),
    ])
  })

  test('datasets are locked in the order of their ids, wherever their rows are', async () => {
    const { prisma } = t.database
    const [first, second] = (await prisma.dataset.findMany({ orderBy: { id: 'asc' }, take: 2 })).map(({ id }) => id)
    for (const last of [first, second]) {
      // Its row is now the last one of the table.
      await t.database.withSession((session) => session.query('SELECT touch_datasets($1)', [[last]]))
      await t.database.withSession(async (session) => {
        await session.query('BEGIN')
        await session.query('SELECT touch_datasets($1)', [[first]])
        const waiting = t.database.withSession((other) => other.query('SELECT touch_datasets($1)', [[second, first]]))
        await expect.poll(() => countLockWaits(t.database)).toBe(1)
        await session.query('SELECT FROM datasets WHERE id = $1 FOR NO KEY UPDATE NOWAIT', [second])
        await session.query('COMMIT')
        await waiting
      })
    }
  })

  test.each([
    ['a recount', 'SELECT recount_items()'],
    ['a TRUNCATE', 'TRUNCATE items CASCADE'],
    ['a TRUNCATE of images', 'TRUNCATE images'],
    ['a TRUNCATE of labels', 'TRUNCATE code_labels'],
  ])('%s and the removal of a dataset', async (_what, sql) => {
    const dataset = `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
      VALUES ($1, 'removed', 'Removed', 'active', 'public', '', now(), now())`
    await t.database.withSession(async (session) => {
      await session.query('BEGIN')
      await session.query(`SELECT FROM datasets WHERE id = '${DATASET.seoul}' FOR NO KEY UPDATE`)
      const id = 'ffffffff-0000-4000-8000-000000000001'
      // The recount waits for the first dataset. The removal must not lock the last one and wait for the recount.
      await t.database.withSession((other) => other.query(dataset, [id]))
      const locking = t.database.withSession((other) => other.query(sql))
      await expect.poll(() => countLockWaits(t.database)).toBe(1)
      const removing = t.database.withSession((other) => other.query('DELETE FROM datasets WHERE id = $1', [id]))
      await expect.poll(() => countLockWaits(t.database)).toBe(2)
      await session.query('COMMIT')
      await Promise.all([locking, removing])
    })
  })
})

test.each(['40P01', '40001'])('an error with the SQLSTATE %s can pass, with Prisma or without it', async (code) => {
  const raise = `DO $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '${code}'; END $$`
  const { prisma } = t.database
  const errors = await Promise.all([
    prisma.$executeRawUnsafe(raise).catch((error: unknown) => error),
    prisma.$transaction((transaction) => transaction.$executeRawUnsafe(raise)).catch((error: unknown) => error),
    t.database.withSession((session) => session.query(raise)).catch((error: unknown) => error),
  ])
  for (const error of errors) expect([isTransient(error), isUnavailable(error)]).toEqual([true, true])
})
