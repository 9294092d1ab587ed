import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyCache } from '../../src/auth/api-key.ts'
import {
  findArguments,
  itemListArguments,
  nearbyArguments,
  parseArguments,
  searchArguments,
} from '../../src/catalog/arguments.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { columnName } from '../../src/catalog/columns.ts'
import { encodeCursor, parseConnectionArguments } from '../../src/catalog/cursor.ts'
import { FILTERS, ITEM_FILTERS, type ItemFilter } from '../../src/catalog/filters.ts'
import { parseItem } from '../../src/catalog/models.ts'
import { ALL_COLUMNS } from '../../src/catalog/projection.ts'
import { ITEM_SORTS, type ItemSort } from '../../src/catalog/sorts.ts'
import { fetchItems } from '../../src/catalog/sql/by-id.ts'
import { fetchFeatures } from '../../src/catalog/sql/features.ts'
import { readTableNames } from '../../src/database/statistics.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { createOwnDatabase, type TestDatabase } from '../support/database.ts'
import { fillKeysAndHistory } from '../support/fill.ts'
import { createPublicReader } from '../support/reader.ts'

/*
 * 100,000 items in four datasets; the largest has 70,000. EXPLAIN shows the plan of each statement that a list or search sends,
 * with its parameters. Every statement finds its items by an index, and no plan scans the whole table. There are 16,000 labels, and 5,000
 * keys with grants and usage.
 */

let db: TestDatabase
const LARGE = '11111111-0000-4000-8000-000000000001'
/** The dataset with 9,000 items. */
const SMALL = '11111111-0000-4000-8000-000000000003'

/** A filter by one of its values, and the index that serves it. */
const filterBy = (filter: ItemFilter) => ({ [filter]: `${columnName(filter)}-7` })
const indexOfFilter = (filter: ItemFilter) => `items_dataset_id_${columnName(filter)}_name_id_idx`
const isCounted = (filter: ItemFilter) => 'countedAs' in FILTERS[filter]

/** The filters have values of 1,400 and 3,500 items in the largest dataset. */
const FILTER_COLUMNS = ITEM_FILTERS.map(columnName)
const FILTER_CODES = FILTER_COLUMNS.map((column, n) => `'${column}-' || n % ${[50, 20][n % 2]}`)

