import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { exportBundle } from '../../src/cli/export-files.ts'
import { importManifest } from '../../src/import/import.ts'
import { createDatabase, type TestDatabase, useDatabase } from '../support/database.ts'
import type { Database } from '../support/open-database.ts'

/*
 * A dataset with every value that psql can write is copied exactly by a bundle, or the import names what it refuses.
 */

const DATASET = '11111111-0000-4000-8000-000000000001'
const ITEM = '22222222-0000-4000-8000-000000000001'
const OTHER = '22222222-0000-4000-8000-000000000002'
const IMAGE = '33333333-0000-4000-8000-000000000001'
const OTHER_IMAGE = '33333333-0000-4000-8000-000000000002'

const original = useDatabase()
let copy: TestDatabase
let folder: string
beforeAll(async () => {
  copy = await createDatabase()
})
afterAll(async () => {
  await copy.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-exact-'))
  for (const { database } of [original, copy]) await database.prisma.dataset.deleteMany()
  await original.database.withSession((session) =>
    session.query(`
      INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
      VALUES ('${DATASET}', 'places', 'Places', 'active', 'public', 'Us', '2020-01-01', '2020-01-02');
      INSERT INTO items (id, dataset_id, external_id, name, administrative_area_code, category_code, latitude, longitude, thumbnail_url, created_at, updated_at)
      SELECT id::uuid, '${DATASET}', 'e' || id, 'A', '1', 'x', 1.5, 2, 't', '2020-01-01', '2020-01-02'
        FROM unnest(ARRAY['${ITEM}', '${OTHER}']) AS id;
      INSERT INTO images (id, item_id, original_url, cdn_url, thumbnail_small_url, thumbnail_medium_url, thumbnail_large_url, sort_order, is_primary)
      SELECT id::uuid, '${ITEM}', 'o', 'c', 's', 'm', 'l', 0, id = '${IMAGE}'
        FROM unnest(ARRAY['${IMAGE}', '${OTHER_IMAGE}']) AS id;
      INSERT INTO code_labels (dataset_id, field, code, label) VALUES ('${DATASET}', 'categoryCode', 'x', 'X')`),
  )
})
afterEach(() => rm(folder, { recursive: true }))

/** All rows that a bundle carries, as text. Each database has its own revision and epoch. */
async function rowsOf({ prisma }: Database): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ row: string }[]>`
    SELECT (to_jsonb(d) - 'revision' - 'epoch')::text AS row FROM datasets d
     UNION ALL SELECT to_jsonb(i)::text FROM items i
     UNION ALL SELECT to_jsonb(p)::text FROM images p
     UNION ALL SELECT to_jsonb(l)::text FROM code_labels l ORDER BY 1`
  return rows.map(({ row }) => row)
}

const change = (sql: string) => original.database.withSession((session) => session.query(sql))
const makeBundle = () =>
  exportBundle({ prisma: original.database.prisma, id: DATASET }, { folder: join(folder, 'bundle'), force: true })
const importBundle = () =>
  importManifest(copy.database, join(folder, 'bundle/manifest.json'), { keepMissing: false, skipInvalid: false })

/** Changes of one or several columns by psql, which a bundle carries. */
const CARRIED = [
  ...['external_id = NULL', "external_id = ' e '", "external_id = repeat(U&'\\+01F600', 250)"],
  ...["name = ' A '", "description = E'\\n'", "street_address = ' '", "contact_name = ' '", "telephone = 'x'"],
  ...[
    'address_region',
    'address_locality',
    'postal_code',
    'road_address',
    'jibun_address',
    'opening_hours',
    'email',
  ].flatMap((column) => [`${column} = ''`, `${column} = ' '`, `${column} = 'null'`]),
  ...["thumbnail_url = ''", 'thumbnail_url = NULL', "url = 'x'", "administrative_area_code = ' 1'"],
  ...['latitude = -0.0000001, longitude = -180', 'latitude = 90, longitude = 180', `parent_item_id = '${OTHER}'`],
  ...[
    '1.50',
    '[0.0, -1.0, 1.5e3, 100, 1e-300]',
    '12345678901234567890.1234567890',
    '1.0e300',
    '{"__proto__": 1.10}',
  ].map((json) => `extra_attributes = '{"a": ${json}, "10": "1.50", "2": []}'`),
  ...['a', ' a', '""', 'a,a', '"a,b;c"', '"[1]",1.50', '"a\nb"'].map((list) => `keywords = E'{${list}}'`),
  ...["created_at = '0001-01-01T00:00:00Z'", "updated_at = '9999-12-31T23:59:59.999Z'"],
]
  .map((set) => `UPDATE items SET ${set} WHERE id = '${ITEM}'`)
  .concat(
    [
      ...['cdn_url', 'thumbnail_small_url', 'thumbnail_medium_url', 'thumbnail_large_url', 'alt_text'].map(
        (column) => `${column} = ''`,
      ),
      ...[
        "original_url = ' o'",
        'is_primary = false',
        `is_primary = (id = '${OTHER_IMAGE}')`,
        'sort_order = 2147483647',
      ],
    ].map((set) => `UPDATE images SET ${set} WHERE id <> '${OTHER_IMAGE}'`),
  )
  .concat([
    ...['description', 'access_tier'].map((column) => `UPDATE datasets SET ${column} = ' '`),
    "UPDATE datasets SET name = E' \\t1.50', attribution = '\"', visibility = 'paid', status = 'archived'",
    "UPDATE datasets SET created_at = '0001-01-01T00:00:00Z', updated_at = '9999-12-31T23:59:59.999Z'",
    `INSERT INTO code_labels SELECT '${DATASET}', 'categoryCode', code, '1.50' FROM unnest('{__proto__,file,columns,1.50,10}'::text[]) AS code`,
    'DELETE FROM code_labels',
    'DELETE FROM images',
    'DELETE FROM items',
  ])

