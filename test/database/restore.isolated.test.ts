import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkHealth } from '../../src/database/health-checks.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { hasPostgres, runPostgresProgram } from '../support/cluster.ts'
import { createDatabase, createEmpty, type TestDatabase, useDatabase } from '../support/database.ts'
import type { Database } from '../support/open-database.ts'
import { CHECKOUT, runCatalog, runShell } from '../support/process.ts'

/*
 * The revision of a dataset never goes back, and none returns after a restore.
 */

const revisionsOf = async ({ prisma }: Database) => {
  const datasets = await prisma.dataset.findMany({ select: { id: true, revision: true } })
  return new Map(datasets.map(({ id, revision }) => [id, revision]))
}
const problemsOf = async (database: Database) => {
  const findings = await database.withSession(checkHealth)
  return findings.filter(({ isOk, check }) => !isOk && check !== 'keys').map(({ check }) => check)
}
const run = (database: Database, sql: string) => database.withSession((session) => session.query(sql))

describe('When revisions are ahead of the clock', () => {
  const db = useDatabase()
  beforeAll(async () => {
    await seedCatalog(db.database.prisma)
    await run(
      db.database,
      `ALTER TABLE datasets DISABLE TRIGGER USER;
       UPDATE datasets SET revision = revision + 1000000000000;
       ALTER TABLE datasets ENABLE TRIGGER USER`,
    )
  })

  test('a change of an item still gives its dataset a higher revision', async () => {
    const before = await revisionsOf(db.database)
    for (let n = 1n; n <= 3n; n += 1n) {
      await run(db.database, `UPDATE items SET name = name || '!' WHERE dataset_id = '${DATASET.seoul}'`)
      expect((await revisionsOf(db.database)).get(DATASET.seoul)).toBeGreaterThan(before.get(DATASET.seoul) ?? 0n)
    }
  })

  test('recount_items() moves all revisions', async () => {
    const before = await revisionsOf(db.database)
    await run(db.database, 'SELECT recount_items()')
    const after = await revisionsOf(db.database)
    for (const [id, revision] of before) expect(after.get(id)).toBeGreaterThan(revision)
    expect(await problemsOf(db.database)).toEqual([])
  })
})

test('a dataset that is removed and created again gets a higher revision', async () => {
  const db = await createDatabase()
  await seedCatalog(db.database.prisma)
  const { prisma } = db.database
  const { revision, ...dataset } = await prisma.dataset.findUniqueOrThrow({ where: { id: DATASET.archived } })
  await prisma.dataset.delete({ where: { id: dataset.id } })
  const created = await prisma.dataset.create({ data: dataset })
  expect(created.revision).toBeGreaterThan(revision)
  await db.close()
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
  const [copy, original] = await Promise.all(
    ['copy', 'seoul'].map((slug) => db.database.prisma.dataset.findUniqueOrThrow({ where: { slug } })),
  )
  expect(copy?.revision).toBeGreaterThan(original?.revision ?? 0n)
  await db.close()
})

describe.skipIf(inject('template').kind !== 'postgres' || !hasPostgres)('A restore of some tables', () => {
  let source: TestDatabase
  let folder: string
  const TABLES = ['datasets', 'items', 'images']
  const COUNTS = ['item_counts', 'tile_counts']
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
    ['with --disable-triggers has no counts', TABLES, ['--disable-triggers'], ['totals']],
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

test.skipIf(inject('template').kind !== 'postgres' || !hasPostgres)(
  'A whole dump brings back what was there, by the commands of docs/operations.md',
  async () => {
    const { env, drop } = await createEmpty()
    await runCatalog(env, 'import', 'src/sample/seoul-landmarks.json')
    await runCatalog(env, 'keys', 'create', '--name', 'one')
    const folder = await mkdtemp(join(tmpdir(), 'catalog-dump-'))
    const page = readFileSync(`${CHECKOUT}docs/operations.md`, 'utf8').replaceAll('/tmp/', `${folder}/`)
    const [, dump = '', restore = ''] = /^(pg_dump .*)\n(pg_restore --clean .*)$/m.exec(page) ?? []
    expect(await runShell(env, dump)).toMatchObject({ code: 0 })
    await runCatalog(env, 'datasets', 'update', 'seoul-landmarks', '--name', 'A mistake')
    expect(await runShell(env, restore)).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await runCatalog(env, 'datasets', 'list')
    expect(stdout).toContain('Seoul Landmarks')
    expect(await runCatalog(env, 'doctor')).toMatchObject({ code: 0 })
    await drop()
    await rm(folder, { recursive: true })
  },
)
