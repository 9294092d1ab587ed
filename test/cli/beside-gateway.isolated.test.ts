import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmpty } from '../support/database.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { DATASET, ndjson, row } from '../support/import.ts'
import { type Gateway, runCatalog, startGateway } from '../support/process.ts'

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

const run = (...args: string[]) => runCatalog(env, ...args)
const status = async (path: string, key: string) =>
  (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })).status
const becomes = (path: string, key: string, expected: number) =>
  expectWithinASecond(
    () => status(path, key),
    (received) => expect(received).toBe(expected),
  )

describe('catalog import', () => {
  test('loads a dataset and ends with a line of counts', async () => {
    const { code, stdout, stderr } = await run('import', join(folder, 'places.json'))
    expect([code, stdout]).toEqual([0, 'places: 2 created, 0 updated, 0 unchanged, 0 removed, 0 skipped\n'])
    expect(stderr).toBe('items.ndjson:2: warning: latitude and longitude are both 0\n')
  })

  test('prints a line of JSON for each manifest with --json', async () => {
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
      'catalog: 2 bad rows; nothing was changed\nbad.ndjson:1: latitude must be from -90 to 90; the file has 91\nbad.ndjson:2: name is required\n',
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

  test('grant and ungrant take effect within a second', async () => {
    const { id, key } = await create()
    expect(await status('/v1/datasets/places', key)).toBe(403)
    expect((await run('keys', 'grant', id, '--dataset', 'places', '--expires', '2099-01-01')).code).toBe(0)
    await becomes('/v1/datasets/places', key, 200)
    expect((await run('keys', 'ungrant', id, '--dataset', 'places')).code).toBe(0)
    await becomes('/v1/datasets/places', key, 403)
    const { code, stderr } = await run('keys', 'ungrant', id, '--dataset', 'places')
    expect([code, stderr]).toEqual([1, `catalog: The key ${id} has no grant for the dataset places\n`])
  })

  test('revoke takes effect within a second, and list shows it', async () => {
    const { id, key } = await create()
    expect(JSON.parse((await run('keys', 'revoke', id, '--json')).stdout)).toMatchObject({
      id,
      revokedAt: expect.any(String),
    })
    await becomes('/v1/datasets', key, 401)
    const { stdout } = await run('keys', 'list')
    expect(stdout).toMatch(/^ID +NAME +STATE/)
    expect(stdout).toMatch(new RegExp(`${id} +test +revoked`))
  })
})
