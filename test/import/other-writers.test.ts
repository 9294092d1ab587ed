import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { removeDataset } from '../../src/import/change-dataset.ts'
import { withDatasetLocked } from '../../src/import/dataset-lock.ts'
import { ndjson, row, useImporter } from '../support/import.ts'
import { countLockWaits } from '../support/lock-waits.ts'

/*
 * Imports beside other sessions that write to the same dataset: the result is always that of one of the two orders.
 */

const t = useImporter()

const a = (more: object = {}) => row({ externalId: 'a', name: 'A', ...more })
const b = (more: object = {}) => row({ externalId: 'b', name: 'B', ...more })
const file = (...rows: object[]) => ({ 'a.ndjson': ndjson(...rows) })
const many = (name: string, count = 500) =>
  file(...Array.from({ length: count }, (_, n) => row({ externalId: String(n), name: `${name} ${n}` })))
const names = async () =>
  (await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name)
const dataset = () => t.db.database.prisma.dataset.findFirstOrThrow({ select: { id: true, slug: true } })

const INSERT_DATASET = `
  INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
  VALUES ($1, 'places', 'By hand', 'active', 'public', 'Us', now(), now())`
const INSERT_ITEM = `
  INSERT INTO items (id, dataset_id, name, administrative_area_code, category_code, latitude, longitude, created_at, updated_at)
  VALUES (gen_random_uuid(), $1, $2, '1', 'x', 1, 1, now(), now())`

/** Begins a transaction with `before`, runs `work` until it waits for the transaction, and commits after `after`. */
async function duringTransaction<Result>(
  before: (session: pg.Client) => Promise<unknown>,
  work: () => Promise<Result>,
  after: (session: pg.Client) => Promise<unknown> = async () => {},
): Promise<PromiseSettledResult<Result>> {
  return t.db.database.withSession(async (session) => {
    await session.query('BEGIN')
    await before(session)
    const working = Promise.allSettled([work()])
    await expect.poll(() => countLockWaits(t.db.database)).toBe(1)
    await after(session)
    await session.query('COMMIT')
    return (await working)[0]
  })
}

describe.runIf(inject('template').kind === 'postgres')('An import that waits for another transaction', () => {
  test('creates the dataset with all items if the other one has removed it', async () => {
    await t.importer.run(many('old'))
    const imported = await duringTransaction(
      (session) => session.query('DELETE FROM datasets'),
      () => t.importer.run(many('old')),
    )
    expect(imported).toMatchObject({ value: { created: 500, unchanged: 0 } })
    expect(await names()).toHaveLength(500)
  })

  test('is refused with the new slug if the other one has renamed the dataset', async () => {
    await t.importer.run(many('old'))
    const imported = await duringTransaction(
      (session) => session.query("UPDATE datasets SET slug = 'other'"),
      () => t.importer.run(many('new')),
    )
    expect(imported).toMatchObject({
      reason: { message: expect.stringContaining('The dataset places was renamed: its slug is now other.') },
    })
    expect((await names()).every((name) => name.startsWith('old'))).toBe(true)
  })

  test('changes the dataset if the other one has created it', async () => {
    const { datasetId } = await t.importer.run(file(a()))
    await t.db.database.prisma.dataset.deleteMany()
    const imported = await duringTransaction(
      async (session) => {
        await session.query(INSERT_DATASET, [datasetId])
        await session.query(INSERT_ITEM, [datasetId, 'By hand'])
      },
      () => t.importer.run(file(a(), b())),
    )
    expect(imported).toMatchObject({ value: { created: 2, removed: 1 } })
    expect(await names()).toEqual(['A', 'B'])
    expect(await t.db.database.prisma.dataset.findMany()).toMatchObject([{ id: datasetId, name: 'Places' }])
  })

  test('is refused if the other one has created the dataset with another id', async () => {
    const imported = await duringTransaction(
      (session) => session.query(INSERT_DATASET, ['11111111-0000-4000-8000-000000000001']),
      () => t.importer.run(file(a())),
    )
    expect(imported).toMatchObject({
      reason: {
        message: 'Another session gave the dataset places another id; nothing was changed; try again',
      },
    })
    expect(await names()).toEqual([])
  })

  test.each([
    ['A', 'B'],
    ['B', 'A'],
  ])('comes after all of it: after the changes of %s and then of %s', async (first, second) => {
    await t.importer.run(file(a(), b()))
    const change = (name: string) => (session: pg.Client) =>
      session.query(`UPDATE items SET description = 'by hand' WHERE name = $1`, [name])
    const imported = await duringTransaction(
      change(first),
      () => t.importer.run(file(a({ description: 'imported' }), b())),
      change(second),
    )
    expect(imported).toMatchObject({ value: { updated: 2, unchanged: 0 } })
    const items = await t.db.database.prisma.item.findMany({ orderBy: { name: 'asc' } })
    expect(items.map(({ description }) => description)).toEqual(['imported', ''])
  })

  test('lets a session go first that has a row and waits for the dataset', async () => {
    await t.importer.run(file(a(), b()))
    const { database } = t.db
    let byHand: Promise<unknown> | undefined
    const imported = await duringTransaction(
      (session) => session.query('UPDATE datasets SET name = name'),
      () => t.importer.run(file(a({ description: 'imported' }), b())),
      async () => {
        byHand = database.prisma.item.updateMany({ where: { name: 'A' }, data: { description: 'by hand' } })
        byHand.catch(() => {})
        await expect.poll(() => countLockWaits(database)).toBe(2)
      },
    )
    await byHand
    expect(imported).toMatchObject({ value: { updated: 1, unchanged: 1 } })
    expect(await database.prisma.item.findFirst({ where: { name: 'A' } })).toMatchObject({ description: 'imported' })
  })
})

