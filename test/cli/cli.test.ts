import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmpty } from '../support/database.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { catalog, type Gateway, startGateway } from '../support/process.ts'

let env: Record<string, string>
let drop: () => Promise<void>
let gateway: Gateway
let folder: string

// The gateway runs all the while: every command works beside it, on the embedded database too.
beforeAll(async () => {
  ;({ env, drop } = await createEmpty())
  gateway = await startGateway({ ...env, SAMPLE_DATA: 'false' })
  folder = await mkdtemp(join(tmpdir(), 'catalog-cli-'))
  await writeFile(join(folder, 'items.ndjson'), ndjson(row(), row({ externalId: 'b', latitude: 0, longitude: 0 })))
  await writeFile(
    join(folder, 'places.json'),
    JSON.stringify({ dataset: { ...DATASET, visibility: 'restricted' }, items: 'items.ndjson' }),
  )
  await writeFile(join(folder, 'bad.ndjson'), ndjson(row({ latitude: 91 }), row({ externalId: 'b', name: '' })))
  await writeFile(join(folder, 'bad.json'), JSON.stringify({ dataset: DATASET, items: 'bad.ndjson' }))
})
afterAll(async () => {
  await gateway.stop()
  await drop()
  await rm(folder, { recursive: true })
})

const run = (...args: string[]) => catalog(args, env)
const status = async (path: string, key: string) =>
  (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })).status

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('catalog import', () => {
  test('loads a dataset and ends with a line of counts', async () => {
    const { code, stdout, stderr } = await run('import', join(folder, 'places.json'))
    expect([code, stdout]).toEqual([0, 'places: 2 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n'])
    expect(stderr).toBe('items.ndjson:2: warning: latitude and longitude are both 0\n')
  })

  test('prints a line of JSON a manifest with --json', async () => {
    const { code, stdout } = await run('import', '--json', join(folder, 'places.json'))
    expect(code).toBe(0)
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      'datasetId',
      'slug',
      'created',
      'updated',
      'unchanged',
      'removed',
      'skipped',
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      slug: 'places',
      created: 0,
      updated: 0,
      unchanged: 2,
      removed: 0,
      skipped: 0,
    })
  })

  test('lists bad rows and changes nothing', async () => {
    const { code, stdout, stderr } = await run('import', join(folder, 'bad.json'))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'catalog: 2 bad rows; nothing was changed\nbad.ndjson:1: latitude must be from -90 to 90\nbad.ndjson:2: name is required\n',
    )
  })

  test('loads the good rows with --skip-invalid, and reports the others', async () => {
    const { code, stdout, stderr } = await run(
      'import',
      '--skip-invalid',
      '--keep-missing',
      '--json',
      join(folder, 'bad.json'),
    )
    expect([code, JSON.parse(stdout).skipped]).toEqual([0, 2])
    expect(stderr).toContain('bad.ndjson:1: skipped: latitude')
    await run('import', join(folder, 'places.json'))
  })
})

