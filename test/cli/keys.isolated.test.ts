import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { authenticate, createKeyCache } from '../../src/auth/api-key.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { silentChangeFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'
import { runCatalog } from '../support/process.ts'

/** Open in this process all the while, as in a server: every command works beside it. */
const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const keys = (...args: string[]) => runCatalog(db.env, 'keys', ...args)

/** Runs a command that must succeed in silence, and reads its JSON. */
async function keysJson(...args: string[]) {
  const { code, stdout, stderr } = await keys(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^.*\n$/)
  return JSON.parse(stdout)
}

const authenticated = (key: string, now = new Date()) =>
  authenticate(createKeyCache(db.database.prisma, silentChangeFeed), `Bearer ${key}`, now)

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const KEY = /^dck_[A-Za-z0-9_-]{43}$/

describe('catalog keys create', () => {
  test('prints the key, which then gives the access that was granted', async () => {
    const given = ['--dataset', 'restricted', '--dataset', 'draft', '--dataset', 'draft', '--tier', 'gold']
    const limits = ['--expires', '2199-01-31', '--rate-limit', '60']
    const created = await keysJson('create', '--name', '박물관 app', ...given, ...limits)
    expect(Object.entries(created)).toEqual([
      ['id', UUID],
      ['key', expect.stringMatching(KEY)],
      ['name', '박물관 app'],
      ['accessTiers', ['gold']],
      ['datasets', ['draft', 'restricted']],
      ['expiresAt', '2199-01-31T00:00:00.000Z'],
      ['requestsPerMinute', 60],
      ['itemsPerMinute', null],
      ['origins', []],
      ['createdAt', TIMESTAMP],
    ])
    const key = await authenticated(created.key)
    expect(key).toMatchObject({ id: created.id, name: '박물관 app', accessTiers: ['gold'], requestsPerMinute: 60 })
    expect(key.grants.map(({ datasetId }) => datasetId).sort()).toEqual([DATASET.restricted, DATASET.draft].sort())
    await expect(authenticated(created.key, new Date('2199-01-31'))).rejects.toThrow('The API key is not valid')
  })

  test('stores only the SHA-256 of the key, and keys list does not show the key', async () => {
    const { code, stdout } = await keys('create', '--name', 'plain')
    const key = stdout.split('\n').at(-2) ?? ''
    expect(code).toBe(0)
    expect(key).toMatch(KEY)
    expect(stdout.split(key)).toHaveLength(2)

    const stored = await db.database.prisma.apiKey.findFirstOrThrow({ where: { name: 'plain' } })
    expect(Buffer.from(stored.hash)).toEqual(createHash('sha256').update(key).digest())
    const listed = (await keys('list')).stdout + (await keys('list', '--json')).stdout
    for (const secret of [key, key.slice(4), Buffer.from(stored.hash).toString('hex')]) {
      expect(JSON.stringify(stored) + listed).not.toContain(secret)
    }
  })
})