beforeAll(async () => {
  db = await createOwnDatabase()
  await db.database.withSession(async (session) => {
    await session.query(`
      INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
      SELECT ('11111111-0000-4000-8000-00000000000' || n)::uuid, 'dataset-' || n, 'Dataset ' || n, 'active', 'public', '', now(), now()
        FROM generate_series(1, 4) AS n`)
    await session.query(`
      INSERT INTO items (id, dataset_id, external_id, name, ${FILTER_COLUMNS.join()}, parent_item_id,
                         latitude, longitude, created_at, updated_at)
      SELECT ('22222222-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
             ('11111111-0000-4000-8000-00000000000' || CASE WHEN n < 70000 THEN 1 WHEN n < 90000 THEN 2 WHEN n < 99000 THEN 3 ELSE 4 END)::uuid,
             n::text, 'Item ' || md5(n::text), ${FILTER_CODES.join()},
             CASE WHEN n % 100 IN (1, 2, 3) AND n > 100
                  THEN ('22222222-0000-4000-8000-' || lpad((n - n % 100)::text, 12, '0'))::uuid END,
             33 + (n * 7919 % 100000) / 100000.0 * 5, 125 + (n * 104729 % 100000) / 100000.0 * 5,
             '2026-01-01'::timestamptz + n * interval '1 second', '2026-02-01'::timestamptz - n * interval '1 second'
        FROM generate_series(1::bigint, 100000) AS n
       ORDER BY n % 977, n`)
    await session.query(`
      INSERT INTO code_labels (dataset_id, field, code, label)
      SELECT id, 'administrativeAreaCode', 'administrative_area_code-' || n, 'Area ' || n FROM datasets CROSS JOIN generate_series(0, 3999) AS n`)
    await fillKeysAndHistory(session, 5_000)
    // All rows are sampled, and only once, so the statistics are the same in each run.
    await session.query('SET default_statistics_target = 400')
    const tables = await readTableNames()
    for (const table of tables) await session.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`)
    await session.query(`VACUUM (ANALYZE) ${tables.join()}`)
  })
})
afterAll(() => db.close())

/** The plans of the statements on items that `read` sends, as text. */
const plansOf = (read: (catalog: Catalog) => Promise<unknown>, tables = /\bitems\b/) =>
  plansOfStatements(() => createPublicReader(db.database)(read), tables)

async function plansOfStatements(send: () => Promise<unknown>, tables: RegExp): Promise<string> {
  db.statements.length = 0
  db.parameters.length = 0
  await send()
  const sent = db.statements.map((sql, n) => ({ sql, parameters: JSON.parse(db.parameters[n] ?? '[]') }))
  const plans: string[] = []
  await db.database.withSession(async (session) => {
    await session.query('SET jit = off')
    for (const { sql, parameters } of sent.filter(({ sql }) => tables.test(sql))) {
      const { rows } = await session.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    }
  })
  expect(plans.length).toBeGreaterThan(0)
  return plans.join('\n')
}

/** What a plan needs, and where to add it. */
const needs = (index: string) =>
  `This statement needs the index ${index}. Create it in a new folder of prisma/migrations/, and add it to prisma/schema.prisma`

/** The index that serves a sort. */
const indexOf = (sort: ItemSort) => `items_dataset_id_${columnName(sort)}_id_idx`

const listing = (args: object) => async (catalog: Catalog) => {
  const page = catalog.itemsOf(await catalog.dataset(LARGE), parseArguments(itemListArguments, args))
  const nodes = await page.nodes()
  expect(nodes.length).toBeGreaterThan(0)
  expect(await page.total()).toBeGreaterThan(0)
}

const PARENT = '22222222-0000-4000-8000-000000000200'

test.each([
  ...ITEM_SORTS.flatMap((sort): [string, object, string][] => [
    [`by ${sort}`, { sort }, indexOf(sort)],
    [`by ${sort}, descending`, { sort, order: 'desc' }, indexOf(sort)],
  ]),
  ...ITEM_FILTERS.map((filter): [string, object, string] => [
    `of one ${filter}`,
    filterBy(filter),
    indexOfFilter(filter),
  ]),
  ['of a parent', { parentItemId: PARENT }, 'items_dataset_id_parent_item_id_name_id_idx'],
  ['of no parent', { parentItemId: null }, 'items_roots_dataset_id_name_id_idx'],
])('a list %s uses its index in its order, and reads only the items of the page', async (_what, args, index) => {
  const plan = await plansOf(listing(args))
  expect(plan, needs(index)).toMatch(new RegExp(`Limit .*\\n +-> +Index (Only )?Scan (Backward )?using ${index} `))
  expect(plan).not.toContain('Seq Scan on items')
})

test.each([
  ...ITEM_FILTERS.map((filter): [string, object] => [
    `one ${filter} by createdAt`,
    { ...filterBy(filter), sort: 'createdAt' },
  ]),
  ...ITEM_FILTERS.map((filter): [string, object] => [
    `one ${filter} of root items by updatedAt`,
    { ...filterBy(filter), parentItemId: null, sort: 'updatedAt' },
  ]),
  ['an area and a category', { ...filterBy('administrativeAreaCode'), ...filterBy('categoryCode') }],
])('a list of %s scans no table', async (_what, args) => {
  expect(await plansOf(listing(args))).not.toContain('Seq Scan on items')
})

test.each(ITEM_SORTS)('a connection by %s starts at its cursor by the index, and skips no items', async (sort) => {
  const read = async (catalog: Catalog, after?: string, order: 'asc' | 'desc' = 'asc') => {
    const args = parseConnectionArguments({ sort, order, after }, LARGE)
    return catalog.itemConnectionOf(await catalog.dataset(LARGE), args)
  }
  const { id } = await db.database.prisma.item.findFirstOrThrow({
    where: { datasetId: LARGE },
    orderBy: [{ [sort]: 'asc' }, { id: 'asc' }],
    skip: 50_000,
  })
  const [deep] = await fetchItems(db.database.sql, { ids: [id], scope: [LARGE] }, ALL_COLUMNS)
  const cursor = encodeCursor(parseItem(deep?.json ?? ''), sort)
  for (const order of ['asc', 'desc'] as const) {
    const plan = await plansOf(async (catalog) => {
      const connection = await read(catalog, cursor, order)
      expect(await connection.edges()).toHaveLength(20)
      expect(await connection.hasPreviousPage()).toBe(true)
    })
    expect(plan, needs(indexOf(sort))).toMatch(
      new RegExp(`Limit .*\\n +-> +Index (Only )?Scan (Backward )?using ${indexOf(sort)} .*\\n +Index Cond: .*ROW\\(`),
    )
    expect(plan).not.toContain('Seq Scan on items')
  }
})

test('children of many items are read by the index on parents', async () => {
  const plan = await plansOf(async (catalog) => {
    const { items } = {
      items: catalog.itemsOf(await catalog.dataset(LARGE), parseArguments(itemListArguments, { limit: 100 })),
    }
    const parents = await items.nodes()
    await Promise.all(parents.map((parent) => catalog.childrenOf(parent, { page: 1, limit: 20 }).nodes()))
    await Promise.all(parents.map((parent) => catalog.childrenOf(parent, { page: 1, limit: 20 }).total()))
    await Promise.all(parents.map((parent) => catalog.parentOf(parent)))
  })
  expect(plan).toContain('items_dataset_id_parent_item_id_name_id_idx')
  expect(plan).not.toContain('Seq Scan on items')
})

test('a box reads only the cells on its border, and then the page', async () => {
  const within = { west: 126.2, south: 34.1, east: 127.3, north: 36.7 }
  const plan = await plansOf(async (catalog) => {
    const page = await catalog.find(parseArguments(searchArguments, { within }))
    expect(await page.nodes()).toHaveLength(20)
    expect(await page.total()).toBeGreaterThan(10_000)
  })
  expect(plan).toMatch(
    /Index (Only )?Scan using items_dataset_id_tile_cell_idx|Bitmap Index Scan on items_dataset_id_tile_cell_idx/,
  )
  expect(plan).not.toContain('Seq Scan on items')
})

test.each(ITEM_FILTERS.filter(isCounted))('a box with one %s reads only items with the code', async (filter) => {
  const column = columnName(filter)
  const searching = (west: number) => async (catalog: Catalog) => {
    const within = { west, south: 30, east: 140, north: 40 }
    const page = await catalog.find(parseArguments(searchArguments, { within, ...filterBy(filter) }))
    expect(await page.nodes()).toHaveLength(20)
    expect(await page.total()).toBeGreaterThan(100)
  }
  const byCells = await plansOf(searching(129.5))
  expect(byCells).toMatch(new RegExp(`items_dataset_id_tile_cell_idx.*\\n +Index Cond: .*tile_cell.*${column} = `))
  const byCode = await plansOf(searching(120))
  expect(byCode).toMatch(new RegExp(`${indexOfFilter(filter)}.*\\n +Index Cond: .*${column} = `))
  expect(byCells + byCode).not.toContain('Seq Scan on items')
})

test('a deep page starts at a bookmark in the index, and a page past the end reads no items', async () => {
  const plan = await plansOf(listing({ page: 1000 }))
  expect(plan).toMatch(/Index (Only )?Scan using items_dataset_id_name_id_idx .*\n +Index Cond: .*ROW\(/)
  expect(plan).not.toContain('Seq Scan on items')
  const behind = await plansOf(async (catalog) => {
    const args = parseArguments(itemListArguments, { page: 2_000_000 })
    const page = catalog.itemsOf(await catalog.dataset(LARGE), args)
    expect(await page.nodes()).toEqual([])
    expect(await page.total()).toBe(69_999)
  })
  expect(behind).toContain('One-Time Filter')
})

test.each([
  ['all items', {}],
  ...ITEM_FILTERS.filter(isCounted).map((filter): [string, object] => [`one ${filter}`, filterBy(filter)]),
  ['an area and a category', { ...filterBy('administrativeAreaCode'), ...filterBy('categoryCode') }],
  ['root items', { parentItemId: null }],
  ['children', { parentItemId: PARENT }],
])('the total of %s comes from item_counts', async (_what, args) => {
  const plan = await plansOf(async (catalog) => {
    const page = catalog.itemsOf(await catalog.dataset(LARGE), parseArguments(itemListArguments, args), { total: true })
    expect(await page.total()).toBeGreaterThan(0)
  }, /\bitem_counts\b/)
  // PostgreSQL may read the entries as a bitmap: both ways cost the same for a table this small.
  expect(plan).toMatch(/Index Scan (using|on) item_counts_pkey/)
  expect(plan).not.toContain(' on items')
})

test.each(ITEM_FILTERS.filter((filter) => !isCounted(filter)))(
  'the total of one %s is counted in its index',
  async (filter) => {
    const plan = await plansOf(async (catalog) => {
      const args = parseArguments(itemListArguments, filterBy(filter))
      expect(await catalog.itemsOf(await catalog.dataset(LARGE), args, { total: true }).total()).toBeGreaterThan(1_000)
    })
    expect(plan).toMatch(new RegExp(`Aggregate .*\\n +-> +Index Only Scan using ${indexOfFilter(filter)} `))
    expect(plan).not.toContain('item_counts')
  },
)

test.each([
  ['all datasets', {}],
  ['one dataset', { datasetId: LARGE }],
])('a nearby search of %s uses the counts of tiles, and the index on the items in them', async (_what, scope) => {
  const plan = await plansOf(async (catalog) => {
    const args = { latitude: 35.5, longitude: 127.5, radius: 50000, ...scope }
    const page = await catalog.find(parseArguments(nearbyArguments, args))
    await page.nodes()
    expect(await page.total()).toBeGreaterThan(500)
  }, /\b(items|tile_counts)\b/)
  expect(plan).toContain('tile_counts_pkey')
  expect(plan).toContain('items_dataset_id_tile_cell_idx')
  expect(plan).not.toMatch(/Seq Scan on (items|tile_counts)/)
})

test.each([
  ['a text', { text: 'item' }],
  ['times', { updatedFrom: '2026-01-01T00:00:00Z' }],
])('a circle with %s reads the items of its cells', async (_what, others) => {
  const plan = await plansOf(async (catalog) => {
    const args = { latitude: 35.5, longitude: 127.5, radius: 5_000, ...others }
    const page = await catalog.find(parseArguments(findArguments, args))
    await page.nodes()
    expect(await page.total()).toBeGreaterThan(10)
  })
  expect(plan).toContain('items_dataset_id_tile_cell_idx')
  expect(plan).not.toContain('Seq Scan on items')
})

test.each([
  ['one dataset', LARGE],
  ['all datasets', undefined],
])('a map tile of %s reads the counts, and looks for a limited number of items', async (_what, datasetId) => {
  const plan = await plansOf(async (catalog) => {
    for (const tile of [
      { z: 0, x: 0, y: 0 },
      { z: 6, x: 54, y: 25 },
    ]) {
      const features = await catalog.tile(tile, datasetId)
      expect(features.some(({ properties }) => 'total' in properties && properties.total > 256)).toBe(true)
    }
  }, /\b(items|tile_counts)\b/)
  expect(plan).toContain('tile_counts_pkey')
  expect(plan).toMatch(/Limit .*\n +-> +Index (Only )?Scan using items_dataset_id_tile_cell_idx /)
  expect(plan).not.toMatch(/Seq Scan on (items|tile_counts)/)
})

test('the label of each code is looked up by the whole primary key', async () => {
  const plan = await plansOf(async (catalog) => {
    const facets = await catalog.facetsOf(await catalog.dataset(LARGE), 'administrativeAreaCode')
    expect(facets).toContainEqual({ code: 'administrative_area_code-7', label: 'Area 7', total: 1_400 })
  }, /\bcode_labels\b/)
  expect(plan).toMatch(/Index Scan using code_labels_pkey .*\n +Index Cond: .*dataset_id = .*field = .*code = /)
})

test('a key is found by its hash or an old one, and its grants by its id', async () => {
  const plan = await plansOfStatements(() => createKeyCache(db.database.sql, silentChangeFeed)('dck_x'), /\bapi_keys\b/)
  for (const index of ['api_keys_hash_key', 'retired_secrets_pkey', 'api_keys_pkey', 'grants_pkey'])
    expect(plan).toContain(index)
  expect(plan).not.toContain('Seq Scan')
})

test('an item and its images are read by their indexes', async () => {
  const plan = await plansOf(async (catalog) => catalog.imagesOf(await catalog.item(PARENT)))
  expect(plan).toContain('items_pkey')
  expect(plan).not.toContain('Seq Scan on items')
})

test('the features of a page are read by their ids, also in the plan that PostgreSQL keeps for all values of a small dataset', async () => {
  const { database, statements, parameters } = db
  const rows = await database.prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM items WHERE dataset_id = ${SMALL}::uuid AND category_code = 'category-7' ORDER BY id LIMIT 150`
  statements.length = parameters.length = 0
  await fetchFeatures(
    { reader: database.sql, datasetId: SMALL },
    rows.map(({ id }) => id),
  )
  const values: unknown[] = JSON.parse(parameters[0] ?? '[]')
  const plan = await database.withSession(async (session) => {
    await session.query(`SET plan_cache_mode = force_generic_plan; PREPARE page AS ${statements[0]}`)
    const literals = values.map((value) => session.escapeLiteral(String(value)))
    const { rows } = await session.query(`EXPLAIN EXECUTE page (${literals.join()})`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/Index (Only )?Scan using items_\w+ on items i .*\n +Index Cond: .*\(?id = /)
  expect(plan).not.toMatch(/Filter: .*string_to_array/)
})
