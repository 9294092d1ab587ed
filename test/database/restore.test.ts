import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { checkHealth } from '../../src/database/health-checks.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { hasPostgres, runPostgresProgram } from '../support/cluster.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

/*
 * Revisions never go back, whatever the sequence is: after a restore of some tables it is behind them.
 */

const revisionsOf = async ({ prisma }: Database) => {
  const datasets = await prisma.dataset.findMany({ select: { id: true, revision: true } })
  return new Map(datasets.map(({ id, revision }) => [id, revision]))
}
const maximum = (revisions: ReadonlyMap<string, bigint>) =>
  [...revisions.values()].reduce((most, revision) => (revision > most ? revision : most), 0n)
const problemsOf = async (database: Database) => {
  const findings = await database.withSession(checkHealth)
  return findings.filter(({ isOk, check }) => !isOk && check !== 'keys').map(({ check }) => check)
}
const run = (database: Database, sql: string) => database.withSession((session) => session.query(sql))

describe('When the sequence is behind', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await createDatabase()
    await seedCatalog(db.database.prisma)
    for (let n = 0; n < 20; n += 1) await run(db.database, 'UPDATE datasets SET name = name')
  })
  afterAll(() => db.close())
  const fallBehind = () => run(db.database, `SELECT setval('catalog_revision', 5)`)

  test('a change gives a revision that is higher than all others', async () => {
    const before = await revisionsOf(db.database)
    await fallBehind()
    expect(await problemsOf(db.database)).toEqual(['revisions'])
    await run(db.database, `UPDATE items SET name = name || '!' WHERE dataset_id = '${DATASET.seoul}'`)
    const after = await revisionsOf(db.database)
    expect(after.get(DATASET.seoul)).toBeGreaterThan(maximum(before))
    expect(await problemsOf(db.database)).toEqual([])
  })

  test('a dataset that is removed and created again gets a higher revision', async () => {
    const { prisma } = db.database
    const { revision, ...dataset } = await prisma.dataset.findUniqueOrThrow({ where: { id: DATASET.archived } })
    await fallBehind()
    await prisma.dataset.delete({ where: { id: dataset.id } })
    const created = await prisma.dataset.create({ data: dataset })
    expect(created.revision).toBeGreaterThan(revision)
  })

  test('changes at the same time give every dataset its own revision', async () => {
    const before = await revisionsOf(db.database)
    await fallBehind()
    await Promise.all(
      [...before.keys()].map((id) => db.database.prisma.dataset.update({ where: { id }, data: { name: 'Changed' } })),
    )
    const after = await revisionsOf(db.database)
    expect(new Set(after.values()).size).toBe(after.size)
    for (const [id, revision] of before) expect(after.get(id)).toBeGreaterThan(revision)
  })

  test('recount_items() moves all revisions above all that there were', async () => {
    const before = await revisionsOf(db.database)
    await run(db.database, `SELECT setval('catalog_revision', ${maximum(before) - 3n})`)
    expect(await problemsOf(db.database)).toEqual(['revisions'])
    await run(db.database, 'SELECT recount_items()')
    const after = await revisionsOf(db.database)
    for (const [id, revision] of before) expect(after.get(id)).toBeGreaterThan(revision)
    expect(await problemsOf(db.database)).toEqual([])
  })
})

test('a copy of a dataset gets a revision of its own', async () => {
  const db = await createDatabase()
  await seedCatalog(db.database.prisma)
  await run(
    db.database,
    `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at, revision)
     SELECT gen_random_uuid(), 'copy', name, status, visibility, attribution, created_at, updated_at, revision
       FROM datasets WHERE slug = 'seoul'`,
  )
  const revisions = await revisionsOf(db.database)
  expect(new Set(revisions.values()).size).toBe(revisions.size)
  await db.close()
})

describe.skipIf(inject('template').kind !== 'postgres' || !hasPostgres)('A restore of some tables', () => {
  let source: TestDatabase
  let folder: string
  const TABLES = ['datasets', 'items', 'images']
  const COUNTS = ['item_counts', 'cube_counts', 'tile_counts']
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-dump-'))
    source = await createDatabase()
    await seedCatalog(source.database.prisma)
    for (let n = 0; n < 20; n += 1) await run(source.database, 'UPDATE datasets SET name = name')
    await runPostgresProgram('pg_dump', ['--format=custom', `--file=${join(folder, 'dump')}`, urlOf(source)])
  })
  afterAll(async () => {
    await source.close()
    await rm(folder, { recursive: true })
  })
  const urlOf = ({ env }: TestDatabase) => env.DATABASE_URL ?? ''
  const restore = async (tables: readonly string[], options: readonly string[]) => {
    const target = await createDatabase()
    // In turn, because pg_restore does not know that images need items.
    for (const table of tables) {
      const args = ['--data-only', ...options, `--table=${table}`, `--dbname=${urlOf(target)}`, join(folder, 'dump')]
      await runPostgresProgram('pg_restore', args)
    }
    return target
  }

  test.each([
    [
      'with --disable-triggers has no counts, and an old sequence',
      TABLES,
      ['--disable-triggers'],
      ['totals', 'revisions'],
    ],
    ['without it counts the items', TABLES, [], []],
    ['without it, but with the counts, doubles them', [...COUNTS, ...TABLES], [], ['totals']],
  ])('%s; doctor finds it, and recount_items() repairs it', async (_what, tables, options, problems) => {
    const target = await restore(tables, options)
    const restored = await revisionsOf(target.database)
    expect(restored.size).toBe(6)
    expect(await problemsOf(target.database)).toEqual(problems)
    await run(target.database, 'SELECT recount_items()')
    expect(await problemsOf(target.database)).toEqual([])
    const repaired = await revisionsOf(target.database)
    for (const [id, revision] of restored) expect(repaired.get(id)).toBeGreaterThan(revision)
    await target.close()
  })
})