describe('catalog keys', () => {
  const create = async (...args: string[]) => {
    const { code, stdout } = await run('keys', 'create', '--json', '--name', 'test', ...args)
    expect(code).toBe(0)
    return JSON.parse(stdout)
  }

  test('create prints the key once, and it works on the running gateway', async () => {
    const { code, stdout } = await run('keys', 'create', '--name', 'plain')
    expect(code).toBe(0)
    const key = /^dck_\S+$/m.exec(stdout)?.[0] ?? ''
    expect(await status('/v1/datasets', key)).toBe(200)
    expect((await run('keys', 'list', '--json')).stdout).not.toContain(key)
  })

  test('create takes datasets, tiers, an expiry and a limit', async () => {
    const created = await create(
      '--dataset',
      'places',
      '--tier',
      'gold',
      '--tier',
      'silver',
      '--expires',
      '90d',
      '--rate-limit',
      '60',
    )
    expect(created).toMatchObject({
      id: expect.stringMatching(UUID),
      key: expect.stringMatching(/^dck_/),
      name: 'test',
      accessTiers: ['gold', 'silver'],
      requestsPerMinute: 60,
      datasets: ['places'],
    })
    expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBeGreaterThan(89.9 * 86_400_000)
    expect(await status('/v1/datasets/places', created.key)).toBe(200)
  })

  test('grant and ungrant open and shut a dataset at once', async () => {
    const { id, key } = await create()
    expect(await status('/v1/datasets/places', key)).toBe(403)
    expect((await run('keys', 'grant', id, '--dataset', 'places', '--expires', '2099-01-01')).code).toBe(0)
    expect(await status('/v1/datasets/places', key)).toBe(200)
    expect((await run('keys', 'ungrant', id, '--dataset', 'places')).code).toBe(0)
    expect(await status('/v1/datasets/places', key)).toBe(403)
    const { code, stderr } = await run('keys', 'ungrant', id, '--dataset', 'places')
    expect([code, stderr]).toEqual([1, `catalog: The key ${id} has no grant for the dataset places\n`])
  })

  test('revoke ends a key at once, and list says so', async () => {
    const { id, key } = await create()
    expect(JSON.parse((await run('keys', 'revoke', id, '--json')).stdout)).toMatchObject({
      id,
      revokedAt: expect.any(String),
    })
    expect(await status('/v1/datasets', key)).toBe(401)
    const { stdout } = await run('keys', 'list')
    expect(stdout).toMatch(/^ID +NAME +STATE/)
    expect(stdout).toMatch(new RegExp(`${id} +test +revoked`))
  })
})

describe('catalog migrate', () => {
  test('has nothing to apply to a migrated database', async () => {
    expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'Nothing to apply\n', stderr: '' })
    expect(JSON.parse((await run('migrate', '--json')).stdout)).toEqual({ applied: [] })
  })
})

describe('What is wrong', () => {
  test.each<[string[], RegExp]>([
    [['nonsense'], /^catalog: unknown command 'nonsense'\n$/],
    [['import'], /^catalog: missing required argument 'manifest'\n$/],
    [['import', 'nowhere.json'], /^catalog: nowhere.json: can't be read: ENOENT/],
    [['keys', 'create'], /^catalog: required option '--name <name>' not specified\n$/],
    [
      ['keys', 'create', '--name', 'x', '--dataset', 'nowhere'],
      /^catalog: There is no dataset with the slug nowhere\n$/,
    ],
    [['keys', 'create', '--name', 'x', '--expires', 'soon'], /^catalog: --expires must be a span/],
    [
      ['keys', 'create', '--name', 'x', '--rate-limit', '0'],
      /^catalog: option '--rate-limit <n>' argument '0' is invalid/,
    ],
    [['keys', 'revoke', 'abc'], /^catalog: There is no key with the id abc/],
    [['keys', 'grant', 'abc'], /^catalog: required option '--dataset <slug>' not specified\n$/],
    [['serve', '--port', '1'], /^catalog: unknown option '--port'\n$/],
  ])('%j exits non-zero with one clear line', async (args, line) => {
    const { code, stdout, stderr } = await run(...args)
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('a wrong configuration is told a line a variable', async () => {
    const { code, stderr } = await catalog(['serve'], { PORT: 'abc', DATABASE_URL: 'mysql://x', SAMPLE_DATA: 'maybe' })
    expect(code).toBe(1)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('DATABASE_URL must be a URL'),
      expect.stringContaining('PORT must be a whole number from 0 to 65535'),
      expect.stringContaining('SAMPLE_DATA must be true or false'),
    ])
  })

  test('a PostgreSQL that is away is told in one line', async () => {
    const { code, stderr } = await catalog(['keys', 'list'], { DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^catalog: The database can't be reached: [^\n]*\n$/)])
  })

  test('every command has --help with an example', async () => {
    for (const command of [
      ['serve'],
      ['migrate'],
      ['import'],
      ['keys', 'create'],
      ['keys', 'list'],
      ['keys', 'revoke'],
      ['keys', 'grant'],
      ['keys', 'ungrant'],
    ]) {
      const { code, stdout } = await run(...command, '--help')
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: catalog .*Example:\n/s)])
    }
  })
})
