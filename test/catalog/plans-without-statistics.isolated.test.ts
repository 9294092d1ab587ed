import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyCache } from '../../src/auth/api-key.ts'
import { KeyUsage } from '../../src/auth/key-usage.ts'
import { findValidKeys, listKeys } from '../../src/auth/keys.ts'
import { reportUsage } from '../../src/auth/usage-report.ts'
import { readTableNames } from '../../src/database/statistics.ts'
import { findKnownDataset, findLastEntry, listHistory, readEntryChanges } from '../../src/history/entries.ts'
import { removeDataset } from '../../src/import/change-dataset.ts'
import { undoLastEntry } from '../../src/import/undo.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { createOwnDatabase, type TestDatabase } from '../support/database.ts'
import { fillKeysAndHistory } from '../support/fill.ts'
import { createImporter, type Importer, ndjson, row } from '../support/import.ts'
import { createPublicReader } from '../support/reader.ts'
import { measureSession, type Work } from '../support/row-work.ts'

/*
 * Tables of real size that PostgreSQL has never analysed, or analysed when they were empty. A statement may read a table as a whole, but
 * must not read it again for each row of another: then it would read a thousand times as many rows.
 */

/** The number of labels, items, keys, grants and entries. */
const SIZE = 1_000
/** A statement reads at most this number of rows for each of them. */
const ROWS_EACH = 50

let db: TestDatabase
let importer: Importer
let works: Work[] = []
const origin = { command: 'catalog test', undoDays: 30 }

const withSession = <Result>(use: (session: pg.Client) => Promise<Result>) =>
  db.database.withSession((session) => use(measureSession(session, works)))

beforeAll(async () => {
  db = await createOwnDatabase()
  importer = await createImporter({ ...db.database, withSession })
  await db.database.withSession(async (session) => {
    for (const table of await readTableNames()) {
      await session.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`)
    }
    await fillKeysAndHistory(session, SIZE)
  })
  await expectNoLoops(() => load('Area', 'Place'))
})
afterAll(async () => {
  await importer.close()
  await db.close()
})

/** Makes PostgreSQL forget what it knows about the tables. */
const forget = () =>
  db.database.withSession((session) =>
    session.query(`
      DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
      UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`),
  )

/** Runs `work`, and expects that none of its statements reads a table for each row of another. */
async function expectNoLoops(work: () => Promise<unknown>): Promise<void> {
  await forget()
  works = []
  db.statements.length = db.parameters.length = 0
  await work()
  const sent = db.statements.map((sql, n) => ({ sql, values: JSON.parse(db.parameters[n] ?? '[]') }))
  await withSession(async (session) => {
    for (const { sql, values } of sent) {
      await session.query('BEGIN')
      await session.query(sql, values)
      await session.query('ROLLBACK')
    }
  })
  expect(works.length).toBeGreaterThan(0)
  expect(works.filter(({ rows }) => rows > SIZE * ROWS_EACH)).toEqual([])
}

const find = async () => {
  const found = await db.database.withSession((session) => findKnownDataset(session, 'places'))
  if (!found) throw new Error('There is no dataset')
  return found
}
const numbers = Array.from({ length: SIZE }, (_, n) => n)
const load = (label: string, name: string) => {
  const rows = numbers.map((n) =>
    row({
      externalId: `${n}`,
      name: `${name} ${n}`,
      administrativeAreaCode: `area ${n}`,
      images: [{ originalUrl: 'o' }],
    }),
  )
  const labels = { administrativeAreaCode: Object.fromEntries(numbers.map((n) => [`area ${n}`, `${label} ${n}`])) }
  return importer.run({ 'a.ndjson': ndjson(...rows) }, { labels, origin })
}
const undo = async () => {
  const dataset = await find()
  return withSession((session) => undoLastEntry(session, dataset, { ...origin, overwrite: false }))
}

test('an import, also of labels alone', async () => {
  await expectNoLoops(() => load('Region', 'Place'))
  await expectNoLoops(() => load('Region', 'Site'))
})

test('facets of one dataset and of many', async () => {
  const { id } = await find()
  const datasets = await db.database.prisma.dataset.findMany({ where: { id: { not: id } }, take: 50 })
  for (const slugs of [['places'], ['places', ...datasets.map(({ slug }) => slug)]]) {
    await expectNoLoops(() =>
      createPublicReader(db.database)(async (catalog) => {
        const all = await Promise.all(slugs.map((slug) => catalog.dataset(slug)))
        const facets = await Promise.all(all.map((dataset) => catalog.facetsOf(dataset, 'administrativeAreaCode')))
        expect(facets[0]).toHaveLength(SIZE)
        expect(facets[0]?.[0]?.label).toMatch(/^(Area|Region) \d/)
      }),
    )
  }
})

test('the history, an undo, a removal and its undo', async () => {
  await expectNoLoops(async () => {
    const { id } = await find()
    await withSession(async (session) => {
      await listHistory(session)
      const entry = await findLastEntry(session, id)
      expect(entry && (await readEntryChanges(session, entry)).items).toHaveLength(SIZE)
    })
  })
  await expectNoLoops(undo)
  await expectNoLoops(undo)
  await expectNoLoops(async () => {
    const dataset = await find()
    await withSession((session) => removeDataset(session, dataset, undefined, origin))
  })
  await expectNoLoops(undo)
})

test('keys, their grants and their usage', async () => {
  const { prisma, sql } = db.database
  await expectNoLoops(async () => {
    await listKeys(prisma)
    await findValidKeys(prisma, new Date())
    await reportUsage(prisma, { days: 30 }, new Date())
    await createKeyCache(sql, silentChangeFeed)('dck_unknown')
    const usage = new KeyUsage(prisma)
    for (const { id } of await prisma.apiKey.findMany()) usage.add(id, id, new Date(), { requests: 1 })
    await usage.write()
  })
})
