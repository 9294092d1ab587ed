import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { createEmpty } from '../support/database.ts'
import {
  CHECKOUT,
  environment,
  type Gateway,
  runCatalog,
  runProcess,
  startGateway,
  startProcess,
} from '../support/process.ts'
import { type Answers, answersFile, ask } from './answers.ts'

/*
 * Each folder here is from a release: a data folder of the embedded database, a dump of PostgreSQL, and the answers that the release gave
 * to clients and operators (write.ts). The code of now opens both.
 */

const RELEASES = globSync('*/data.tar.br', { cwd: import.meta.dirname }).map((path) => dirname(path))

const template = inject('template')
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-upgrade-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Env = Record<string, string>

/** A database as a release left it. */
interface Released {
  env: Env
  expected: Answers
  drop: () => Promise<void>
}

const SETTINGS = { SAMPLE_DATA: 'false', UNDO_DAYS: '36500' }

async function readReleased(release: string, file: string): Promise<Buffer> {
  return brotliDecompressSync(await readFile(join(import.meta.dirname, release, file)))
}

async function readAnswers(release: string, kind: string): Promise<Answers> {
  return answersFile.parse(JSON.parse((await readReleased(release, `${kind}.json.br`)).toString()))
}

async function openFolder(release: string): Promise<Released> {
  const DATA_DIR = await mkdtemp(join(folder, 'data-'))
  await writeFile(`${DATA_DIR}.tar`, await readReleased(release, 'data.tar.br'))
  await runProcess('tar', ['-C', DATA_DIR, '-xf', `${DATA_DIR}.tar`], process.env)
  const drop = () => rm(DATA_DIR, { recursive: true })
  return { env: { DATA_DIR, ...SETTINGS }, expected: await readAnswers(release, 'embedded'), drop }
}

async function withSession<Result>(url: string, use: (session: pg.Client) => Promise<Result>): Promise<Result> {
  const session = new pg.Client(url)
  await session.connect()
  return use(session).finally(() => session.end())
}

async function openDump(release: string): Promise<Released> {
  if (template.kind === 'embedded') throw new Error('TEST_DATABASE_URL is missing')
  const { url } = template
  const name = `catalog_upgrade_${randomUUID().slice(0, 8)}`
  const DATABASE_URL = Object.assign(new URL(url), { pathname: name }).href
  await withSession(url, (admin) => admin.query(`CREATE DATABASE ${name}`))
  // Lines with a backslash are for psql.
  const dump = (await readReleased(release, 'dump.sql.br')).toString().replace(/^\\.*$/gm, '')
  await withSession(DATABASE_URL, (session) => session.query(dump))
  const drop = async () => {
    await withSession(url, (admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`))
  }
  return { env: { DATABASE_URL, ...SETTINGS }, expected: await readAnswers(release, 'postgres'), drop }
}

/** Expects that a gateway gives the answers of the release: status, bytes, and entity tag but for these paths. */
async function expectAnswers({ url }: Gateway, { keys, answers }: Answers, newTags = ''): Promise<void> {
  for (const answer of answers) {
    const { etag, ...others } = await ask(url, keys, answer)
    const hasNewTag = newTags !== '' && answer.path.startsWith(newTags)
    expect({ ...others, etag: hasNewTag ? answer.etag : etag }).toEqual(answer)
  }
}

async function run(env: Env, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCatalog(env, ...args)
  expect([args, code, stderr]).toEqual([args, 0, ''])
  return stdout
}

/** Starts the migration and kills it, at several moments of it. */
async function killMigrations(env: Env): Promise<void> {
  for (const milliseconds of [300, 600, 900, 1_200, 1_800, 2_700]) {
    const args = [join(CHECKOUT, 'src/cli.ts'), 'migrate']
    const child = startProcess(process.execPath, args, { env: environment(env), stdio: 'ignore' })
    const ended = once(child, 'exit')
    await Promise.race([ended, sleep(milliseconds)])
    child.kill('SIGKILL')
    await ended
  }
}

const KINDS = [
  ['data folder', openFolder],
  ...(template.kind === 'postgres' ? ([['dump', openDump]] as const) : []),
] as const

describe.each(RELEASES)('What the release %s wrote', (release) => {
  test.each(KINDS)('as a %s gives the same answers, and its history can be undone', async (_kind, open) => {
    const { env, expected, drop } = await open(release)
    await killMigrations(env)
    await run(env, 'migrate')
    for (const [command, output] of Object.entries(expected.commands)) {
      const lines = (await run(env, ...command.split(' '))).trim().split('\n')
      // A release may add members.
      expect([command, lines.map((line) => JSON.parse(line))]).toMatchObject([command, output])
    }
    const gateway = await startGateway(env)
    await expectAnswers(gateway, expected)

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
    const moved = join(folder, `moved-${release}`)
    await run(env, 'migrate')
    await run(env, 'export', '--all', moved, '--with-keys')
    const target = await createEmpty()
    await run(target.env, 'import', moved)
    const gateway = await startGateway({ ...target.env, ...SETTINGS })
    // The tag of an export is made of the revision of its dataset, which an import sets.
    await expectAnswers(gateway, expected, '/exports')
    expect(await gateway.stop()).toBe(0)
    await target.drop()
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
    await expectAnswers(before, expected)
    const migrations = join(folder, 'migrations')
    await cp(join(CHECKOUT, 'prisma/migrations'), migrations, { recursive: true })
    await mkdir(join(migrations, '20990101000000_next'))
    await writeFile(join(migrations, '20990101000000_next/migration.sql'), NEXT)
    await withSession(env.DATABASE_URL ?? '', async (session) => {
      expect(await migrate(session, migrations)).toEqual(['20990101000000_next'])
      await expectAnswers(before, expected)
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
