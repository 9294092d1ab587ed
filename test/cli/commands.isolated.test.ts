import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createEmpty, createOwnDatabase, useDatabase } from '../support/database.ts'
import { runCatalog, runCatalogWith } from '../support/process.ts'
import { LIMITS_ENV } from '../support/template.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-cli-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Writes a manifest over items and gives its path; an item is a name and a latitude. */
async function manifest(slug: string, items: Record<string, string>): Promise<string> {
  const rows = Object.entries(items).map(([name, latitude]) =>
    JSON.stringify({
      externalId: name,
      name,
      administrativeAreaCode: '11',
      categoryCode: 'x',
      latitude,
      longitude: '127',
    }),
  )
  await writeFile(join(folder, `${slug}.ndjson`), `${rows.join('\n')}\n`)
  const dataset = { slug, name: slug, status: 'active', visibility: 'public', attribution: 'Us' }
  const path = join(folder, `${slug}.json`)
  await writeFile(path, JSON.stringify({ dataset, items: `${slug}.ndjson` }))
  return path
}

describe('On a database that another process has open', () => {
  const db = useDatabase()

  test('catalog import prints a line of counts for each manifest', async () => {
    const [first, second] = [await manifest('first', { a: '37.5', b: '37.6' }), await manifest('second', { a: '37.5' })]
    const { code, stdout, stderr } = await runCatalog(db.env, 'import', first, second)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      'first: 2 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n' +
        'second: 1 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n',
    )
    await manifest('first', { b: '37.601', c: '37.5' })
    const again = await runCatalog(db.env, 'import', '--json', '--allow-removals', first, second)
    const [counts = '', unchanged = ''] = again.stdout.trimEnd().split('\n')
    expect(Object.entries(JSON.parse(counts))).toEqual([
      ['datasetId', expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ['slug', 'first'],
      ['created', 1],
      ['updated', 1],
      ['unchanged', 0],
      ['removed', 1],
      ['skipped', 0],
    ])
    expect(JSON.parse(unchanged)).toMatchObject({ slug: 'second', unchanged: 1 })
  })

  test('catalog import --keep-missing keeps what the files no longer have', async () => {
    const path = await manifest('kept', { a: '37.5', b: '37.5' })
    await runCatalog(db.env, 'import', path)
    await manifest('kept', { a: '37.5' })
    const { stdout } = await runCatalog(db.env, 'import', path, '--keep-missing')
    expect(stdout).toContain('1 unchanged, 0 removed')
    expect(await db.database.prisma.item.count({ where: { dataset: { slug: 'kept' } } })).toBe(2)
  })

  test('catalog import wants --allow-removals before it removes more than a tenth of the items', async () => {
    const path = await manifest('shrinking', { a: '37.5', b: '37.5' })
    await runCatalog(db.env, 'import', path)
    await manifest('shrinking', { a: '37.5' })
    expect(await runCatalog(db.env, 'import', path)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'catalog: This import would remove 1 of 2 items of the dataset shrinking; nothing was changed; to do so, add --allow-removals\n',
    })
    expect((await runCatalog(db.env, 'import', '--dry-run', path)).stdout).toBe(
      'removed: b b\nshrinking: 0 created, 0 updated, 1 unchanged, 1 removed, 0 skipped (dry run: nothing was changed)\n',
    )
    expect(await db.database.prisma.item.count({ where: { dataset: { slug: 'shrinking' } } })).toBe(2)
  })

  test('catalog import groups bad rows by their reason', async () => {
    const path = await manifest('grouped', Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`n${n}`, '91'])))
    const reason = 'latitude must be from -90 to 90'
    const group = (label: string) => {
      const rows = [1, 2, 3, 4, 5].map((line) => `grouped.ndjson:${line}: ${label}${reason}; the file has 91\n`)
      return `${label}${reason}: 12 rows, the first are\n${rows.join('')}`
    }
    const imported = await runCatalog(db.env, 'import', path)
    expect(imported.stderr).toBe(`catalog: 12 bad rows; nothing was changed\n${group('')}`)
    expect((await runCatalog(db.env, 'import', path, '--skip-invalid')).stderr).toBe(group('skipped: '))
  })

  test('catalog import lists bad rows by file and line and changes nothing; --skip-invalid loads the others', async () => {
    const path = await manifest('mixed', { good: '37.5', bad: '91' })
    const { code, stdout, stderr } = await runCatalog(db.env, 'import', path)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^catalog: 1 bad row; nothing was changed\nmixed\.ndjson:2: latitude .*\n$/)
    expect(await db.database.prisma.dataset.count({ where: { slug: 'mixed' } })).toBe(0)

    const skipping = await runCatalog(db.env, 'import', path, '--skip-invalid')
    expect(skipping.code).toBe(0)
    expect(skipping.stdout).toBe('mixed: 1 created, 0 updated, 0 unchanged, 0 removed, 1 skipped\n')
    expect(skipping.stderr).toMatch(/^mixed\.ndjson:2: skipped: latitude .*\n$/)
  })

  test('catalog import fails in one line if a manifest does not exist', async () => {
    const result = await runCatalog(db.env, 'import', join(folder, 'nowhere.json'))
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(/^catalog: .*nowhere\.json: .*\n$/)
  })

  test('catalog import names a data file that does not exist, and does not blame the database', async () => {
    const path = await manifest('fileless', { a: '37.5' })
    await rm(join(folder, 'fileless.ndjson'))
    const { code, stdout, stderr } = await runCatalog(db.env, 'import', path)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^catalog: fileless\.ndjson: can't be read: ENOENT[^\n]*\n$/)
  })

  test('a command whose output is not read does its work', async () => {
    const manifests = [await manifest('unread1', { a: '37.5' }), await manifest('unread2', { a: '37.5' })]
    const result = await runCatalogWith({ readsOutput: false }, db.env, 'import', ...manifests)
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await db.database.prisma.dataset.count({ where: { slug: { startsWith: 'unread' } } })).toBe(2)
  })
})

