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

test.each([
  ['a trigger dropped', 'DROP TRIGGER items_1_update ON items', ['trigger items_1_update of items is missing']],
  [
    'a trigger ENABLE REPLICA',
    'ALTER TABLE items ENABLE REPLICA TRIGGER items_1_update',
    ['trigger items_1_update of items is not as the migrations make it'],
  ],
  [
    'a trigger disabled',
    'ALTER TABLE grants DISABLE TRIGGER grants_notify',
    ['trigger grants_notify of grants is not as the migrations make it'],
  ],
  [
    'the checks of foreign keys disabled',
    'ALTER TABLE images DISABLE TRIGGER ALL',
    expect.arrayContaining(['table images is not as the migrations make it']),
  ],
  [
    'a trigger with another event',
    'CREATE OR REPLACE TRIGGER grants_notify AFTER INSERT ON grants FOR EACH ROW EXECUTE FUNCTION keys_notify()',
    ['trigger grants_notify of grants is not as the migrations make it'],
  ],
  [
    "a trigger's function replaced by an empty one",
    `CREATE OR REPLACE FUNCTION keys_notify() ${EMPTY_FUNCTION}`,
    ['function keys_notify() is not as the migrations make it'],
  ],
  [
    'a function with another search_path',
    'ALTER FUNCTION count_items() RESET search_path',
    ['function count_items() is not as the migrations make it'],
  ],
  [
    'all foreign keys dropped',
    DROP_FOREIGN_KEYS,
    expect.arrayContaining(['constraint items_parent_fkey of items is missing']),
  ],
  [
    'the primary key of items dropped',
    'ALTER TABLE items DROP CONSTRAINT items_pkey CASCADE',
    ['constraint items_pkey of items is missing', 'constraint images_item_id_fkey of images is missing'],
  ],
  [
    'a check replaced',
    'ALTER TABLE items DROP CONSTRAINT items_latitude_range, ADD CONSTRAINT items_latitude_range CHECK (latitude < 91)',
    ['constraint items_latitude_range of items is not as the migrations make it'],
  ],
  ['a column dropped', 'ALTER TABLE items DROP COLUMN telephone', ['column items.telephone is missing']],
  [
    'a column of generated values dropped, with its indexes',
    'ALTER TABLE items DROP COLUMN folded_name CASCADE',
    expect.arrayContaining(['column items.folded_name is missing', 'index items_grams_idx of items is missing']),
  ],
  [
    'a column with another type',
    'ALTER TABLE images ALTER COLUMN sort_order TYPE bigint',
    ['column images.sort_order is not as the migrations make it'],
  ],
  [
    'a column with another collation',
    'ALTER TABLE datasets ALTER COLUMN slug TYPE text COLLATE "POSIX"',
    expect.arrayContaining(['column datasets.slug is not as the migrations make it']),
  ],
  [
    'a column without its NOT NULL',
    'ALTER TABLE items ALTER COLUMN name DROP NOT NULL',
    ['column items.name is not as the migrations make it'],
  ],
  [
    'a column without its default',
    'ALTER TABLE items ALTER COLUMN description DROP DEFAULT',
    ['column items.description is not as the migrations make it'],
  ],
  [
    'a column without its numbers',
    'ALTER TABLE history_entries ALTER COLUMN id DROP IDENTITY',
    ['column history_entries.id is not as the migrations make it'],
  ],
  [
    'a table dropped',
    'DROP TABLE history_parts',
    expect.arrayContaining(['table history_parts is missing', 'column history_parts.part is missing']),
  ],
  ['the largest table dropped', 'DROP TABLE items CASCADE', expect.arrayContaining(['table items is missing'])],
  ['recount_items() dropped', 'DROP FUNCTION recount_items()', ['function recount_items() is missing']],
  [
    'an index dropped',
    'DROP INDEX items_dataset_id_tile_cell_idx',
    ['index items_dataset_id_tile_cell_idx of items is missing'],
  ],
  [
    'an index on other columns',
    'DROP INDEX grants_dataset_id_idx; CREATE INDEX grants_dataset_id_idx ON grants (created_at)',
    ['index grants_dataset_id_idx of grants is not as the migrations make it'],
  ],
  [
    'an index that is not unique any more',
    'DROP INDEX api_keys_hash_key; CREATE INDEX api_keys_hash_key ON api_keys (hash)',
    ['index api_keys_hash_key of api_keys is not as the migrations make it'],
  ],
  [
    'rows hidden by a policy',
    'ALTER TABLE items ENABLE ROW LEVEL SECURITY',
    ['table items is not as the migrations make it'],
  ],
  [
    'a rule that drops writes',
    'CREATE RULE none AS ON DELETE TO images DO INSTEAD NOTHING',
    ['rule none of images is not from the migrations'],
  ],
  [
    'a constraint, a column and a trigger of somebody else',
    `ALTER TABLE images ADD CONSTRAINT few CHECK (sort_order < 9), ADD COLUMN rights text NOT NULL DEFAULT '';
     CREATE TRIGGER other BEFORE DELETE ON images FOR EACH ROW EXECUTE FUNCTION keys_notify()`,
    [
      'column images.rights is not from the migrations',
      'constraint few of images is not from the migrations',
      'trigger other of images is not from the migrations',
    ],
  ],
])('the doctor finds %s, and its statements mend it', async (_what, damage, expected) => {
  await db.database.withSession(async (session) => {
    const before = await listObjects(session)
    await session.query('BEGIN')
    await session.query(damage)
    expect(await mend(session)).toEqual(expected)
    expect(await listObjects(session)).toEqual(before)
    await session.query('ROLLBACK')
  })
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
