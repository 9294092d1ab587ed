import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { DATASET, ITEM, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
  const { id } = await createKey(db.database.prisma, { name: 'rotated', datasets: ['draft'] })
  await rotateKey(db.database.prisma, id, 60_000)
})

/** The columns with times that clients and commands read. One that has no year made all requests fail, or `catalog keys list`. */
const TIMES = [
  ...[['datasets', 'created_at'] as const, ['datasets', 'updated_at'] as const],
  ...[['items', 'created_at'] as const, ['items', 'updated_at'] as const],
  ...[['api_keys', 'created_at'] as const, ['api_keys', 'expires_at'] as const, ['api_keys', 'revoked_at'] as const],
  ...[['grants', 'created_at'] as const, ['grants', 'expires_at'] as const, ['retired_secrets', 'expires_at'] as const],
]

/** What the contract promises holds in the database too, whoever writes to it. */
test.each<[what: string, sql: string, constraint: RegExp]>([
  ['a slug stands once', `UPDATE datasets SET slug = 'seoul' WHERE slug = 'paid'`, /datasets_slug_key/],
  [
    'a slug is never shaped like a UUID',
    `UPDATE datasets SET slug = '${DATASET.seoul.toUpperCase()}'`,
    /slug_is_not_a_uuid/,
  ],
  ['a slug fits a URL', `UPDATE datasets SET slug = 'a/b'`, /slug_fits_a_url/],
  ['a status is one of four', `UPDATE datasets SET status = 'ready'`, /dataset_status/],
  ['a visibility is one of three', `UPDATE datasets SET visibility = 'hidden'`, /dataset_visibility/],
  ['a dataset has an attribution', 'UPDATE datasets SET attribution = NULL', /attribution/],
  ['a latitude is from -90 to 90', 'UPDATE items SET latitude = 90.0000001', /latitude_range/],
  ['a longitude is from -180 to 180', 'UPDATE items SET longitude = -180.0000001', /longitude_range/],
  ['a description is never null', 'UPDATE items SET description = NULL', /description/],
  ['a place follows its coordinates', `UPDATE items SET location = 'POINT(0 0)'`, /can only be updated to DEFAULT/],
  ['attributes are an object', `UPDATE items SET extra_attributes = '[]'`, /extra_attributes_is_an_object/],
  ['an item is not its own parent', 'UPDATE items SET parent_item_id = id', /not_its_own_parent/],
  [
    'a parent is in the same dataset',
    `UPDATE items SET parent_item_id = '${ITEM.paid}' WHERE id = '${ITEM.gate}'`,
    /items_parent_fkey/,
  ],
  ['a parent with children stays', `DELETE FROM items WHERE id = '${ITEM.palace}'`, /items_parent_fkey/],
  ['an item has one primary image', 'UPDATE images SET is_primary = true', /images_one_primary_per_item/],
  ['an image has its place', 'UPDATE images SET sort_order = -1', /sort_order_range/],
  [
    'a key is stored as a SHA-256',
    `INSERT INTO api_keys (id, name, hash, created_at) VALUES ('${DATASET.seoul}', 'x', 'dck_', now())`,
    /hash_is_sha256/,
  ],
  ...["'{NULL}'", "'{gold,NULL}'", "'{{gold}}'"].map((tiers): [string, string, RegExp] => [
    `tiers are a list of texts, and never ${tiers}`,
    `UPDATE api_keys SET access_tiers = ${tiers}`,
    /access_tiers_are_a_list/,
  ]),
  ...TIMES.flatMap(([table, column]) =>
    ["'infinity'", "'-infinity'", "'0001-12-31 23:59:59.999Z BC'", "'10000-01-01Z'"].map(
      (time): [string, string, RegExp] => [
        `${table}.${column} is in the years 1 to 9999, and never ${time}`,
        `UPDATE ${table} SET ${column} = ${time}`,
        new RegExp(`${table}_${column}_has_a_year`),
      ],
    ),
  ),
])('%s', async (_what, sql, constraint) => {
  const refusal = await db.database.withSession((session) =>
    session.query(sql).then(
      () => 'accepted',
      (error: Error) => error.message,
    ),
  )
  expect(refusal).toMatch(constraint)
})
