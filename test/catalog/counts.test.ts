import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { createImporter, ndjson, row } from '../support/import.ts'

/* The counts that triggers maintain, against counts of the items in plain TypeScript. */

const db = useDatabase()
beforeEach(async () => {
  await db.database.prisma.dataset.deleteMany()
  await seedCatalog(db.database.prisma)
})

const ZOOMS = [5, 9, 13, 17]

/** The bits at even places of a number: the column of a cell. */
const evenBits = (value: bigint) =>
  Array.from({ length: 30 }, (_, n) => ((value >> BigInt(2 * n)) & 1n) << BigInt(n)).reduce((sum, bit) => sum + bit, 0n)

const quoted = (code: string) => `'${code.replaceAll("'", "''")}'`

interface StoredItem {
  dataset: string
  parent: string | null
  area: string
  category: string
  cell: bigint
}

/** What should be stored: a number for each list and tile that has items. */
async function expectedCounts(): Promise<Map<string, bigint>> {
  const items = await db.database.prisma.$queryRaw<StoredItem[]>`
    SELECT dataset_id::text AS dataset, parent_item_id::text AS parent, administrative_area_code AS area,
           category_code AS category, tile_cell AS cell FROM items`
  const counts = new Map<string, bigint>()
  const add = (key: string, n = 1n) => counts.set(key, (counts.get(key) ?? 0n) + n)
  for (const { dataset, parent, area, category, cell } of items) {
    const filters = [
      '',
      ` area ${quoted(area)}`,
      ` category ${quoted(category)}`,
      ` area ${quoted(area)} category ${quoted(category)}`,
    ]
    for (const filter of filters) {
      add(`${dataset} all${filter}`)
      if (parent === null) add(`${dataset} roots${filter}`)
    }
    if (parent !== null) add(`${dataset} children of ${parent}`)
    for (const zoom of ZOOMS) {
      const tile = `${dataset} tile ${zoom} ${cell >> BigInt(60 - 2 * zoom)}`
      for (const counted of zoom <= 9 ? [tile, `${tile} ${category}`] : [tile]) {
        add(`${counted} n`)
        add(`${counted} x`, evenBits(cell))
        add(`${counted} y`, evenBits(cell >> 1n))
      }
    }
  }
  return counts
}

async function storedCounts(): Promise<Map<string, bigint>> {
  const rows = await db.database.prisma.$queryRaw<{ key: string; n: bigint }[]>`
    SELECT dataset_id || ' ' || list AS key, n::bigint FROM item_counts
     UNION ALL SELECT dataset_id || ' tile ' || level || ' ' || cell || category || ' ' || name, value
                 FROM (SELECT *, '' AS category FROM tile_counts
                        UNION ALL SELECT dataset_id, level, cell, n, sum_x, sum_y, ' ' || category_code FROM tile_category_counts) AS tile
                CROSS JOIN LATERAL (VALUES ('n', n::bigint), ('x', sum_x), ('y', sum_y)) AS part (name, value)`
  return new Map(rows.map(({ key, n }) => [key, n]))
}

const sorted = (counts: Map<string, bigint>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1))

const expectCorrect = async () => expect(sorted(await storedCounts())).toEqual(sorted(await expectedCounts()))

const newItems = (values: string) => `
  INSERT INTO items (id, dataset_id, parent_item_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  SELECT gen_random_uuid(), '${DATASET.seoul}', ${values}, now(), now() FROM generate_series(1, 3)`

describe('The counts are those of the items after', () => {
  test.each([
    ['nothing at all', []],
    ['new root items', [newItems(`NULL, 'n', 'x', 'y', 37.5, 127`)]],
    ['new children', [newItems(`'${ITEM.palace}', 'n', 'x', 'y', -33.9, -70.5`)]],
    ['new items with quotes in their codes', [newItems(`NULL, 'n', 'it''s', '''', 89.99, 179.99`)]],
    ['a change of equal items in one statement', [`UPDATE items SET category_code = 'x' WHERE name = 'Twin'`]],
    [
      'a move of a few centimetres',
      [`UPDATE items SET latitude = 37.5000001, longitude = 127.0000001 WHERE name = 'Twin'`],
    ],
    [
      'a move with a change of the category',
      [`UPDATE items SET category_code = 'x', latitude = -latitude, longitude = longitude / 2 WHERE name = 'Twin'`],
    ],
    ['a move to the other side of the earth', ['UPDATE items SET latitude = -latitude, longitude = -longitude']],
    [
      'an exchange of places in one statement',
      [`UPDATE items SET latitude = 37 + (name = 'Zero')::integer, longitude = 1 WHERE name IN ('Zero', 'Twin')`],
    ],
    ['a change that no count depends on', [`UPDATE items SET name = 'Other' WHERE name = 'Twin'`]],
    ['another parent', [`UPDATE items SET parent_item_id = '${ITEM.museum}' WHERE id = '${ITEM.hall}'`]],
    ['no parent', [`UPDATE items SET parent_item_id = NULL WHERE id = '${ITEM.hall}'`]],
    ['another dataset', [`UPDATE items SET dataset_id = '${DATASET.paid}' WHERE name = 'Twin'`]],
    ['the end of a list', [`DELETE FROM items WHERE category_code = 'point'`]],
    [
      'the end of a list and its beginning',
      [`DELETE FROM items WHERE name = 'Twin'`, newItems(`NULL, 'n', '11680', 'twin', 37.5, 127`)],
    ],
    ['the end of all items', ['DELETE FROM items']],
    ['the end of a dataset', [`DELETE FROM datasets WHERE id = '${DATASET.seoul}'`]],
    [
      'an item that replaces another in one transaction',
      [newItems(`NULL, 'n', 'a', 'b', 1, 1`), `DELETE FROM items WHERE name = 'n'`],
    ],
  ])('%s', async (_what, statements) => {
    for (const sql of statements) await db.database.prisma.$executeRawUnsafe(sql)
    await expectCorrect()
  })

  test.each([
    ['a TRUNCATE', 'TRUNCATE items CASCADE'],
    ['a recount of counts that were wrong', 'SELECT recount_items()'],
  ])('%s', async (_what, sql) => {
    const { prisma } = db.database
    for (const table of ['item_counts', 'tile_counts', 'tile_category_counts']) {
      await prisma.$executeRawUnsafe(`UPDATE ${table} SET n = n + 1`)
      await prisma.$executeRawUnsafe(`DELETE FROM ${table} WHERE dataset_id = '${DATASET.paid}'`)
    }
    await prisma.$executeRawUnsafe(sql)
    await expectCorrect()
  })

  test('an upsert that creates one item and changes another', async () => {
    const [palace] = await db.database.prisma.$queryRaw<
      { id: string }[]
    >`SELECT id FROM items WHERE name = 'Gyeongbokgung'`
    await db.database.prisma.$executeRawUnsafe(`
      INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
      SELECT id::uuid, '${DATASET.seoul}', 'upserted', 'u', 'u', 2, 2, now(), now() FROM unnest(ARRAY['${palace?.id}', '${randomUUID()}']) AS id
          ON CONFLICT (id) DO UPDATE SET administrative_area_code = excluded.administrative_area_code, latitude = excluded.latitude`)
    await expectCorrect()
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
  await expectCorrect()
  await Promise.all(importers.map((importer) => importer.close()))
})
