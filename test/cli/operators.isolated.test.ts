import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { checkHealth } from '../../src/database/health-checks.ts'
import { seedCatalog } from '../support/catalog.ts'
import { createDatabase, createEmpty, createOwnDatabase, useDatabase } from '../support/database.ts'
import { environment, runCatalog, runProcess, startGateway } from '../support/process.ts'

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
  await createKey(db.database.prisma, { name: 'gold', accessTiers: ['gold'], datasets: ['draft'] })
  await createKey(db.database.prisma, { name: 'plain' })
  await createKey(db.database.prisma, { name: 'expired', expiresAt: new Date(Date.now() - 1) })
})

describe('catalog datasets', () => {
  test('shows for each dataset its number of items, and how many valid keys may access it', async () => {
    const { code, stdout, stderr } = await runCatalog(db.env, 'datasets', '--json')
    expect([code, stderr]).toEqual([0, ''])
    const datasets: Record<string, unknown>[] = JSON.parse(stdout)
    const bySlug = Object.fromEntries(datasets.map(({ slug, keys, visibility }) => [slug, [visibility, keys]]))
    expect(bySlug).toEqual({
      archived: ['public', 2],
      draft: ['public', 1],
      inactive: ['public', 0],
      paid: ['paid', 1],
      restricted: ['restricted', 0],
      seoul: ['public', 2],
    })
    expect(datasets.find(({ slug }) => slug === 'seoul')).toMatchObject({
      items: await db.database.prisma.item.count({ where: { dataset: { slug: 'seoul' } } }),
      status: 'active',
    })
  })

  test('prints a table with aligned columns, and no colour outside a terminal', async () => {
    const [header = '', ...rows] = (await runCatalog(db.env, 'datasets')).stdout.trimEnd().split('\n')
    expect(header).toMatch(/^SLUG +NAME +STATUS +VISIBILITY +TIER +ITEMS +KEYS +UPDATED$/)
    const paid = rows.find((row) => row.startsWith('paid ')) ?? ''
    expect(paid.slice(header.indexOf('TIER'), header.indexOf('ITEMS')).trim()).toBe('gold')
  })
})

