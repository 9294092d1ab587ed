import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkHealth } from '../../src/database/health-checks.ts'
import { seedCatalog } from '../support/catalog.ts'
import { hasPostgres, runPostgresProgram } from '../support/cluster.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
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
  const COUNTS = ['item_counts', 'tile_counts', 'tile_category_counts']
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

describe.skipIf(inject('template').kind !== 'postgres' || !hasPostgres)('The commands of docs/backups.md', () => {
  const PAGE = readFileSync(`${CHECKOUT}docs/backups.md`, 'utf8').replaceAll('/tmp/', `${inFolder()}/`)
  const [, dump = '', restore = ''] = /^(pg_dump .*?)$.*?^(pg_restore .*?)^npx/ms.exec(PAGE) ?? []
  const role = `catalog_owner_${randomUUID().slice(0, 8)}`
  const databases: string[] = []
  const template = inject('template')
  const urlOf = (database: string, change = {}) =>
    Object.assign(new URL(template.kind === 'postgres' ? template.url : ''), { pathname: database, ...change }).href
  const asAdmin = async (database: string, ...statements: string[]) => {
    const admin = new pg.Client(urlOf(database))
    await admin.connect()
    for (const statement of statements) await admin.query(statement)
    await admin.end()
  }
  /** Creates a database in which the role of the catalog owns nothing of PostGIS. */
  const createWithPostgis = async (schema: string) => {
    const name = `${role}_${databases.length}`
    databases.push(name)
    await asAdmin('postgres', `CREATE DATABASE ${name} OWNER ${role}`)
    await asAdmin(
      name,
      `CREATE SCHEMA IF NOT EXISTS ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`,
      `ALTER DATABASE ${name} SET search_path = public, ${schema}`,
      `CREATE EXTENSION postgis SCHEMA ${schema}`,
    )
    return { DATABASE_URL: urlOf(name, { username: role, password: role }) }
  }
  beforeAll(() => asAdmin('postgres', `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`))
  afterAll(() =>
    asAdmin('postgres', ...databases.map((name) => `DROP DATABASE ${name} WITH (FORCE)`), `DROP ROLE ${role}`),
  )

  test.each(['public', 'extensions'])('restore the catalog beside a PostGIS of another owner in %s', async (schema) => {
    const env = await createWithPostgis(schema)
    await runCatalog(env, 'migrate')
    await runCatalog(env, 'import', 'src/sample/seoul-landmarks.json')
    await runCatalog(env, 'keys', 'create', '--name', 'one')
    const mistake = `${dump}\npsql -qc "UPDATE datasets SET name = 'A mistake'" "$DATABASE_URL"`
    expect(await runShell(env, mistake)).toMatchObject({ code: 0, stderr: '' })
    const look = `${restore}\npsql -Atc 'SELECT name FROM datasets' "$DATABASE_URL"`
    for (const target of [env, await createWithPostgis(schema)]) {
      expect(await runShell(target, look)).toEqual({ code: 0, stdout: 'Seoul Landmarks\n', stderr: '' })
      expect(await runCatalog(target, 'doctor')).toMatchObject({ code: 0 })
    }
  })
})
