import type { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { compareObjects, readObjects, readSnapshot } from '../../src/database/objects.ts'
import { seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { listObjects } from '../support/database-state.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

test('prisma/objects.json has the objects that the migrations make; npm run objects writes it', async () => {
  const actual = await db.database.withSession(readObjects)
  expect(await readSnapshot()).toEqual(actual.map(({ name, create, alter }) => ({ name, create, alter })))
})

/** Runs the statements of the doctor until it finds nothing, as an operator does. Returns what it found first. */
async function mend(session: Client): Promise<string[]> {
  const found: string[] = []
  for (let round = 0; round < 3; round += 1) {
    const differences = await compareObjects(session)
    if (differences.length === 0) return found
    if (round === 0) found.push(...differences.map((difference) => difference.found))
    for (const { sql } of differences) await session.query(sql)
  }
  throw new Error('The statements of the doctor do not mend the database')
}

const EMPTY_FUNCTION = `RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`
const DROP_FOREIGN_KEYS = `
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT conrelid::regclass AS relation, conname FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.relation, one.conname); END LOOP;
  END $$`

const MISSING = 'is missing'
const DIFFERS = 'is not as the migrations make it'
const FOREIGN = 'is not from the migrations'

async function expectMended(damage: string, expected: readonly string[]): Promise<void> {
  await db.database.withSession(async (session) => {
    const before = await listObjects(session)
    await session.query('BEGIN')
    await session.query(damage)
    expect(await mend(session)).toEqual(expected)
    expect(await listObjects(session)).toEqual(before)
    await session.query('ROLLBACK')
  })
}

test.each<string[]>([
  ['DROP TRIGGER items_1_update ON items', MISSING, 'trigger items_1_update of items'],
  ['ALTER TABLE items ENABLE REPLICA TRIGGER items_1_update', DIFFERS, 'trigger items_1_update of items'],
  ['ALTER TABLE grants DISABLE TRIGGER grants_notify', DIFFERS, 'trigger grants_notify of grants'],
  [
    'CREATE OR REPLACE TRIGGER grants_notify AFTER INSERT ON grants FOR EACH ROW EXECUTE FUNCTION keys_notify()',
    ...[DIFFERS, 'trigger grants_notify of grants'],
  ],
  [`CREATE OR REPLACE FUNCTION keys_notify() ${EMPTY_FUNCTION}`, DIFFERS, 'function keys_notify()'],
  ['ALTER FUNCTION count_items() RESET search_path', DIFFERS, 'function count_items()'],
  [
    'ALTER TABLE items DROP CONSTRAINT items_pkey CASCADE',
    ...[MISSING, 'constraint items_pkey of items', 'constraint images_item_id_fkey of images'],
  ],
  [
    'ALTER TABLE items DROP CONSTRAINT items_latitude_range, ADD CONSTRAINT items_latitude_range CHECK (latitude < 91)',
    ...[DIFFERS, 'constraint items_latitude_range of items'],
  ],
  ['ALTER TABLE items DROP COLUMN telephone', MISSING, 'column items.telephone'],
  ['ALTER TABLE images ALTER COLUMN sort_order TYPE bigint', DIFFERS, 'column images.sort_order'],
  ['ALTER TABLE items ALTER COLUMN name DROP NOT NULL', DIFFERS, 'column items.name'],
  ['ALTER TABLE items ALTER COLUMN description DROP DEFAULT', DIFFERS, 'column items.description'],
  ['ALTER TABLE history_entries ALTER COLUMN id DROP IDENTITY', DIFFERS, 'column history_entries.id'],
  ['DROP FUNCTION recount_items()', MISSING, 'function recount_items()'],
  ['DROP INDEX items_dataset_id_tile_cell_idx', MISSING, 'index items_dataset_id_tile_cell_idx of items'],
  [
    'DROP INDEX grants_dataset_id_idx; CREATE INDEX grants_dataset_id_idx ON grants (created_at)',
    ...[DIFFERS, 'index grants_dataset_id_idx of grants'],
  ],
  [
    'DROP INDEX api_keys_hash_key; CREATE INDEX api_keys_hash_key ON api_keys (hash)',
    ...[DIFFERS, 'index api_keys_hash_key of api_keys'],
  ],
  ['ALTER TABLE items ENABLE ROW LEVEL SECURITY', DIFFERS, 'table items'],
  ['CREATE RULE none AS ON DELETE TO images DO INSTEAD NOTHING', FOREIGN, 'rule none of images'],
  [
    `ALTER TABLE images ADD CONSTRAINT few CHECK (sort_order < 9), ADD COLUMN rights text NOT NULL DEFAULT '';
     CREATE TRIGGER other BEFORE DELETE ON images FOR EACH ROW EXECUTE FUNCTION keys_notify()`,
    ...[FOREIGN, 'column images.rights', 'constraint few of images', 'trigger other of images'],
  ],
])('the doctor finds what this changes, and its statements mend it: %s', async (damage = '', how = '', ...objects) => {
  await expectMended(
    damage,
    objects.map((object) => `${object} ${how}`),
  )
})

test.each<[damage: string, ...some: string[]]>([
  ['ALTER TABLE images DISABLE TRIGGER ALL', `table images ${DIFFERS}`],
  [DROP_FOREIGN_KEYS, `constraint items_parent_fkey of items ${MISSING}`],
  [
    'ALTER TABLE items DROP COLUMN folded_name CASCADE',
    ...[`column items.folded_name ${MISSING}`, `index items_grams_idx of items ${MISSING}`],
  ],
  ['ALTER TABLE datasets ALTER COLUMN slug TYPE text COLLATE "POSIX"', `column datasets.slug ${DIFFERS}`],
  ['DROP TABLE history_parts', `table history_parts ${MISSING}`, `column history_parts.part ${MISSING}`],
  ['DROP TABLE items CASCADE', `table items ${MISSING}`],
])('the doctor finds all that this changes, and its statements mend it: %s', async (damage, ...some) => {
  await expectMended(damage, expect.arrayContaining(some))
})

/** Functions of stored values, what they are replaced by, the objects with their values, and a query of the rows that still have others. */
const REPLACED = {
  fold_name: {
    other: `(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT 'x' || name $$`,
    users: ['column items.folded_keywords', 'column items.folded_name'],
    wrong: 'SELECT FROM items WHERE folded_name <> fold_name(name) OR folded_keywords <> fold_keywords(keywords)',
  },
  tile_cell_of: {
    other: '(latitude numeric, longitude numeric) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 7::bigint $$',
    users: ['column items.tile_cell'],
    wrong: 'SELECT FROM items WHERE tile_cell <> tile_cell_of(latitude, longitude)',
  },
  letters_of: {
    other: `(folded text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '~' || folded $$`,
    users: ['index items_letter_grams_idx of items', 'index items_letters_idx of items'],
    // The index has them.
    wrong: `SET LOCAL enable_seqscan = off;
      SELECT FROM items WHERE left(letters_of(folded_name), 50) COLLATE "C" >= '~' AND left(letters_of(folded_name), 50) COLLATE "C" < '~~'`,
  },
}

describe('After a function of stored values was replaced for some time', () => {
  async function replaceIn(session: Client, name: keyof typeof REPLACED) {
    await session.query(`BEGIN; CREATE OR REPLACE FUNCTION ${name}${REPLACED[name].other}`)
    await session.query(`UPDATE items SET name = name || '', latitude = latitude, keywords = ARRAY['Ä']`)
  }

  test.each(['fold_name', 'tile_cell_of', 'letters_of'] as const)(
    'the statements of the doctor mend %s() and the values',
    async (name) => {
      await db.database.withSession(async (session) => {
        await replaceIn(session, name)
        const found = await mend(session)
        const users = REPLACED[name].users.map((user) => `${user} may have values of another function`)
        expect(found.filter((line) => line.includes('another function')).sort()).toEqual(users)
        expect([await session.query(REPLACED[name].wrong)].flat().at(-1)?.rowCount).toBe(0)
        await session.query('ROLLBACK')
      })
    },
  )

  test('the doctor finds the values if the function is right again, and its statements mend them', async () => {
    await db.database.withSession(async (session) => {
      await replaceIn(session, 'fold_name')
      await session.query(
        (await readSnapshot()).find(({ name }) => name === 'function fold_name(name text)')?.create ?? '',
      )
      const { rowCount } = await session.query('SELECT FROM items')
      expect(await mend(session)).toEqual([
        `column items.folded_keywords has ${rowCount} values of another function`,
        `column items.folded_name has ${rowCount} values of another function`,
      ])
      await session.query('ROLLBACK')
    })
  })
})

test('an index, a table and a function of the operator are no differences', async () => {
  await db.database.withSession(async (session) => {
    await session.query('BEGIN')
    await session.query(`
      CREATE INDEX own_idx ON items (telephone); CREATE TABLE own (id integer PRIMARY KEY);
      CREATE FUNCTION own() RETURNS integer LANGUAGE sql AS 'SELECT 1'; CREATE VIEW own_view AS SELECT id FROM items`)
    expect(await compareObjects(session)).toEqual([])
    await session.query('ROLLBACK')
  })
})
