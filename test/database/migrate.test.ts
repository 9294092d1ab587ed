import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkMigrated, migrate } from '../../src/database/migrate.ts'
import { Router } from '../../src/embedded/router.ts'
import { serveWire } from '../../src/embedded/wire.ts'
import { createOwnDatabase, type TestDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'

const FOLDER = new URL('../../prisma/migrations/', import.meta.url)

let db: TestDatabase
const inFolder = useFolder()
const folder = inFolder('migrations')
beforeAll(async () => {
  db = await createOwnDatabase()
  await cp(FOLDER, folder, { recursive: true })
})
afterAll(async () => {
  await db.close()
})

const run = (from?: string) => db.database.withSession((session) => migrate(session, from))
const add = async (name: string, sql: string) => {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'migration.sql'), sql)
}

test('a migrated database has nothing left to apply', async () => {
  expect(await run()).toEqual([])
})

test('each migration is recorded as Prisma Migrate does', async () => {
  const rows = await db.database.prisma.$queryRaw<Record<string, unknown>[]>`
    SELECT * FROM _prisma_migrations ORDER BY migration_name`
  const folders = (await readdir(FOLDER, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).sort()
  expect(rows.map((row) => row.migration_name)).toEqual(names)
  for (const [index, name] of names.entries()) {
    const sql = await readFile(new URL(`${name}/migration.sql`, FOLDER))
    expect(rows[index]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(sql).digest('hex'),
      finished_at: expect.any(Date),
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Date),
      applied_steps_count: 1,
    })
  }
})

test('a database from before 1.0 is refused in one line that names the last commit with its migrations', async () => {
  await db.database.withSession(async (session) => {
    await session.query(`BEGIN; UPDATE _prisma_migrations SET migration_name = '20261125000000_catalog'`)
    const found = /^The database is from before 1\.0; move it with the commit 7e39e9ee: catalog export --all .*$/
    await expect(checkMigrated(session)).rejects.toThrow(found)
    await session.query('ROLLBACK')
  })
})

test('two gateways that start together apply a migration once', async () => {
  await add('20990101000000_more', 'CREATE TABLE more (a integer)')
  const applied = await Promise.all([run(folder), run(folder)])
  expect(applied.flat()).toEqual(['20990101000000_more'])
})

test('a database newer than the code is refused in one line', async () => {
  await expect(run()).rejects.toThrow('The database is newer than this code: it has the migration 20990101000000_more')
})

test('a migration that fails changes nothing and says why', async () => {
  await add('20990102000000_wrong', 'CREATE TABLE half (a integer); SELECT nonsense')
  await expect(run(folder)).rejects.toThrow(/^The migration 20990102000000_wrong can't be applied: column "nonsense"/)
  const [row] = await db.database.prisma.$queryRaw<{ half: string | null }[]>`SELECT to_regclass('half')::text AS half`
  expect(row?.half).toBeNull()
  await rm(join(folder, '20990102000000_wrong'), { recursive: true })
})

test('a migration that was changed after it was applied is refused', async () => {
  await add('20990101000000_more', 'CREATE TABLE other (a integer)')
  await expect(run(folder)).rejects.toThrow('The migration 20990101000000_more was changed after it was applied')
})

test('a server without PostGIS is refused in one line', async () => {
  const bare = await PGlite.create()
  const socketDir = inFolder()
  const postgres = {
    execute: (batch: Uint8Array) => bare.execProtocolRaw(batch),
    query: (sql: string) => bare.query(sql),
    cancel: () => {},
  }
  const server = await serveWire(new Router(postgres), join(socketDir, '.s.PGSQL.5432'))
  const session = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  await session.connect()
  await expect(migrate(session)).rejects.toThrow(/^The PostgreSQL server has no PostGIS; install it there/)
  await session.end()
  server.close()
  await bare.close()
})