test.each(CARRIED)('a bundle is exact after %s', async (sql) => {
  await change(sql)
  await makeBundle()
  await importBundle()
  expect(await rowsOf(copy.database)).toEqual(await rowsOf(original.database))
  expect(await importBundle()).toMatchObject({ created: 0, updated: 0, removed: 0 })
})

test('a bundle changes an item whose numbers differ in their last zeros only', async () => {
  await change(`UPDATE items SET extra_attributes = '{"a": 1.5}'`)
  await makeBundle()
  await importBundle()
  await change(`UPDATE items SET extra_attributes = '{"a": 1.50}' WHERE id = '${ITEM}'`)
  await makeBundle()
  expect(await importBundle()).toMatchObject({ updated: 1, unchanged: 1 })
  expect(await rowsOf(copy.database)).toEqual(await rowsOf(original.database))
})

const REFUSED: readonly (readonly [string, string])[] = [
  ...(
    [
      ["external_id = ''", 'externalId must not be empty'],
      ["external_id = ' '", 'externalId must not be empty'],
      ["external_id = repeat('x', 501)", 'externalId must be at most 500 characters long'],
      ["name = ''", 'name is required'],
      ["name = E'\\t'", 'name must not be empty'],
      ["name = repeat('x', 501)", 'name must be at most 500 characters long'],
      ["category_code = ''", 'categoryCode is required'],
      ["administrative_area_code = repeat('x', 101)", 'administrativeAreaCode must be at most 100 characters long'],
      ["description = repeat('x', 100001)", 'description must be at most 100000 characters long'],
      ["email = repeat('x', 100001)", 'email must be at most 100000 characters long'],
      ['extra_attributes = \'{"a": 1e400}\'', 'extraAttributes must hold'],
      [
        `extra_attributes = ('{"a": ' || repeat('[', 40) || repeat(']', 40) || '}')::jsonb`,
        'extraAttributes must hold',
      ],
      [
        `parent_item_id = '${OTHER}' WHERE id = '${ITEM}'; UPDATE items SET parent_item_id = '${ITEM}' WHERE id = '${OTHER}'; UPDATE items SET url = ''`,
        'its parents form a cycle',
      ],
    ] as const
  ).map(([set, reason]) => [`UPDATE items SET ${set} WHERE id = '${ITEM}'`, reason] as const),
  [`UPDATE images SET original_url = '' WHERE id = '${IMAGE}'`, 'images.0.originalUrl must not be empty'],
  ["UPDATE datasets SET name = ''", 'dataset.name must not be empty'],
  ["UPDATE datasets SET attribution = ' '", 'dataset.attribution must not be empty'],
  ["UPDATE code_labels SET label = ''", 'labels.categoryCode'],
  ["UPDATE code_labels SET code = repeat('x', 101)", 'labels.categoryCode'],
]

test.each(REFUSED)(
  'a value that only psql can write is named by the import, which changes nothing: %s',
  async (sql, reason) => {
    await change(sql)
    await makeBundle()
    await expect(importBundle()).rejects.toThrow(reason)
    expect(await copy.database.prisma.dataset.count()).toBe(0)
  },
)

test('a manifest with exact rows stores empty text, and derives nothing from the images; a missing member has its default', async () => {
  const row = {
    ...{ externalId: 'a', name: 'A', administrativeAreaCode: '1', categoryCode: 'x', latitude: 1, longitude: 2 },
    ...{ email: '', images: [{ originalUrl: 'o', thumbnailSmallUrl: '' }] },
  }
  await writeFile(join(folder, 'a.ndjson'), JSON.stringify(row))
  const dataset = { slug: 'exact', name: 'Exact', status: 'active', visibility: 'public', attribution: 'Us' }
  const items = [{ file: 'a.ndjson', exact: true }]
  await writeFile(join(folder, 'exact.json'), JSON.stringify({ dataset, items }))
  await importManifest(copy.database, join(folder, 'exact.json'), { keepMissing: false, skipInvalid: false })
  const [item] = await copy.database.prisma.item.findMany({ include: { images: true } })
  expect(item).toMatchObject({ email: '', openingHours: null, telephone: '', thumbnailUrl: null })
  expect(item?.images).toMatchObject([{ cdnUrl: 'o', thumbnailSmallUrl: '', thumbnailLargeUrl: 'o', isPrimary: false }])
})
