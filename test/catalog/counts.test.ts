import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { createImporter, ndjson, row } from '../support/import.ts'

/*
 * The counts that triggers maintain are equal to a recount, after any kind of write.
 */

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const STORED_COUNTS = `
  SELECT 'list ' || dataset_id || list AS what, n FROM item_counts
   UNION ALL SELECT 'tile ' || level || ' ' || cell || ' ' || sum_x || ' ' || sum_y || dataset_id, n FROM tile_counts ORDER BY 1`

/** Compares the stored counts with a recount, in a transaction that is rolled back. */
async function expectCorrect(session: ClientBase): Promise<void> {
  const { rows: stored } = await session.query(STORED_COUNTS)
  await session.query('BEGIN')
  await session.query('SELECT recount_items()')
  const { rows: counted } = await session.query(STORED_COUNTS)
  await session.query('ROLLBACK')
  expect(stored).toEqual(counted)
}

const NEW_ITEM = `
  INSERT INTO items (id, dataset_id, parent_item_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  VALUES ($1, $2, $3, 'New', $4, $5, $6, $7, now(), now())`

test.each<[string, string, unknown[]]>([
  ['nothing at all', 'SELECT 1', []],
  [
    'a new item with odd codes',
    NEW_ITEM,
    [randomUUID(), DATASET.seoul, null, `it's "odd"`, `' category 'x'`, 12.5, -180],
  ],
  ['a new child', NEW_ITEM, [randomUUID(), DATASET.seoul, ITEM.palace, '11110', 'gate', 90, 0]],
  ['a change that no count depends on', `UPDATE items SET name = 'Other' WHERE id = $1`, [ITEM.gate]],
  ['another category', `UPDATE items SET category_code = 'hall' WHERE id = $1`, [ITEM.gate]],
  ['another place', 'UPDATE items SET latitude = -latitude', []],
  ['another parent', 'UPDATE items SET parent_item_id = $2 WHERE id = $1', [ITEM.hall, ITEM.museum]],
  ['another dataset', 'UPDATE items SET dataset_id = $2 WHERE id = $1', [ITEM.tower, DATASET.paid]],
  ['a deleted item', 'DELETE FROM items WHERE id = $1', [ITEM.umlaut]],
  ['a deleted dataset', 'DELETE FROM datasets WHERE id = $1', [DATASET.restricted]],
])('counts are correct after %s', async (_what, sql, parameters) => {
  await db.database.withSession(async (session) => {
    await session.query(sql, parameters)
    await expectCorrect(session)
  })
})

/** These writers lock rows in any order, so they may deadlock with an import. PostgreSQL then ends one of the two. */
function isDeadlock(error: unknown): boolean {
  return String(error).includes('deadlock detected')
}

test('counts are correct after concurrent imports and writes', async () => {
  const importers = await Promise.all([createImporter(db.database), createImporter(db.database)])
  const rows = (count: number, seed: number) =>
    ndjson(
      ...Array.from({ length: count }, (_, n) =>
        row({
          externalId: String(n),
          categoryCode: `c${(n * seed) % 3}`,
          latitude: (n * seed) % 90,
          parentExternalId: n % 4 === seed % 4 && n > 8 ? String(n % 4) : null,
        }),
      ),
    )
  const importAll = importers.map(async (importer, index) => {
    for (const seed of [1, 2, 3, 5]) {
      const load = (): Promise<unknown> =>
        importer
          .run({ 'a.ndjson': rows(60 + seed * 20, seed) }, { dataset: { slug: `places-${index}` } })
          .catch((error: unknown) => (isDeadlock(error) ? load() : Promise.reject(error)))
      await load()
    }
  })
  const write = async () => {
    for (let round = 0; round < 10; round += 1) {
      const { item } = db.database.prisma
      await item.updateMany({ data: { administrativeAreaCode: `a${round}` } }).catch(() => {})
      await item.deleteMany({ where: { externalId: String(50 + round) } }).catch(() => {})
    }
  }
  await Promise.all([...importAll, write(), write()])
  await db.database.withSession(expectCorrect)
  await Promise.all(importers.map((importer) => importer.close()))
})

test('counts are correct after TRUNCATE', async () => {
  await db.database.withSession(async (session) => {
    await session.query('TRUNCATE items CASCADE')
    await expectCorrect(session)
    expect((await session.query(STORED_COUNTS)).rows).toEqual([])
  })
})