test('on a database that no process has open, each command finds what the one before stored', async () => {
  const { env, drop } = await createEmpty()
  onTestFinished(drop)
  const imported = await runCatalog(env, 'import', await manifest('alone', { a: '37.5' }))
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  const created = await runCatalog(env, 'keys', 'create', '--name', 'alone', '--dataset', 'alone', '--json')
  expect(created).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = await runCatalog(env, 'keys', 'list')
  expect(stdout).toContain(JSON.parse(created.stdout).id)
})

test('a command other than serve and migrate names the missing migration, and does not apply it', async () => {
  const db = await createOwnDatabase()
  onTestFinished(() => db.close())
  const missing = async () =>
    db.database.withSession(async (session) => {
      const { rows } = await session.query('SELECT max(migration_name) AS name FROM _prisma_migrations')
      return rows[0].name
    })
  const last = await missing()
  await db.database.withSession((session) =>
    session.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [last]),
  )
  const before = await missing()
  const stderr = `catalog: The database lacks the migration ${last}; apply with: npx catalog migrate\n`
  for (const command of [['keys', 'list'], ['datasets'], ['import', 'x.json']]) {
    expect(await runCatalog(db.env, ...command)).toEqual({ code: 1, stdout: '', stderr })
  }
  expect(await missing()).toBe(before)
})

const template = inject('template')
test.skipIf(template.kind === 'embedded')('keys list creates no table in a database on a server', async () => {
  const name = `catalog_test_${randomUUID().slice(0, 8)}`
  const url = template.kind === 'embedded' ? '' : template.url
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const own = Object.assign(new URL(url), { pathname: name }).href
  const { code, stderr } = await runCatalog({ DATABASE_URL: own, ...LIMITS_ENV }, 'keys', 'list')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^catalog: The database lacks \d+ migrations; apply with: npx catalog migrate\n$/),
  })
  const client = new pg.Client(own)
  await client.connect()
  const { rows } = await client.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
  await client.end()
  // The session of the command may not have ended yet, and without FORCE PostgreSQL waits five seconds at most.
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await admin.end()
  expect(rows).toEqual([])
})
