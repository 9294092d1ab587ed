import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkHealth } from '../../src/database/health-checks.ts'
import { seedCatalog } from '../support/catalog.ts'
import { hasPostgres, runPostgresProgram } from '../support/cluster.ts'
import { createDatabase, createEmpty, type TestDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import type { Database } from '../support/open-database.ts'
import { CHECKOUT, runCatalog, runShell } from '../support/process.ts'

/*
 * The revision of a dataset never goes back, and none returns after a restore.
 */

const inFolder = useFolder()

const revisionsOf = async ({ prisma }: Database) => {
  const datasets = await prisma.dataset.findMany({ select: { id: true, revision: true } })
  return new Map(datasets.map(({ id, revision }) => [id, revision]))
}
const problemsOf = async (database: Database) => {
  const findings = await database.withSession(checkHealth)
  return findings.filter(({ isOk, check }) => !isOk && check !== 'keys').map(({ check }) => check)
}
const run = (database: Database, sql: string) => database.withSession((session) => session.query(sql))

describe.skipIf(inject('template').kind !== 'postgres' || !hasPostgres)('A restore of some tables', () => {
  let source: TestDatabase
  const TABLES = ['datasets', 'items', 'images']
  const COUNTS = ['item_counts', 'tile_counts']
  beforeAll(async () => {
    source = await createDatabase()
    await seedCatalog(source.database.prisma)
    for (let n = 0; n < 20; n += 1) await run(source.database, 'UPDATE datasets SET name = name')
    await runPostgresProgram('pg_dump', ['--format=custom', `--file=${inFolder('dump')}`, urlOf(source)])
  })
  afterAll(async () => {
    await source.close()
  })
  const urlOf = ({ env }: TestDatabase) => env.DATABASE_URL ?? ''
  const restore = async (tables: readonly string[], options: readonly string[]) => {
    const target = await createDatabase()
    // In turn, because pg_restore does not know that images need items.
    for (const table of tables) {
      const args = ['--data-only', ...options, `--table=${table}`, `--dbname=${urlOf(target)}`, inFolder('dump')]
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
    const page = readFileSync(`${CHECKOUT}docs/operations.md`, 'utf8').replaceAll('/tmp/', `${inFolder()}/`)
    const [, dump = '', restore = ''] = /^(pg_dump .*)\n(pg_restore --clean .*)$/m.exec(page) ?? []
    expect(await runShell(env, dump)).toMatchObject({ code: 0 })
    await runCatalog(env, 'datasets', 'update', 'seoul-landmarks', '--name', 'A mistake')
    expect(await runShell(env, restore)).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await runCatalog(env, 'datasets', 'list')
    expect(stdout).toContain('Seoul Landmarks')
    expect(await runCatalog(env, 'doctor')).toMatchObject({ code: 0 })
    await drop()
  },
)
