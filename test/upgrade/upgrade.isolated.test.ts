import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createEmpty } from '../support/database.ts'
import { listObjects } from '../support/database-state.ts'
import { useFolder } from '../support/folder.ts'
import { openDatabase } from '../support/open-database.ts'
import { CHECKOUT, environment, runCatalog, runProcess, startGateway, startProcess } from '../support/process.ts'
import { ask } from './answers.ts'
import {
  expectAnswers,
  openReleasedFolder,
  RELEASES,
  type Released,
  readAnswers,
  readReleased,
  SETTINGS,
} from './released.ts'

/*
 * The code of now opens what each release wrote (released.ts), and goes on after a migration that was killed.
 */

const template = inject('template')
const inFolder = useFolder()

type Env = Record<string, string>

const openFolder = async (release: string) => openReleasedFolder(release, await mkdtemp(inFolder('data-')))

async function withSession<Result>(url: string, use: (session: pg.Client) => Promise<Result>): Promise<Result> {
  const session = new pg.Client(url)
  await session.connect()
  return use(session).finally(() => session.end())
}

/** Creates a database without tables. */
async function createBare(): Promise<Omit<Released, 'expected'>> {
  if (template.kind === 'embedded') {
    const DATA_DIR = await mkdtemp(inFolder('bare-'))
    return { env: { DATA_DIR, ...SETTINGS }, drop: () => rm(DATA_DIR, { recursive: true }) }
  }
  const { url } = template
  const name = `catalog_upgrade_${randomUUID().slice(0, 8)}`
  await withSession(url, (admin) => admin.query(`CREATE DATABASE ${name}`))
  const drop = async () => {
    await withSession(url, (admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`))
  }
  return { env: { DATABASE_URL: Object.assign(new URL(url), { pathname: name }).href, ...SETTINGS }, drop }
}

async function openDump(release: string): Promise<Released> {
  const bare = await createBare()
  // Lines with a backslash are for psql.
  const dump = (await readReleased(release, 'dump.sql.br')).toString().replace(/^\\.*$/gm, '')
  await withSession(bare.env.DATABASE_URL ?? '', (session) => session.query(dump))
  return { ...bare, expected: await readAnswers(release, 'postgres') }
}

async function run(env: Env, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCatalog(env, ...args)
  expect([args, code, stderr.replace(/^Creating the database in .*\n/, '')]).toEqual([args, 0, ''])
  return stdout
}

/** Starts the migration, and kills it when `moment` resolves. */
async function killMigration(env: Env, moment: () => Promise<unknown>): Promise<void> {
  const args = [join(CHECKOUT, 'src/cli.ts'), 'migrate']
  const child = startProcess(process.execPath, args, { env: environment(env), stdio: 'ignore' })
  const ended = once(child, 'exit')
  await Promise.race([ended, moment()])
  child.kill('SIGKILL')
  await ended
}

/** Kills the migration at several moments of the time that it takes on this machine now. */
async function killMigrations(env: Env, milliseconds: number): Promise<void> {
  for (const part of [0.4, 0.6, 0.7, 0.8, 0.9, 1]) await killMigration(env, () => sleep(part * milliseconds))
}

/** Migrates a database, and returns the time of that. */
async function timeMigration({ env }: Pick<Released, 'env'>): Promise<number> {
  const start = performance.now()
  await run(env, 'migrate')
  return performance.now() - start
}

/** A data folder needs no server, so its test would be the same on PostgreSQL. */
const KIND = template.kind === 'postgres' ? (['dump', openDump] as const) : (['data folder', openFolder] as const)

describe.each(RELEASES)('What the release %s wrote', (release) => {
  test.each([KIND])('as a %s gives the same answers, and its history can be undone', async (_kind, open) => {
    const { env, expected, drop } = await open(release)
    const other = await open(release)
    await killMigrations(env, await timeMigration(other))
    await other.drop()
    await run(env, 'migrate')
    // Before the commands, so that not each of them opens the data folder.
    const gateway = await startGateway(env)
    for (const [command, output] of Object.entries(expected.commands)) {
      const lines = (await run(env, ...command.split(' '))).trim().split('\n')
      // A release may add members.
      expect([command, lines.map((line) => JSON.parse(line))]).toMatchObject([command, output])
    }
    await expectAnswers(gateway.url, expected)

    const description = async () =>
      JSON.parse(await run(env, 'datasets', 'show', 'seoul-landmarks', '--json')).description
    expect(await description()).toBe('After the third change')
    await run(env, 'undo', 'seoul-landmarks')
    expect(await description()).toBe('Palaces, gates, museums and towers of Seoul.')
    expect(await run(env, 'datasets', 'restore', 'seoul-parks-draft')).toContain('is restored, with 3 items')
    expect(await run(env, 'import', 'src/sample/seoul-landmarks.json')).toContain('1 created, 1 updated, 25 unchanged')
    await run(env, 'doctor')
    expect(await gateway.stop()).toBe(0)
    await drop()
  })

  test('moves to a new database by an export, for example of another major version of PostgreSQL', async () => {
    const { env, expected, drop } = await openFolder(release)
    const moved = inFolder(`moved-${release}`)
    await run(env, 'migrate')
    await run(env, 'export', '--all', moved, '--with-keys')
    const target = await createEmpty()
    await run(target.env, 'import', moved)
    const gateway = await startGateway({ ...target.env, ...SETTINGS })
    // The tag of an export is made of the revision of its dataset, which an import sets.
    await expectAnswers(gateway.url, expected, '/exports')
    expect(await gateway.stop()).toBe(0)
    await target.drop()
    await drop()
  })
})

describe('A new database', () => {
  /** Its objects, opened as a command opens it. */
  const objectsOf = async (env: Env) => {
    const database = await openDatabase(readConfig(env).database, { share: true })
    return database.withSession(listObjects).finally(database.close)
  }

  test('whose migration is killed at several moments is complete after the next one', async () => {
    const [whole, killed] = [await createBare(), await createBare()]
    await killMigrations(killed.env, await timeMigration(whole))
    await run(killed.env, 'migrate')
    expect(await objectsOf(killed.env)).toEqual(await objectsOf(whole.env))
    await run(killed.env, 'keys', 'create', '--name', 'first')
    await run(killed.env, 'doctor')
    await Promise.all([whole.drop(), killed.drop()])
  })

  test.runIf(template.kind === 'postgres')('has no table when its migration was killed before the end', async () => {
    const { env, drop } = await createBare()
    const url = env.DATABASE_URL ?? ''
    await withSession(url, async (session) => {
      const count = async (rows: string) => (await session.query(`SELECT FROM ${rows}`)).rowCount
      const others = 'pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
      const waiting = 'pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid'
      for (const table of ['_prisma_migrations', 'datasets', 'tile_counts', 'items_letters_idx']) {
        // The migration waits for this transaction when it comes to a table of the same name.
        await session.query(`BEGIN; CREATE TABLE ${table} ()`)
        await killMigration(env, () => expect.poll(() => count(waiting)).toBe(1))
        await session.query('ROLLBACK')
        // The server completes the statement, then finds that nobody commits.
        await expect.poll(() => count(others)).toBe(0)
        expect([table, await count(`pg_class WHERE relnamespace = 'public'::regnamespace`)]).toEqual([table, 0])
      }
    })
    expect(await run(env, 'migrate')).toContain('_catalog')
    await run(env, 'keys', 'create', '--name', 'first')
    await run(env, 'doctor')
    await drop()
  })
})

describe.runIf(template.kind === 'postgres')('The schema of a database', () => {
  const dumpSchema = async (url: string) => {
    const { stdout, stderr } = await runProcess('pg_dump', ['--schema-only', '--no-owner', url], process.env)
    expect(stderr).toBe('')
    // Newer versions of pg_dump write a random word.
    return stdout.replace(/^\\(un)?restrict .*$/gm, '')
  }

  test.each(RELEASES)('that %s wrote is, once migrated, that of a new database', async (release) => {
    const { env, drop } = await openDump(release)
    await run(env, 'migrate')
    const created = await createEmpty()
    const schema = await dumpSchema(created.env.DATABASE_URL ?? '')
    expect(schema).toContain('CREATE TABLE public.items')
    expect(await dumpSchema(env.DATABASE_URL ?? '')).toBe(schema)
    await created.drop()
    await drop()
  })
})

describe.runIf(template.kind === 'postgres')('While gateways are replaced one after the other', () => {
  const NEXT = `
    ALTER TABLE items ADD COLUMN next text NOT NULL DEFAULT '';
    CREATE TABLE next (id integer PRIMARY KEY); CREATE INDEX items_next_idx ON items (next)`

  test('one of the version before serves on after a migration that only adds, and is not started again', async () => {
    const { env, expected, drop } = await openDump(RELEASES.at(-1) ?? '')
    const before = await startGateway(env)
    await expectAnswers(before.url, expected)
    const migrations = inFolder('migrations')
    await cp(join(CHECKOUT, 'prisma/migrations'), migrations, { recursive: true })
    await mkdir(join(migrations, '20990101000000_next'))
    await writeFile(join(migrations, '20990101000000_next/migration.sql'), NEXT)
    await withSession(env.DATABASE_URL ?? '', async (session) => {
      expect(await migrate(session, migrations)).toEqual(['20990101000000_next'])
      await expectAnswers(before.url, expected)
      // The next version writes, and the gateway of this one shows it.
      await session.query(`UPDATE datasets SET name = 'Next' WHERE slug = 'world-airports'`)
    })
    const request = { key: 'gold', path: '/v1/datasets/world-airports' }
    await expect.poll(async () => (await ask(before.url, expected.keys, request)).body).toContain('"name":"Next"')

    const refusal = 'catalog: The database is newer than this code: it has the migration 20990101000000_next\n'
    for (const command of [['serve'], ['datasets'], ['migrate']]) {
      expect(await runCatalog(env, ...command)).toMatchObject({ code: 1, stdout: '', stderr: refusal })
    }
    expect(await before.stop()).toBe(0)
    await drop()
  })
})
