import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forgetChanges } from '../../src/changes/retention.ts'
import { useApp } from '../support/app.ts'
import { randomCases } from '../support/cases.ts'
import { Copy, exportOf } from './copy.ts'

/*
 * Random writers, as psql and imports are, and a client that follows a dataset with pages of random sizes. Whenever a page is complete, the
 * copy is the export. The client begins again only where decision 10 says so.
 */

const t = useApp()

const ITEMS = 12

/** SQL for the id of an item. */
const idOf = (n: number) => `md5('item ' || ${n})::uuid`
const SLUGS = ['followed', 'other'] as const
const ID = `md5('followed')::uuid`
const OTHER = `md5('other')::uuid`
/** SQL for an item of the list that exists. */
const known = (n: number) => `id = ${idOf(n)}`

/** Statements of a writer, which depend on a number and a text. */
const WRITES: Record<string, (n: number, text: string) => string> = {
  insert: (n, text) => `
    INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
    SELECT md5('item ' || k)::uuid, ${ID}, '${text}', '1', 'c', 1, k, now(), now() FROM generate_series(${n}, ${n + 3}) AS k
        ON CONFLICT (id) DO NOTHING`,
  update: (n, text) =>
    `UPDATE items SET name = '${text}', extra_attributes = jsonb_build_object('n', ${n}) WHERE ${known(n)}`,
  updateAll: (_, text) => `UPDATE items SET description = '${text}' WHERE dataset_id = ${ID}`,
  remove: (n) => `DELETE FROM items WHERE ${known(n)}`,
  removeAll: () => `DELETE FROM items WHERE dataset_id = ${ID}`,
  moveAway: (n) => `UPDATE items SET dataset_id = ${OTHER} WHERE ${known(n)}`,
  moveBack: (n) => `UPDATE items SET dataset_id = ${ID} WHERE ${known(n)}`,
  changeId: (n) =>
    `UPDATE items SET id = md5('new ' || id)::uuid WHERE ${known(n)} AND NOT EXISTS (SELECT FROM images WHERE item_id = items.id)`,
  addImage: (n, text) => `
    INSERT INTO images (id, item_id, original_url, cdn_url, thumbnail_small_url, thumbnail_medium_url, thumbnail_large_url, sort_order, is_primary)
    SELECT gen_random_uuid(), id, '${text}', '', '', '', '', 0, false FROM items WHERE ${known(n)}`,
  changeImages: (n, text) => `UPDATE images SET alt_text = '${text}' WHERE item_id = ${idOf(n)}`,
  removeImages: (n) => `DELETE FROM images WHERE item_id = ${idOf(n)}`,
  label: (n, text) => `
    INSERT INTO code_labels VALUES (${ID}, 'categoryCode', '${n}', '${text}')
        ON CONFLICT (dataset_id, field, code) DO UPDATE SET label = excluded.label`,
  unlabel: () => `DELETE FROM code_labels WHERE dataset_id = ${ID}`,
  describe: (_, text) => `UPDATE datasets SET name = '${text}', updated_at = now() WHERE id = ${ID}`,
}

/** After these a client begins again. */
const RESTARTS: Record<string, string> = {
  truncateItems: 'TRUNCATE items CASCADE',
  truncateImages: 'TRUNCATE images',
  newEpoch: `UPDATE datasets SET epoch = gen_random_uuid() WHERE id = ${ID}`,
  removeAndMake: `DELETE FROM datasets WHERE id = ${ID}`,
  recount: 'SELECT recount_items()',
}

const make = (slug: string) => `
  INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
  VALUES (md5('${slug}')::uuid, '${slug}', '${slug}', 'active', 'public', '', now(), now()) ON CONFLICT DO NOTHING`

const text = fc
  .string({ unit: fc.constantFrom('a', 'é', '한', '"'), maxLength: 3 })
  .map((value) => value.replaceAll("'", ''))
const write = fc.record({ name: fc.constantFrom(...Object.keys(WRITES)), n: fc.nat(ITEMS), text })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      writes: fc.array(write, { minLength: 1, maxLength: 3 }),
      end: fc.constantFrom('COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK'),
      savepoint: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), name: fc.constantFrom(...Object.keys(RESTARTS)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      limit: fc.integer({ min: 1, max: 5 }),
      isLost: fc.boolean(),
    }),
  },
)

/** A copy of an empty dataset, which two loads find empty: the first removes what it has inserted. */
const load = (...names: string[]) => ({
  ...{ kind: 'write' as const, end: 'COMMIT' as const, savepoint: false },
  writes: names.map((name) => ({ name, n: 0, text: '' })),
})
const read = { kind: 'follow' as const, limit: 1, isLost: false }
const LOADED_TWICE = [read, load('insert', 'removeAll'), load('insert'), read]

const sql = (statement: string) => t.database.withSession((session) => session.query(statement))

const statementOf = ({ name, n, text: value }: typeof write extends fc.Arbitrary<infer Write> ? Write : never) =>
  WRITES[name]?.(n, value) ?? ''

test('a copy that applied all lines up to a complete page is the export, whatever was written meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await sql(`DELETE FROM datasets WHERE slug = ANY ('{${SLUGS}}')`)
      for (const slug of SLUGS) await sql(make(slug))
      await t.hearChanges()
      const copy = new Copy(t, 'followed')
      let mayRestart = false
      const follow = async (limit: number) => {
        const status = await copy.follow(limit)
        expect(status === 200 || (status === 410 && mayRestart)).toBe(true)
        if (copy.isComplete) {
          expect(copy.lines).toBe(await exportOf(t, 'followed'))
          mayRestart = false
        }
      }
      for (const one of steps) {
        if (one.kind === 'follow') {
          // A client that is killed before it has stored the cursor reads the page again.
          const { cursor } = copy
          await follow(one.limit)
          if (one.isLost && copy.cursor !== undefined) copy.cursor = cursor
          continue
        }
        if (one.kind === 'write') {
          const [first = '', ...others] = one.writes.map(statementOf)
          const nested = one.savepoint ? `SAVEPOINT s; ${first}; ROLLBACK TO s;` : ''
          await sql(`BEGIN; ${nested} ${[first, ...others].join(';')}; ${one.end}`)
        } else {
          mayRestart = true
          if (one.kind === 'forget') await t.database.withSession((session) => forgetChanges(session, 0))
          else await sql(RESTARTS[one.name] ?? '')
          for (const slug of SLUGS) await sql(make(slug))
        }
        await t.hearChanges()
      }
      do await follow(4)
      while (!copy.isComplete)
      const { data } = await (await t.get('/v1/datasets/followed')).json()
      expect(copy.dataset).toMatchObject(data)
    }),
    { numRuns: randomCases({ all: 200, few: 40 }), examples: [[LOADED_TWICE]] },
  )
})