describe('catalog keys update', () => {
  test('changes what is given, and nothing else', async () => {
    const created = await keysJson(
      'create',
      '--name',
      'first',
      '--tier',
      'gold',
      '--expires',
      '1d',
      '--rate-limit',
      '60',
    )
    const update = (...args: string[]) => keysJson('update', created.id, ...args)
    const shown = await keysJson('show', created.id)
    const { previousSecrets: _, ...before } = shown
    expect(await update('--name', 'second')).toEqual({ ...before, name: 'second' })
    expect(await update('--expires', '2199-01-31')).toMatchObject({
      name: 'second',
      expiresAt: '2199-01-31T00:00:00.000Z',
    })
    const limits = ['--rate-limit', 'none', '--item-limit', '500', '--tier', '', '--expires', 'never']
    expect(await update(...limits)).toMatchObject({
      ...{ requestsPerMinute: null, itemsPerMinute: 500, accessTiers: [], expiresAt: null },
    })
    const { stdout, stderr } = await keys('update', 'second', '--tier', 'platinum')
    expect(stdout).toBe(`Key ${created.id}: name second, tiers platinum, expires never, limit 500 items/min\n`)
    expect(stderr).toBe('warning: no dataset has the tier platinum; there are gold\n')
  })

  test('gives a key all of its origins, in the form in which browsers send them', async () => {
    const given = ['--origin', 'https://Maps.example/', '--origin', 'http://localhost:8080']
    const origins = ['https://maps.example', 'http://localhost:8080']
    const { id } = await keysJson('create', '--name', 'page', ...given, '--origin', 'https://maps.example')
    expect(await keysJson('show', id)).toMatchObject({ origins })
    expect((await keys('list')).stdout).toContain(` ${origins.join(',')} `)
    expect((await keys('show', id)).stdout).toContain(`origins         ${origins.join(', ')}\n`)
    const { stdout } = await keys('update', id, '--origin', 'https://other.example')
    expect(stdout).toContain(', limit none, only for https://other.example\n')
    expect(await keysJson('update', id, '--origin', '')).toMatchObject({ origins: [] })
  })

  test.each([
    [['update', 'second'], /Give at least one of --name, --tier, --expires, --rate-limit, --item-limit and --origin/],
    [['update', 'second', '--expires', 'yesterday'], /--expires must be a duration such as 90d/],
    [['update', 'second', '--rate-limit', '0'], /It must be a whole number from 1 to 999999999, or none/],
    [['update', 'second', '--origin', 'https://maps.example/city'], /It must be the origin of web pages/],
    [['create', '--name', 'x', '--origin', '*'], /It must be the origin of web pages/],
    [['update', 'nobody', '--name', 'x'], /There is no key with the id nobody/],
    [['usage', '--days', '0'], /--days must be a whole number from 1 to 3660, not "0"/],
  ])('keys %j fails with one line', async (args, line) => {
    const { code, stdout, stderr } = await keys(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
  })
})

describe('catalog keys list', () => {
  test('prints a table with aligned columns, or an array with --json', async () => {
    const { id } = await keysJson('create', '--name', 'listed', '--dataset', 'draft', '--expires', '4w')
    const listed = await keysJson('list')
    expect(listed.find((key: { id: string }) => key.id === id)).toEqual({
      id,
      name: 'listed',
      origins: [],
      accessTiers: [],
      grants: [{ dataset: 'draft', expiresAt: null }],
      requestsPerMinute: null,
      itemsPerMinute: null,
      createdAt: TIMESTAMP,
      expiresAt: TIMESTAMP,
      revokedAt: null,
      lastUsedAt: null,
    })
    const { stdout } = await keys('list')
    const [header = '', ...rows] = stdout.trimEnd().split('\n')
    expect(header).toMatch(/^ID +NAME +STATE +EXPIRES +LAST USED +LIMIT +ORIGINS +TIERS +DATASETS$/)
    expect(rows).toHaveLength(listed.length)
    const row = rows.find((line) => line.startsWith(id)) ?? ''
    expect(row.indexOf('listed')).toBe(header.indexOf('NAME'))
    expect(row.indexOf('active')).toBe(header.indexOf('STATE'))
    expect(row.indexOf('draft')).toBe(header.indexOf('DATASETS'))
  })
})

describe('A grant and a key', () => {
  test('stop working at once when they are withdrawn and revoked', async () => {
    const { id, key } = await keysJson('create', '--name', 'in use')
    expect((await authenticated(key)).grants).toEqual([])

    const granted = await keysJson('grant', id.toUpperCase(), '--dataset', 'restricted', '--expires', '2199-01-31')
    expect(granted).toEqual({ id, dataset: 'restricted', expiresAt: '2199-01-31T00:00:00.000Z' })
    const [grant] = (await authenticated(key)).grants
    expect(grant).toEqual({ datasetId: DATASET.restricted, expiresAt: new Date('2199-01-31') })

    expect(await keysJson('grant', id, '--dataset', 'restricted')).toMatchObject({ expiresAt: null })
    expect((await authenticated(key)).grants).toEqual([{ datasetId: DATASET.restricted, expiresAt: null }])

    expect(await keysJson('ungrant', id, '--dataset', 'restricted')).toEqual({ id, dataset: 'restricted' })
    expect((await authenticated(key)).grants).toEqual([])
    expect(await keys('ungrant', id, '--dataset', 'restricted')).toEqual(failure(/has no grant for .* restricted/))

    expect(await keysJson('revoke', id)).toEqual({ id, revokedAt: TIMESTAMP })
    await expect(authenticated(key)).rejects.toThrow('The API key is not valid')
    expect(await keys('revoke', id)).toEqual(failure(/was revoked at/))
    expect(await keys('grant', id, '--dataset', 'draft')).toEqual(failure(/was revoked at/))
  })
})

/** Nothing on stdout, and on stderr one line. */
const failure = (line: RegExp) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^catalog: .*${line.source}.*\\n$`)),
})

describe('A mistake gives one line and changes nothing:', () => {
  const unknown = '99999999-0000-4000-8000-000000000009'
  test.each<[string[], RegExp]>([
    [['create'], /--name/],
    [['create', '--name', ' '], /name/],
    [['create', '--name', 'two\nlines'], /name/],
    [['create', '--name', 'x', '--tier', ''], /tier/],
    [['create', '--name', 'x', '--dataset', 'seoul', '--dataset', 'nowhere'], /no dataset with the slug nowhere/],
    [['create', '--name', 'x', '--expires', 'soon'], /--expires must be .* "soon"/],
    [
      ['create', '--name', 'x', '--expires', '9999-12-31T23:59:59-14:00'],
      /--expires must be at most 9999-12-31T23:59:59\.999Z/,
    ],
    [['create', '--name', 'x', '--expires', '2020-01-01'], /--expires must be in the future/],
    [['create', '--name', 'x', '--rate-limit', '0'], /--rate-limit .* whole number from 1/],
    [['create', '--name', 'x', '--rate-limit', '1e3'], /--rate-limit .* whole number from 1/],
    [['revoke'], /missing required argument 'id'/],
    [['revoke', 'abc'], /no key with the id abc/],
    [['revoke', unknown], /no key with the id 9/],
    [['grant', unknown], /--dataset/],
    [['grant', unknown, '--dataset', 'seoul'], /no key with the id 9/],
    [['ungrant', 'abc', '--dataset', 'seoul'], /no key with the id abc/],
    [['list', 'all'], /too many arguments/],
    [['list', '--yaml'], /unknown option '--yaml'/],
    [['creat'], /unknown command 'creat' \(Did you mean create\?\)/],
  ])('%j', async (args, line) => {
    const before = await db.database.prisma.apiKey.count()
    expect(await keys(...args)).toEqual(failure(line))
    expect(await db.database.prisma.apiKey.count()).toBe(before)
  })

  test('an unknown dataset for a known key', async () => {
    const { id } = await keysJson('create', '--name', 'known')
    for (const command of ['grant', 'ungrant']) {
      expect(await keys(command, id, '--dataset', 'nowhere')).toEqual(failure(/no dataset with the slug nowhere/))
    }
  })
})
