import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey, listKeys } from '../../src/auth/keys.ts'
import type { DatabaseConfig } from '../../src/config/config.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type Database, openDatabase } from '../support/open-database.ts'
import { startProcess } from '../support/process.ts'
import { copyEmbedded } from '../support/template.ts'

const config = (dataDir: string): DatabaseConfig => ({
  kind: 'embedded',
  dataDir,
  poolSize: 8,
  connectTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
})

/** Its endless recursion ends the embedded PostgreSQL. */
const DEEP = `CREATE FUNCTION pg_temp.deep(n int) RETURNS int LANGUAGE plpgsql
  AS $$ BEGIN RETURN pg_temp.deep(n + 1); END $$`

let folder: string
let database: Database
beforeAll(async () => {
  folder = await copyEmbedded()
  database = await openDatabase(config(folder), { share: false })
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

describe('The embedded database', () => {
  test('has the software that the papers of the packages name', async () => {
    const [row] = await database.prisma.$queryRaw<
      { full: string }[]
    >`SELECT version() || ' ' || postgis_full_version() AS full`
    const papers = await readFile('THIRD_PARTY.md', 'utf8')
    const own = [...papers.matchAll(/^\| PGlite \| (PostgreSQL|PostGIS|GEOS|PROJ) \| (\S+) /gm)]
    expect(own).toHaveLength(4)
    for (const [, name = '', version = ''] of own) {
      expect(row?.full).toMatch(new RegExp(`${name}(="| )${version.replaceAll('.', '\\.')}`, 'i'))
    }
  })

  test('serves many clients at once without mixing their statements', async () => {
    const sums = await Promise.all(
      Array.from(
        { length: 300 },
        (_, n) => database.prisma.$queryRaw<{ sum: number }[]>`SELECT ${n}::integer + 1 AS sum`,
      ),
    )
    expect(sums.map(([row]) => row?.sum)).toEqual(sums.map((_, n) => n + 1))
  })

  test('gives a failing statement its own error, and the others their answers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        database.prisma.$queryRaw<{ share: number }[]>`SELECT 10 / ${n % 2}::integer AS share`.then(
          ([row]) => row?.share,
          (error: Error) => (/division by zero/.test(error.message) ? 'division by zero' : error.message),
        ),
      ),
    )
    expect(answers).toEqual(answers.map((_, n) => (n % 2 === 0 ? 'division by zero' : 10)))
  })

  test('rolls back the transaction of a client that disconnects, and serves the next one', async () => {
    const name = 'gone'
    await database.withSession(async (session) => {
      await session.query('BEGIN')
      await session.query(
        `INSERT INTO datasets (id, slug, name, status, visibility, attribution, created_at, updated_at)
        VALUES (gen_random_uuid(), $1, '', 'draft', 'public', '', now(), now())`,
        [name],
      )
    })
    expect(await database.prisma.dataset.count({ where: { slug: name } })).toBe(0)
  })

  test('can be opened by a second process if it allows sharing, and not otherwise', async () => {
    const second = await openDatabase(config(folder), { share: true })
    expect(await second.prisma.dataset.count()).toBe(0)
    await second.close()
    expect(await database.prisma.dataset.count()).toBe(0)
    await expect(openDatabase(config(folder), { share: false })).rejects.toThrow(`is in use by process ${process.pid}`)
  })

  test('waits for its other users when the process that opened it closes', async () => {
    const own = await copyEmbedded()
    const first = await openDatabase(config(own), { share: true })
    const second = await openDatabase(config(own), { share: true })
    const closed = first.close()
    expect(await second.prisma.dataset.count()).toBe(0)
    await second.close()
    await closed
    await rm(own, { recursive: true })
  })

  test('does not start if its folder cannot be created', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(openDatabase(config(file), { share: true })).rejects.toThrow(`DATA_DIR ${file} can't be used`)
  })
})

test('a database that ends by itself starts again with all committed data, and the change feed reconnects', async () => {
  const own = await copyEmbedded()
  const told: string[] = []
  const { prisma, withSession, followChanges, close } = await openDatabase(config(own), {
    share: false,
    report: (line) => told.push(line),
  })
  const key = await createKey(prisma, { name: 'before the end' })
  const changes = followChanges()
  await expect.poll(() => changes.latest()).toBeDefined()
  const ending = withSession(async (session) => {
    await session.query(`SET max_stack_depth = '7MB'`)
    await session.query(DEEP)
    await session.query('SELECT pg_temp.deep(1)')
    await session.query('SELECT 1')
  })
  await expect(ending).rejects.toThrow('The database went away')
  await expect.poll(() => prisma.apiKey.count().catch(() => 0)).toBe(1)
  expect((await listKeys(prisma)).map(({ id }) => id)).toEqual([key.id])
  await expect.poll(() => changes.latest()).toBeDefined()
  expect(told).toEqual([expect.stringMatching(/^The embedded database has ended and is started again: /)])
  await changes.close()
  await close()
  await rm(own, { recursive: true })
})

test('a killed process leaves no lock, and no committed data is lost', async () => {
  const other = await copyEmbedded()
  const script = `
    import { openDatabase } from '${new URL('../../src/database/database.ts', import.meta.url)}'
    import { migrate } from '${new URL('../../src/database/migrate.ts', import.meta.url)}'
    const database = await openDatabase(${JSON.stringify(config(other))}, { share: false })
    await database.withSession((session) => migrate(session))
    process.stdout.write('open')
    setInterval(() => {}, 1000)`
  const child = startProcess(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  await expect(openDatabase(config(other), { share: false })).rejects.toThrow(`is in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  const after = await openDatabase(config(other), { share: false })
  expect(await after.withSession((session) => migrate(session))).toEqual([])
  await after.close()
  await rm(other, { recursive: true })
})

test('a process that closes the database while it starts again ends, and frees its folder only then', async () => {
  const own = await copyEmbedded()
  const script = `
    import { openDatabase } from '${new URL('../../src/database/database.ts', import.meta.url)}'
    const report = () => setImmediate(() => database.close())
    const database = await openDatabase(${JSON.stringify(config(own))}, { share: false, report })
    await database.withSession(async (session) => {
      await session.query("SET max_stack_depth = '7MB'")
      await session.query(\`${DEEP}\`)
      await session.query('SELECT pg_temp.deep(1)')
    }).catch(() => {})`
  const child = startProcess(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' })
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  const after = await openDatabase(config(own), { share: false })
  await after.close()
  await rm(own, { recursive: true })
})
