import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

/*
 * The triggers find the tables of the catalog, whatever the session that writes has in its search_path.
 */

let db: TestDatabase
beforeAll(async () => {
  db = await createDatabase()
  await seedCatalog(db.database.prisma)
  await db.database.withSession((session) =>
    session.query(`
      CREATE SCHEMA hostile
        CREATE TABLE datasets (id uuid, revision bigint)
        CREATE TABLE items (id uuid, dataset_id uuid)
        CREATE TABLE item_counts (dataset_id uuid, list text, n integer, UNIQUE (dataset_id, list))
        CREATE TABLE tile_counts (dataset_id uuid, level smallint, cell bigint, n integer, sum_x bigint, sum_y bigint,
                                  UNIQUE (dataset_id, level, cell))
        CREATE TABLE tile_category_counts (dataset_id uuid, level smallint, cell bigint, category_code text, n integer, sum_x bigint,
                                           sum_y bigint, UNIQUE (dataset_id, level, cell, category_code));
      CREATE FUNCTION hostile.pg_notify(text, text) RETURNS void LANGUAGE sql AS '';
      CREATE FUNCTION hostile.list_name(text, text, text) RETURNS text LANGUAGE sql AS $$ SELECT 'hostile' $$`),
  )
})
afterAll(async () => {
  await db.database.withSession((session) => session.query('DROP SCHEMA hostile CASCADE'))
  await db.close()
})

test('every function that a trigger runs names its schemas', async () => {
  const { rows } = await db.database.withSession((session) =>
    session.query(`
      SELECT proname AS name FROM pg_proc
       WHERE prorettype = 'trigger'::regtype AND pronamespace = 'public'::regnamespace
         AND NOT coalesce(proconfig::text LIKE '%search_path=%', false)
         AND oid IN (SELECT tgfoid FROM pg_trigger)`),
  )
  expect(rows).toEqual([])
})

const STATE = `
  SELECT (SELECT revision FROM public.datasets WHERE id = '${DATASET.seoul}') AS revision,
         (SELECT n FROM public.item_counts WHERE dataset_id = '${DATASET.seoul}' AND list = 'roots category ''hall''') AS halls,
         (SELECT sum(n)::integer FROM public.tile_counts WHERE dataset_id = '${DATASET.seoul}') AS tiles`

const read = async (session: Client) => (await session.query(STATE)).rows[0]

test.each([
  ['an empty search_path', `SET search_path = ''`],
  [
    'a search_path that begins with other tables and functions of the same names',
    'SET search_path = hostile, pg_catalog, public',
  ],
  [
    'temporary tables of the same names',
    `CREATE TEMP TABLE datasets (id uuid, revision bigint);
     CREATE TEMP TABLE item_counts (dataset_id uuid, list text, n integer, UNIQUE (dataset_id, list));
     CREATE TEMP TABLE tile_counts (dataset_id uuid, level smallint, cell bigint, n integer, sum_x bigint, sum_y bigint,
                                    UNIQUE (dataset_id, level, cell));
     CREATE TEMP TABLE tile_category_counts (dataset_id uuid, level smallint, cell bigint, category_code text, n integer, sum_x bigint,
                                             sum_y bigint, UNIQUE (dataset_id, level, cell, category_code))`,
  ],
])('with %s, a write moves the revision, counts and notifies', async (_what, setUp) => {
  await db.database.withSession(async (session) => {
    const notified = new Set<string>()
    session.on('notification', ({ payload = '' }) => notified.add(payload))
    await session.query('LISTEN catalog')
    const before = await read(session)
    await session.query('BEGIN')
    await session.query(setUp)
    await session.query(
      `UPDATE public.items SET parent_item_id = NULL, category_code = 'hall' WHERE id IN ('${ITEM.hall}', '${ITEM.gate}')`,
    )
    await session.query(`UPDATE public.images SET alt_text = 'other' WHERE item_id = '${ITEM.palace}'`)
    const changed = await read(session)
    await session.query(`DELETE FROM public.items WHERE id = '${ITEM.hall}'`)
    const deleted = await read(session)
    await session.query('SELECT public.recount_items()')
    const recounted = await read(session)
    expect(recounted).toEqual({ ...deleted, revision: recounted.revision })
    expect(BigInt(recounted.revision)).toBeGreaterThan(BigInt(deleted.revision))
    await session.query('TRUNCATE public.items CASCADE')
    expect(await read(session)).toMatchObject({ halls: null, tiles: null })
    await session.query('ROLLBACK')
    await session.query(`UPDATE public.items SET description = description WHERE id = '${ITEM.gate}'`)

    expect(BigInt(changed.revision)).toBeGreaterThan(BigInt(before.revision))
    expect([before.halls, changed.halls, deleted.halls]).toEqual([null, 2, 1])
    expect(deleted.tiles).toBe(before.tiles - 4)
    await expect.poll(() => [...notified]).toContain(`dataset ${DATASET.seoul}`)
  })
})
