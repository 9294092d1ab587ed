import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createEmpty } from '../support/database.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { type Gateway, runCatalog, startGateway } from '../support/process.ts'

let env: Record<string, string>
let drop: () => Promise<void>
let gateway: Gateway
let database: Database
let folder: string
let key: string
beforeAll(async () => {
  const empty = await createEmpty()
  ;({ env, drop } = empty)
  gateway = await startGateway({ ...env, SAMPLE_DATA: 'false' })
  database = await openDatabase(empty.config, { share: true })
  folder = await mkdtemp(join(tmpdir(), 'catalog-history-'))
  ;({ key } = JSON.parse((await run('keys', 'create', '--name', 'partner', '--json')).stdout))
})
afterAll(async () => {
  await database.close()
  await gateway.stop()
  await drop()
  await rm(folder, { recursive: true })
})

const run = (...args: string[]) => runCatalog(env, ...args)
const read = async () => {
  const response = await fetch(`${gateway.url}/v1/datasets/places/items?limit=100`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return `${response.status} ${response.headers.get('etag')} ${(await response.text()).replace(/"requestId".*/, '')}`
}

const ROWS = Array.from({ length: 12 }, (_, n) => row({ externalId: `item ${n}`, name: `Item ${n}` }))
async function load(rows: readonly object[], ...options: string[]) {
  await writeFile(join(folder, 'items.ndjson'), ndjson(...rows))
  await writeFile(join(folder, 'places.json'), JSON.stringify({ dataset: DATASET, items: 'items.ndjson' }))
  return run('import', join(folder, 'places.json'), ...options)
}

describe('On a running gateway', () => {
  let original: string
  test('a dry run shows examples, and with --json all changes', async () => {
    expect((await load(ROWS)).stdout).toBe('places: 12 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n')
    original = await read()
    const moved = ROWS.map((each) => ({ ...each, latitude: '-37.5' }))
    const { stdout, stderr } = await load(moved, '--dry-run')
    const lines = stdout.trim().split('\n')
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^updated: item \d+ Item \d+, moves \d+(\.\d)? m$/),
      '  latitude 37.5000000 → -37.5000000',
    ])
    expect(lines.slice(-2)).toEqual([
      'updated: and 2 more',
      'places: 0 created, 12 updated, 0 unchanged, 0 removed, 0 skipped (dry run: nothing was changed)',
    ])
    expect(stderr).toContain('--allow-moves')
    const { changes, ...counts } = JSON.parse((await load(moved, '--dry-run', '--json')).stdout)
    expect(counts).toMatchObject({ updated: 12, dryRun: true })
    expect(changes.items).toHaveLength(12)
  })

  test('a wrong sign is stopped, and undone if it was allowed', async () => {
    const moved = ROWS.map((each) => ({ ...each, latitude: '-37.5' }))
    expect(await load(moved)).toMatchObject({ code: 1, stderr: expect.stringContaining('would move 12 of 12 items') })
    expect((await load(moved, '--allow-moves')).code).toBe(0)
    await expect.poll(read).not.toBe(original)
    expect((await run('undo', 'places')).stdout).toMatch(
      /^places: entry \d+ is undone: 0 created, 12 updated, 0 removed\n$/,
    )
    await expect.poll(read).toBe(original)
  })

  test('history lists and shows the changes', async () => {
    const list = JSON.parse((await run('history', 'places', '--json')).stdout)
    expect(list).toMatchObject([
      { action: 'undo', undoneId: list[1].id, updated: 12, canUndo: true },
      { action: 'import', updated: 12, files: [{ name: 'places.json' }, { name: 'items.ndjson' }] },
      { action: 'import', created: 12, slug: 'places', command: expect.stringMatching(/^catalog import /) },
    ])
    const text = (await run('history')).stdout.split('\n')
    expect(text[0]).toMatch(/^ID +AT +SLUG +ACTION +CREATED +UPDATED +REMOVED +UNDO +COMMAND$/)
    expect(text[1]).toMatch(new RegExp(`^${list[0].id} .* undo of ${list[1].id} .* yes +catalog undo places$`))
    const shown = (await run('history', 'show', String(list[1].id))).stdout
    expect(shown).toContain('--allow-moves')
    expect(shown).toMatch(/file items.ndjson, \d+ bytes, SHA-256 [0-9a-f]{64}\n/)
    expect(shown).toContain('  latitude 37.5000000 → -37.5000000\n')
    expect(shown).toContain('updated: and 2 more\n')
    expect(JSON.parse((await run('history', 'show', String(list[1].id), '--json')).stdout).items).toHaveLength(12)
    expect((await run('history', 'show', '999')).stderr).toContain('There is no entry 999')
  })

  test.each([
    ['its name', DATASET.name],
    ['the first characters of its id', 'ID'],
  ])('history and undo take %s', async (_what, given) => {
    const { id } = await database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'places' } })
    const name = given === 'ID' ? id.slice(0, 4) : given
    await run('datasets', 'update', name, '--attribution', 'Wrong')
    expect((await run('history', name)).stdout).toContain('--attribution Wrong')
    expect((await run('undo', name)).stdout).toMatch(/^places: entry \d+ is undone/)
    await expect.poll(read).toBe(original)
    expect((await run('datasets', 'restore', name)).stderr).toContain('The dataset places exists')
  })

  test('a removed dataset is restored with its grants', async () => {
    await run('keys', 'grant', 'partner', '--dataset', 'places')
    const grants = await database.prisma.grant.findMany()
    expect((await run('datasets', 'restore', 'places')).stderr).toContain('The dataset places exists')
    expect((await run('complete', '--', 'datasets', 'restore', '')).stdout).not.toContain('places')
    await run('datasets', 'remove', 'places', '--yes')
    await expect.poll(read).toContain('404')
    expect((await run('complete', '--', 'datasets', 'restore', '')).stdout).toMatch(/^places\tremoved .*Z$/m)
    expect((await run('datasets', 'restore', 'places')).stdout).toBe('The dataset places is restored, with 12 items\n')
    await expect.poll(read).toBe(original)
    expect(await database.prisma.grant.findMany()).toEqual(grants)
    expect((await run('datasets', 'restore', 'nothing')).stderr).toContain('There is no dataset with the slug nothing')
  })

  test('changes by others are named, and overwritten only with --overwrite', async () => {
    await load(ROWS.map((each, n) => (n === 0 ? { ...each, name: 'Wrong' } : each)))
    await database.prisma.item.updateMany({ where: { name: 'Wrong' }, data: { name: 'By hand' } })
    expect(await run('undo', 'places')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(By hand) was changed'),
    })
    expect(JSON.parse((await run('undo', 'places', '--overwrite', '--json')).stdout)).toMatchObject({
      ...{ slug: 'places', updated: 1, exists: true },
    })
    await expect.poll(read).toBe(original)
  })

  test('each command that fills or empties tables renews their statistics', async () => {
    const outdated = () => database.prisma.$queryRaw`
      SELECT relname::text FROM pg_class
       WHERE oid IN ('items'::regclass, 'item_counts'::regclass, 'tile_counts'::regclass, 'api_keys'::regclass, 'grants'::regclass)
         AND (pg_stat_get_mod_since_analyze(oid) > 50 + reltuples / 10
              OR NOT EXISTS (SELECT FROM pg_stats WHERE schemaname = 'public' AND tablename = relname))`
    const many = Array.from({ length: 200 }, (_, n) => row({ externalId: `more ${n}`, name: `More ${n}` }))
    expect(await load([...ROWS, ...many])).toMatchObject({ code: 0 })
    expect(await outdated()).toEqual([])
    for (const command of ['datasets remove places --yes', 'datasets restore places', 'undo places']) {
      expect(await run(...command.split(' '))).toMatchObject({ code: 0 })
      expect(await outdated(), command).toEqual([])
    }
  })
})