describe('catalog doctor', () => {
  const examine = async (env: Record<string, string>) => {
    const { code, stdout } = await runCatalog(env, 'doctor', '--json')
    const findings: { check: string; isOk: boolean; found: string; advice?: string; sql?: string }[] =
      JSON.parse(stdout)
    return { code, findings, ill: findings.filter(({ isOk }) => !isOk) }
  }

  test('finds no problem in a sound database', async () => {
    const { code, findings, ill } = await examine(db.env)
    expect([code, ill]).toEqual([0, []])
    expect(findings.map(({ check }) => check)).toEqual([
      ...[
        'configuration',
        'database',
        ...('DATA_DIR' in db.env ? ['files'] : []),
        'server',
        'migrations',
        'objects',
        'totals',
        'history',
        'notifications',
        'keys',
      ],
    ])
    const { stdout } = await runCatalog(db.env, 'doctor')
    expect(stdout).toMatch(/^ok {4}configuration {2}/)
    expect(stdout).not.toContain('\x1b')
  })

  test('says that an embedded database does not exist yet, and does not create it', async () => {
    const dataDir = join(tmpdir(), `catalog-doctor-${process.pid}`)
    const { code, ill } = await examine({ DATA_DIR: dataDir })
    expect([code, ill]).toEqual([
      1,
      [{ check: 'database', isOk: false, found: 'does not exist yet', advice: expect.any(String) }],
    ])
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each([
    ['a list', `UPDATE item_counts SET n = n + 1 WHERE list = 'all category ''gate'''`, 'item_counts'],
    ['a list that is missing', `DELETE FROM item_counts WHERE list LIKE 'children of %'`, 'item_counts'],
    ['a list that should not exist', `INSERT INTO item_counts SELECT id, 'none', 1 FROM datasets`, 'item_counts'],
    ['a tile', 'UPDATE tile_counts SET n = n + 1 WHERE level = 9', 'tile_counts'],
    ['a tile that is missing', 'DELETE FROM tile_counts WHERE level = 9', 'tile_counts'],
  ])('finds a wrong count of %s, and recount_items() repairs it', async (_what, sql, table) => {
    const own = await createDatabase()
    await seedCatalog(own.database.prisma)
    const totals = () =>
      own.database.withSession(checkHealth).then((all) => all.find(({ check }) => check === 'totals'))
    expect(await totals()).toMatchObject({ isOk: true })
    await own.database.withSession((session) => session.query(sql))
    expect(await totals()).toEqual({
      check: 'totals',
      isOk: false,
      found: expect.stringContaining(`(${table})`),
      advice: expect.any(String),
      sql: 'SELECT recount_items();',
    })
    await own.database.withSession((session) => session.query('SELECT recount_items()'))
    expect(await totals()).toMatchObject({ isOk: true })
    await own.close()
  })

  test('names each problem and its remedy, and exits non-zero', async () => {
    const own = await createOwnDatabase()
    await seedCatalog(own.database.prisma)
    await own.database.withSession(async (session) => {
      await session.query('DROP INDEX items_dataset_id_tile_cell_idx')
      await session.query(`UPDATE item_counts SET n = n + 1 WHERE list = 'all'`)
      await session.query('ALTER TABLE grants DISABLE TRIGGER USER')
    })
    const { code, ill } = await examine(own.env)
    expect(code).toBe(1)
    expect(ill.map(({ check, found }) => [check, found])).toEqual([
      ['objects', 'index items_dataset_id_tile_cell_idx of items is missing'],
      ['objects', 'trigger grants_notify of grants is not as the migrations make it'],
      ['objects', 'trigger grants_truncate of grants is not as the migrations make it'],
      ['totals', expect.stringMatching(/^wrong counts: /)],
      ['keys', 'no valid key'],
    ])
    for (const { advice } of ill) expect(advice).toBeTruthy()
    expect((await runCatalog(own.env, 'doctor')).stdout).toContain(
      '→ run this:\nCREATE INDEX items_dataset_id_tile_cell_idx ON public.items USING btree (dataset_id, tile_cell,',
    )
    await own.database.withSession(async (session) => {
      for (const { sql } of ill) if (sql !== undefined) await session.query(sql)
    })
    expect((await examine(own.env)).ill.map(({ check }) => check)).toEqual(['keys'])

    await own.database.withSession((session) =>
      session.query(
        'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
      ),
    )
    expect((await examine(own.env)).ill).toEqual([
      {
        check: 'migrations',
        isOk: false,
        found: expect.stringMatching(/^\d+_\w+ missing$/),
        advice: 'run npx catalog migrate',
      },
    ])
    await own.close()
  })

  test.each([
    [{ DATABASE_URL: 'postgresql://127.0.0.1:1/x' }, 'database', /ECONNREFUSED/],
    [{ PORT: 'x' }, 'configuration', /^PORT must be/],
  ])('reports %o', async (env, check, found) => {
    const { code, ill } = await examine(env)
    expect(code).toBe(1)
    expect(ill).toEqual([{ check, isOk: false, found: expect.stringMatching(found), advice: expect.any(String) }])
  })

  test('reports that REDIS_URL does not answer', async () => {
    const { ill } = await examine({ ...db.env, REDIS_URL: 'redis://127.0.0.1:1' })
    expect(ill.map(({ check }) => check)).toEqual(['redis'])
  })
})

test('catalog keys list shows the last use of a key once a gateway has written it', async () => {
  const { env, drop } = await createEmpty()
  const gateway = await startGateway({ ...env, SAMPLE_DATA: 'false' })
  const keys = async () => JSON.parse((await runCatalog(env, 'keys', 'list', '--json')).stdout)
  const create = async (name: string) =>
    JSON.parse((await runCatalog(env, 'keys', 'create', '--json', '--name', name)).stdout)
  const [used] = [await create('used'), await create('unused')]
  const before = new Date().toISOString()
  await fetch(`${gateway.url}/v1/datasets`, { headers: { authorization: `Bearer ${used.key}` } })
  await gateway.stop()
  const [first, second] = await keys()
  expect(first.lastUsedAt >= before).toBe(true)
  expect(second.lastUsedAt).toBeNull()
  await drop()
})

/** A terminal for a program that has none (util-linux). */
const SCRIPT = '/usr/bin/script'

test.skipIf(!existsSync(SCRIPT))('a terminal gets colour, and the progress of an import', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-terminal-'))
  const row = (n: number) => `${n},Place ${n},37.5,127,x,y`
  const rows = [
    'externalId,name,latitude,longitude,categoryCode,administrativeAreaCode',
    ...Array.from({ length: 5000 }, (_, n) => row(n)),
  ]
  await writeFile(join(folder, 'places.csv'), rows.join('\n'))
  const dataset = { slug: 'terminal', name: 'Terminal', status: 'active', visibility: 'public', attribution: 'Us' }
  await writeFile(join(folder, 'places.json'), JSON.stringify({ dataset, items: 'places.csv' }))
  const onTerminal = (command: string) =>
    runProcess(
      SCRIPT,
      ['-qec', `node --disable-warning=ExperimentalWarning src/cli.ts ${command}`, '/dev/null'],
      environment({ ...db.env, TERM: 'xterm' }),
    )
  const imported = await onTerminal(`import ${join(folder, 'places.json')}`)
  const eraseLine = '\r\x1b[2K'
  const [, progress = ''] = imported.stdout.split(eraseLine)
  expect(progress).toMatch(/^\d+ %, \d+ rows, \d+ rows\/s, \d+ s left, /)
  expect(imported.stdout).toMatch(/terminal: 5000 created, 0 updated/)
  expect(imported.stdout).toContain('merging the rows into the dataset')
  expect(imported.stdout).toMatch(/2 keys may read it; to let another: npx catalog keys create .* --dataset terminal/)
  expect((await onTerminal('doctor')).stdout).toContain('\x1b[32mok  \x1b[39m')
  await rm(folder, { recursive: true })
})

describe('catalog completion', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await runCatalog({}, 'completion', shell)
    expect(code).toBe(0)
    expect(stdout).toContain('catalog')
  })

  test.each([
    [['keys', 'gr'], ['grant']],
    [['keys', 'create', '--d'], ['--dataset']],
    [['d'], ['datasets', 'doctor']],
  ])('completes %o', async (words, completions) => {
    const { stdout } = await runCatalog({}, 'complete', '--', ...words)
    const offered = stdout.split('\n').filter((line) => line.includes('\t'))
    expect(offered.map((line) => line.split('\t')[0])).toEqual(completions)
  })

  test.each([
    [['keys', 'show', 'pl'], ['plain']],
    [['datasets', 'show', 'se'], ['seoul']],
    [['keys', 'grant', 'plain', '--dataset', 're'], ['restricted']],
    [['access', 'explain', 'plain', 'dr'], ['draft']],
  ])('offers the keys and datasets of the database for %o', async (words, completions) => {
    const { stdout } = await runCatalog(db.env, 'complete', '--', ...words)
    const offered = stdout.split('\n').filter((line) => line.includes('\t'))
    expect(offered.map((line) => line.split('\t')[0])).toEqual(completions)
  })

  test('offers no names, and no error, without the database', async () => {
    const { code, stdout, stderr } = await runCatalog(
      { DATABASE_URL: 'postgresql://127.0.0.1:1/x' },
      'complete',
      '--',
      'keys',
      'show',
      'a',
    )
    expect([code, stdout.includes('\t'), stderr]).toEqual([0, false, ''])
  })
})