describe('Beside imports', () => {
  test('single changes of items, images and labels succeed, and the imports too', async () => {
    const { database } = t.db
    const rows = (round: number) =>
      ndjson(
        ...Array.from({ length: 300 }, (_, n) =>
          row({ externalId: String(n), name: `${round} ${n}`, images: [{ originalUrl: `o${round}` }] }),
        ),
      )
    const labels = { categoryCode: { x: 'X' } }
    await t.importer.run({ 'a.ndjson': rows(0) }, { labels })
    let running = true
    const write = (sql: string) =>
      database.withSession(async (session) => {
        for (let n = 0; running; n += 1) await session.query(sql, [String(n % 300)])
      })
    const writers = [
      `UPDATE items SET description = 'by hand' WHERE external_id = $1`,
      `UPDATE images SET alt_text = 'by hand' FROM items AS i WHERE i.id = item_id AND external_id = $1`,
      `UPDATE code_labels SET label = 'by hand ' || $1`,
    ].map(write)
    const summaries = []
    try {
      for (let round = 1; round <= 5; round += 1)
        summaries.push(await t.importer.run({ 'a.ndjson': rows(round) }, { labels }))
    } finally {
      running = false
      await Promise.all(writers)
    }
    for (const summary of summaries) expect(summary).toMatchObject({ created: 0, updated: 300, removed: 0 })
    expect(await names()).toEqual(Array.from({ length: 300 }, (_, n) => `5 ${n}`).sort())
  })

  test('transactions with changes in any order do not stop the imports', async () => {
    await t.importer.run(many('0'))
    let running = true
    const write = (seed: number) =>
      t.db.database.withSession(async (session) => {
        for (let n = seed; running; n += 1) {
          try {
            await session.query('BEGIN')
            for (const id of [n * 7, n * 13 + 1, n * 31 + 2])
              await session.query('UPDATE items SET description = $2 WHERE external_id = $1', [
                String(id % 500),
                'by hand',
              ])
            await session.query('COMMIT')
          } catch (error) {
            // Such transactions are in deadlocks with each other too.
            if (!(error instanceof pg.DatabaseError && error.code === '40P01')) throw error
            await session.query('ROLLBACK')
          }
        }
      })
    const writers = [write(0), write(100)]
    try {
      for (const round of ['1', '2'])
        expect(await t.importer.run(many(round))).toMatchObject({ created: 0, updated: 500, removed: 0 })
    } finally {
      running = false
      await Promise.all(writers)
    }
  })

  test('a removal of the dataset comes before or after, and the counts of the import are true', async () => {
    const { database } = t.db
    for (let round = 0; round < 3; round += 1) {
      await t.importer.run(many('same'))
      const place = await dataset()
      const removal = database.withSession((session) => removeDataset(session, place))
      const [imported, removed] = await Promise.all([t.importer.run(many('same')), removal])
      expect(removed).toEqual({ items: 500, grants: 0, isRemoved: true })
      if (imported.created === 500) expect(await names()).toHaveLength(500)
      else expect([imported.unchanged, await database.prisma.dataset.count()]).toEqual([500, 0])
    }
  })
})

test('a removal of a dataset that has more than was confirmed removes nothing', async () => {
  await t.importer.run(file(a(), b()))
  const place = await dataset()
  const remove = (items: number) =>
    t.db.database.withSession((session) => removeDataset(session, place, { items, grants: 0 }))
  expect(await remove(1)).toEqual({ items: 2, grants: 0, isRemoved: false })
  expect(await names()).toEqual(['A', 'B'])
  expect(await remove(2)).toEqual({ items: 2, grants: 0, isRemoved: true })
  await expect(remove(2)).rejects.toThrow('The dataset places was removed meanwhile')
})

test.each(['deadlock_detected', 'serialization_failure'])(
  '%s again and again is a clear failure',
  async (condition) => {
    let attempts = 0
    const failed = t.db.database.withSession((session) =>
      withDatasetLocked(
        session,
        { id: '11111111-0000-4000-8000-000000000001', slug: 'places', use: 'change' },
        async () => {
          attempts += 1
          await session.query(`DO $$ BEGIN RAISE ${condition}; END $$`)
        },
      ),
    )
    await expect(failed).rejects.toThrow(
      'Other sessions changed the dataset places during each of 5 attempts; nothing was changed; try again',
    )
    expect(attempts).toBe(5)
  },
)
