import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { getJson, useApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { createOwnDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { runCatalog } from '../support/process.ts'
import { LIMITS_ENV } from '../support/template.ts'

/* What imports and the history print, and that a running gateway serves what they change. */

const t = useApp()
const inFolder = useFolder()
const run = (...args: string[]) => runCommand(t.env, ...args)

/** Writes a manifest and its items, and returns its path. */
async function manifest(slug: string, rows: readonly object[]): Promise<string> {
  await writeFile(inFolder(`${slug}.ndjson`), ndjson(...rows))
  const path = inFolder(`${slug}.json`)
  await writeFile(path, JSON.stringify({ dataset: { ...DATASET, slug }, items: `${slug}.ndjson` }))
  return path
}
const [A, B, C] = ['a', 'b', 'c'].map((name) => row({ externalId: name, name })) as [object, object, object]
const BAD = row({ externalId: 'bad', latitude: '91' })

describe('catalog import', () => {
  test('prints a line of counts for each manifest', async () => {
    const [first, second] = [await manifest('first', [A, B]), await manifest('second', [A])]
    expect(await run('import', first, second)).toEqual({
      code: 0,
      stdout:
        'first: 2 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n' +
        'second: 1 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n',
      stderr: '',
    })
    await manifest('first', [{ ...B, latitude: '37.501' }, C])
    const again = await run('import', '--json', '--allow-removals', first, second)
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

  test('prints what it changes of the dataset, before the counts or on stderr', async () => {
    const path = await manifest('withdrawn', [A])
    await run('import', path)
    const withdraw = () => run('datasets', 'update', 'withdrawn', '--visibility', 'restricted')
    await withdraw()
    const line = 'visibility "restricted" → "public"\n'
    const counts = 'withdrawn: 0 created, 0 updated, 1 unchanged, 0 removed, 0 skipped\n'
    expect(await run('import', path)).toEqual({ code: 0, stdout: `dataset: ${line}${counts}`, stderr: '' })
    await withdraw()
    expect((await run('import', '--json', path)).stderr).toBe(`withdrawn: ${line}`)
    expect((await run('import', path)).stdout).toBe(counts)
  })

  test('wants --allow-removals before it removes more than a tenth of the items; --keep-missing keeps them', async () => {
    const path = await manifest('shrinking', [A, B])
    await run('import', path)
    await manifest('shrinking', [A])
    const line = 'catalog: This import would remove 1 of 2 items of the dataset shrinking; nothing was changed'
    expect(await run('import', path)).toEqual({
      ...{ code: 1, stdout: '', stderr: `${line}; to remove 1 of 2 items, add --allow-removals\n` },
    })
    expect((await run('import', '--dry-run', path)).stdout).toBe(
      'removed: b b\n\n  row  name  latitude  longitude  where\n  1    a     37.5      127        South Korea, 5 km from Yongsan-dong\n\nshrinking: 0 created, 0 updated, 1 unchanged, 1 removed, 0 skipped (dry run: nothing was changed)\n',
    )
    expect((await run('import', path, '--keep-missing')).stdout).toContain('1 unchanged, 0 removed')
    expect(await t.database.prisma.item.count({ where: { dataset: { slug: 'shrinking' } } })).toBe(2)
  })

  test('groups bad rows by their reason', async () => {
    const path = await manifest(
      'grouped',
      Array.from({ length: 12 }, (_, n) => ({ ...BAD, externalId: `n${n}` })),
    )
    const reason = 'latitude must be from -90 to 90'
    const group = (label: string) => `grouped.ndjson:1: ${label}${reason}: 91 (12 rows)\n`
    const imported = await run('import', path)
    expect(imported.stderr).toBe(`catalog: 12 bad rows; nothing was changed\n${group('')}`)
    expect((await run('import', path, '--skip-invalid')).stderr).toBe(group('skipped: '))
  })

  test('lists bad rows and warnings by file and line and changes nothing; --skip-invalid loads the others', async () => {
    const path = await manifest('mixed', [{ ...A, latitude: 0, longitude: 0 }, BAD])
    const warning = 'mixed.ndjson:1: warning: latitude and longitude are both 0\n'
    const reason = 'latitude must be from -90 to 90: 91\n'
    expect(await run('import', path)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${warning}catalog: 1 bad row; nothing was changed\nmixed.ndjson:2: ${reason}`,
    })
    expect(await t.database.prisma.dataset.count({ where: { slug: 'mixed' } })).toBe(0)
    expect(await run('import', path, '--skip-invalid')).toEqual({
      code: 0,
      stdout: 'mixed: 1 created, 0 updated, 0 unchanged, 0 removed, 1 skipped\n',
      stderr: `${warning}mixed.ndjson:2: skipped: ${reason}`,
    })
  })

  test('names a manifest or a data file that does not exist, and does not blame the database', async () => {
    const path = await manifest('fileless', [A])
    await rm(inFolder('fileless.ndjson'))
    await mkdir(inFolder('a bundle'))
    await writeFile(inFolder('a bundle', 'manifest.json'), '{}')
    for (const [given, line] of [
      [
        inFolder('a bundle'),
        /^catalog: .* is a bundle of one dataset: npx catalog import '.*a bundle\/manifest.json'\n$/,
      ],
      [inFolder('nowhere.json'), /^catalog: .*nowhere\.json: .*\n$/],
      [path, /^catalog: fileless\.ndjson: does not exist\n$/],
    ] as const) {
      expect(await run('import', given)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
    }
  })
})

describe('Beside a running gateway', () => {
  const ROWS = Array.from({ length: 12 }, (_, n) => row({ externalId: `item ${n}`, name: `Item ${n}` }))
  const MOVED = ROWS.map((each) => ({ ...each, latitude: '-37.5' }))
  const load = async (rows: readonly object[], ...options: string[]) =>
    run('import', await manifest('places', rows), ...options)
  const answer = async (path: string) => {
    const response = await t.get(path)
    return `${response.status} ${response.headers.get('etag')} ${(await response.text()).replace(/"requestId".*/, '')}`
  }
  const read = async () => (await answer('/v1/datasets/places')) + (await answer('/v1/datasets/places/items?limit=100'))

  let original: string
  test('a dry run shows examples, and with --json all changes', async () => {
    expect((await load(ROWS)).stdout).toBe('places: 12 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n')
    await expect.poll(read).toContain('200')
    original = await read()
    const { stdout, stderr } = await load(MOVED, '--dry-run')
    const lines = stdout.trim().split('\n')
    const listed = lines.filter((line) => line.startsWith('updated: item'))
    expect(listed).toEqual([...listed].sort())
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^updated: item \d+ Item \d+, moves \d+(\.\d)? m$/),
      '  latitude 37.5000000 → -37.5000000',
    ])
    expect(lines.slice(-8)).toEqual([
      'updated: and 2 more',
      '',
      expect.stringMatching(/^ {2}row .* where$/),
      expect.stringMatching(/^ {2}1 +Item 0 +-37\.5 +127 /),
      expect.stringMatching(/^ {2}6 +Item 5 +-37\.5 /),
      expect.stringMatching(/^ {2}12 +Item 11 +-37\.5 /),
      '',
      'places: 0 created, 12 updated, 0 unchanged, 0 removed, 0 skipped (dry run: nothing was changed)',
    ])
    expect(stderr).toContain('--allow-moves')
    const { changes, places, ...counts } = JSON.parse((await load(MOVED, '--dry-run', '--json')).stdout)
    expect(counts).toMatchObject({ updated: 12, dryRun: true })
    expect(changes.items).toHaveLength(12)
    expect(places).toMatchObject([{ row: 1 }, { row: 6 }, { row: 12, name: 'Item 11', latitude: '-37.5' }])
  })

  test('a wrong sign is stopped, and undone if it was allowed', async () => {
    expect(await load(MOVED)).toMatchObject({ code: 1, stderr: expect.stringContaining('would move all 12 items') })
    expect((await load(MOVED, '--allow-moves')).code).toBe(0)
    await expect.poll(read).not.toBe(original)
    const stderr = expect.stringContaining('This undo would move all 12 items')
    expect(await run('undo', 'places')).toMatchObject({ code: 1, stderr })
    expect((await run('undo', 'places', '--allow-moves')).stdout).toMatch(
      /^places: entry \d+ is undone: 0 created, 12 updated, 0 removed\n$/,
    )
    await expect.poll(read).toBe(original)
  })

  test('history lists and shows the changes', async () => {
    const list = JSON.parse((await run('history', 'places', '--json')).stdout)
    expect(list).toMatchObject([
      { action: 'undo', undoneId: list[1].id, updated: 12, canUndo: true },
      { action: 'import', updated: 12, files: [{ name: 'places.json' }, { name: 'places.ndjson' }] },
      { action: 'import', created: 12, slug: 'places', command: expect.stringMatching(/^catalog import /) },
    ])
    const text = (await run('history')).stdout.split('\n')
    expect(text[0]).toMatch(/^ID +AT +SLUG +ACTION +CREATED +UPDATED +REMOVED +UNDO +COMMAND$/)
    expect(text[1]).toMatch(
      new RegExp(`^${list[0].id} .* undo of ${list[1].id} .* yes +catalog undo places --allow-moves$`),
    )
    const shown = (await run('history', 'show', String(list[1].id))).stdout
    expect(shown).toContain('--allow-moves')
    expect(shown).toMatch(/file places.ndjson, \d+ bytes, SHA-256 [0-9a-f]{64}\n/)
    expect(shown).toContain('  latitude 37.5000000 → -37.5000000\n')
    expect(shown).toContain('updated: and 2 more\n')
    expect(JSON.parse((await run('history', 'show', String(list[1].id), '--json')).stdout).items).toHaveLength(12)
    expect((await run('history', 'show', '999')).stderr).toContain('There is no entry 999')
  })

  test('history and undo take the name of a dataset, and the first characters of its id', async () => {
    const { id } = await t.database.prisma.dataset.update({ where: { slug: 'places' }, data: { name: 'By name' } })
    await expect.poll(read).not.toBe(original)
    const renamed = await read()
    for (const name of ['By name', id.slice(0, 4)]) {
      await run('datasets', 'update', name, '--attribution', 'Wrong')
      expect((await run('history', name)).stdout).toContain('--attribution Wrong')
      expect((await run('undo', name)).stdout).toMatch(/^places: entry \d+ is undone/m)
      await expect.poll(read).toBe(renamed)
      expect((await run('datasets', 'restore', name)).stderr).toContain('The dataset places exists')
    }
  })

  test('a removed dataset is restored with its grants', async () => {
    await run('keys', 'create', '--name', 'partner', '--dataset', 'places')
    const restore = ['complete', '--', 'datasets', 'restore', '']
    const [grants, before] = [await t.database.prisma.grant.findMany(), await read()]
    expect((await runCatalog(t.env, ...restore)).stdout).not.toContain('places')
    await run('datasets', 'remove', 'places', '--yes')
    await expect.poll(read).toContain('404')
    expect((await runCatalog(t.env, ...restore)).stdout).toMatch(/^places\tremoved .*Z$/m)
    expect((await run('datasets', 'restore', 'places')).stdout).toBe(
      'The dataset places is restored, with 12 items and 1 grant\n',
    )
    await expect.poll(read).toBe(before)
    expect(await t.database.prisma.grant.findMany()).toEqual(grants)
    expect((await run('datasets', 'restore', 'nothing')).stderr).toContain('There is no dataset with the slug nothing')
  })

  test('changes by others are named, and overwritten only with --overwrite', async () => {
    await load(ROWS.map((each, n) => (n === 0 ? { ...each, name: 'Wrong' } : each)))
    await t.database.prisma.item.updateMany({ where: { name: 'Wrong' }, data: { name: 'By hand' } })
    const stderr = expect.stringContaining('(By hand) was changed')
    expect(await run('undo', 'places')).toMatchObject({ code: 1, stderr })
    expect(JSON.parse((await run('undo', 'places', '--overwrite', '--json')).stdout)).toMatchObject({
      ...{ slug: 'places', updated: 1, exists: true },
    })
    expect(await getJson(t, '/v1/datasets/places/items')).toMatchObject({ meta: { total: 12 } })
  })

  test('an undo of the first import asks where an import would, and says how the dataset comes back', async () => {
    await run('import', await manifest('brief', [A]))
    const stopped =
      'catalog: This undo would remove the only item of the dataset brief; nothing was changed; to remove the only item, add --allow-removals\n'
    expect(await run('undo', 'brief')).toMatchObject({ code: 1, stdout: '', stderr: stopped })
    expect((await run('datasets', 'show', 'brief')).code).toBe(0)
    const { stdout } = await run('undo', 'brief', '--allow-removals')
    const [, restore = ''] = /\nTo bring it back: npx catalog (datasets restore brief)\n$/.exec(stdout) ?? []
    expect(await run(...restore.split(' '))).toMatchObject({
      stdout: 'The dataset brief is restored, with 1 item and 0 grants\n',
    })
    const more = Array.from({ length: 20 }, (_, n) => ({ ...A, externalId: `more ${n}` }))
    await run('import', await manifest('brief', [A, ...more]))
    expect((await run('undo', 'brief')).stderr).toContain('would remove 20 of 21 items of the dataset brief;')
    await run('import', await manifest('brief', more), '--allow-removals')
    expect((await run('undo', 'brief')).code).toBe(0)
  })

  test('an undo of an undo says what is back, and what it changes of the dataset', async () => {
    await run('import', await manifest('hidden', [A]))
    await run('datasets', 'update', 'hidden', '--visibility', 'restricted')
    const undone = (await run('undo', 'hidden')).stdout
    const [, entry] = /^dataset: visibility "restricted" → "public"\nhidden: entry (\d+) is undone/.exec(undone) ?? []
    const lines = (await run('undo', 'hidden')).stdout.split('\n')
    expect(lines[0]).toBe('dataset: visibility "public" → "restricted"')
    expect(lines[1]).toMatch(`, the undo of entry ${entry}, is undone: 0 created`)
    expect(lines[2]).toBe(`So the change of entry ${entry} is back. An undo goes back by one change only`)
  })

  test('each command that fills or empties tables renews their statistics', async () => {
    const outdated = () => t.database.prisma.$queryRaw`
      SELECT relname::text FROM pg_class
       WHERE oid IN ('items'::regclass, 'item_counts'::regclass, 'tile_counts'::regclass, 'api_keys'::regclass, 'grants'::regclass)
         AND (pg_stat_get_mod_since_analyze(oid) > 50 + reltuples / 10
              OR NOT EXISTS (SELECT FROM pg_stats WHERE schemaname = 'public' AND tablename = relname))`
    const many = Array.from({ length: 200 }, (_, n) => row({ externalId: `more ${n}`, name: `More ${n}` }))
    expect(await load([...ROWS, ...many])).toMatchObject({ code: 0 })
    expect(await outdated()).toEqual([])
    for (const command of ['datasets remove places --yes', 'datasets restore places', 'undo places --allow-removals']) {
      expect(await run(...command.split(' '))).toMatchObject({ code: 0 })
      expect(await outdated(), command).toEqual([])
    }
  })
})

test('a command other than serve and migrate names the missing migration, and does not apply it', async () => {
  const db = await createOwnDatabase()
  onTestFinished(() => db.close())
  const last = async () =>
    db.database.withSession(async (session) => {
      const { rows } = await session.query('SELECT max(migration_name) AS name FROM _prisma_migrations')
      return rows[0].name
    })
  const missing = await last()
  await db.database.withSession((session) =>
    session.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [missing]),
  )
  const before = await last()
  const stderr = `catalog: The database lacks the migration ${missing}; apply with: npx catalog migrate\n`
  for (const command of [['keys', 'list'], ['datasets'], ['import', 'x.json']]) {
    expect(await runCommand(db.env, ...command)).toEqual({ code: 1, stdout: '', stderr })
  }
  expect(await last()).toBe(before)
})

const template = inject('template')
test.skipIf(template.kind === 'embedded')('keys list creates no table in a database on a server', async () => {
  const name = `catalog_test_${randomUUID().slice(0, 8)}`
  const url = template.kind === 'embedded' ? '' : template.url
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const own = Object.assign(new URL(url), { pathname: name }).href
  const { code, stderr } = await runCommand({ DATABASE_URL: own, ...LIMITS_ENV }, 'keys', 'list')
  const client = new pg.Client(own)
  await client.connect()
  const { rows } = await client.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
  await client.end()
  // The session of the command may not have ended yet, and without FORCE PostgreSQL waits five seconds at most.
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await admin.end()
  expect([code, rows]).toEqual([1, []])
  expect(stderr).toMatch(
    /^catalog: The database lacks (the migration \w+|\d+ migrations); apply with: npx catalog migrate\n$/,
  )
})
