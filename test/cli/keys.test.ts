import { createHash } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { expectWithinASecond } from '../support/freshness.ts'

/** It runs all the while: every command works beside a gateway. */
const t = useApp()

const keys = (...args: string[]) => runCommand(t.env, 'keys', ...args)

/** Runs a command that must succeed in silence, and reads its JSON. */
async function keysJson(...args: string[]) {
  const { code, stdout, stderr } = await keys(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^.*\n$/)
  return JSON.parse(stdout)
}

const status = async (key: string, path = '/v1/datasets') =>
  (await t.get(path, { authorization: `Bearer ${key}` })).status
const becomes = (key: string, expected: number, path?: string) =>
  expectWithinASecond(
    () => status(key, path),
    (found) => expect(found).toBe(expected),
  )

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
    for (const slug of ['draft', 'restricted', 'paid', 'seoul']) {
      expect(await status(created.key, `/v1/datasets/${slug}`)).toBe(200)
    }
    expect(await status(created.key, '/v1/datasets/inactive')).toBe(403)
  })

  const isFoundByAddress = inject('template').kind !== 'embedded'

  // The gateway of the tests does not own their embedded database. The owner announces its address in the data folder.
  test.runIf(isFoundByAddress)(
    'shows a person the link and the request with the key at the gateway that answers, and the key last',
    async () => {
      const { hostname, port } = new URL(t.url)
      const keys = (...args: string[]) => runCommand({ ...t.env, HOST: hostname, PORT: port }, 'keys', ...args)
      Object.assign(process.stdout, { isTTY: true })
      const [all, one, page] = [
        await keys('create', '--name', 'tried'),
        await keys('create', '--name', 'turned', '--dataset', 'restricted'),
        await keys('create', '--name', 'framed', '--dataset', 'seoul', '--origin', 'https://maps.example'),
      ]
      const rotated = await keys('rotate', 'turned')
      const away = await runCommand({ ...t.env, PORT: '1', BASE_PATH: '/geo' }, 'keys', 'create', '--name', 'lost')
      Object.assign(process.stdout, { isTTY: false })
      expect(rotated.stdout).toContain('/?dataset=restricted#key=dck_')
      const [, , , key] = all.stdout.split('\n')
      expect(all.stdout.split('\n')).toEqual([
        `Explore with the new key: ${t.url}/#key=${key}`,
        `Try: curl -H 'Authorization: Bearer ${key}' '${t.url}/v1/datasets'`,
        expect.stringMatching(/^Key \S+ for tried: .* It is not shown again:$/),
        expect.stringMatching(/^dck_/),
        '',
      ])
      expect(one.stdout).toContain(`Explore with the new key: ${t.url}/?dataset=restricted#key=dck_`)
      expect(page.stdout).toMatch(
        /^In a page: <iframe src="http:\S+\/embed\/(\S+)\?dataset=seoul#key=(dck_\S+)" .*<\/iframe>\nKey \1 for framed: .*\n\2\n$/,
      )
      expect(away.stdout).toMatch(
        /^No gateway answers here; .*\nExplore with the new key: https:\/\/GATEWAY\/geo\/#key=/,
      )
      expect(away.stdout).not.toContain(':1/')
    },
  )

  test('says in one line what the key is, and that another key has its name', async () => {
    const options = ['--tier', 'gold', '--dataset', 'draft', '--expires', '2199-01-31', '--rate-limit', '60']
    const { stdout, stderr } = await keys('create', '--name', 'again', ...options)
    const facts = 'tiers gold, expires 2199-01-31T00:00:00.000Z, limit 60/min, grants draft'
    expect(stdout).toMatch(new RegExp(`^Key .* for again: ${facts}\\. It is not shown again:\ndck_`))
    expect(stderr).toBe('')
    const warning = 'warning: another key has the name again too, so commands need the id of the key\n'
    expect((await keys('create', '--name', 'again')).stderr).toBe(warning)
  })

  test('stores only the SHA-256 of the key, and no other command shows a key or a new secret', async () => {
    const { stdout } = await keys('create', '--name', 'plain')
    const rotated = await keys('rotate', 'plain')
    expect(rotated.stdout).toMatch(/^Key .* for plain has a new secret; the old one works until .*\ndck_.{43}\n$/)
    const [first = '', second = ''] = [stdout, rotated.stdout].map((text) => text.split('\n').at(-2))
    expect(first).toMatch(KEY)
    expect(stdout.split(first)).toHaveLength(2)
    const { hash, id } = await t.database.prisma.apiKey.findFirstOrThrow({ where: { name: 'plain' } })
    expect(Buffer.from(hash)).toEqual(createHash('sha256').update(second).digest())
    const shown = [
      await keys('list'),
      await keys('list', '--json'),
      await keys('show', id),
      await keys('show', id, '--json'),
    ]
    for (const secret of [first, second, first.slice(4), Buffer.from(hash).toString('hex')]) {
      expect(JSON.stringify(shown)).not.toContain(secret)
    }
  })
})

describe('catalog keys update', () => {
  test('changes what is given, and nothing else', async () => {
    const given = ['--tier', 'gold', '--expires', '1d', '--rate-limit', '60']
    const created = await keysJson('create', '--name', 'first', ...given)
    const update = (...args: string[]) => keysJson('update', created.id, ...args)
    const { previousSecrets: _, ...before } = await keysJson('show', created.id)
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
    expect(stdout).toBe(`Key ${created.id} for second: tiers platinum, expires never, limit 500 items/min\n`)
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

test('a grant takes effect on a running gateway within a second, and so does its end and that of the key', async () => {
  const { id, key } = await keysJson('create', '--name', 'in use')
  const path = '/v1/datasets/restricted'
  expect(await status(key, path)).toBe(403)
  const grant = (...more: string[]) => keysJson('grant', id.toUpperCase(), '--dataset', 'restricted', ...more)
  expect(await grant('--expires', '2199-01-31')).toEqual({
    ...{ id, name: 'in use', dataset: 'restricted', expiresAt: '2199-01-31T00:00:00.000Z' },
  })
  await becomes(key, 200, path)
  expect(await grant()).toMatchObject({ expiresAt: null })
  expect(await keysJson('ungrant', id, '--dataset', 'restricted')).toEqual({
    id,
    name: 'in use',
    dataset: 'restricted',
  })
  await becomes(key, 403, path)
  expect(await keys('ungrant', id, '--dataset', 'restricted')).toEqual(failure(/has no grant for .* restricted/))

  const { key: second } = await keysJson('rotate', id)
  expect([await status(key), await status(second)]).toEqual([200, 200])
  expect(await keysJson('revoke', id)).toEqual({ id, revokedAt: TIMESTAMP })
  for (const secret of [key, second]) await becomes(secret, 401)
  expect((await keys('list')).stdout).toMatch(new RegExp(`${id} +in use +revoked`))
  expect(await keys('revoke', id)).toEqual(failure(/was revoked at/))
  expect(await keys('rotate', id)).toEqual(failure(/was revoked at/))
  expect(await keys('grant', id, '--dataset', 'draft')).toEqual(failure(/was revoked at/))
})

describe('catalog keys rotate', () => {
  test('prints a new secret for the same key, and the old secrets still work until their grace is over', async () => {
    const { id, key } = await keysJson('create', '--name', 'rotated', '--tier', 'gold', '--rate-limit', '600')
    expect(await status(key)).toBe(200)
    const rotated = await keysJson('rotate', id)
    expect(rotated).toMatchObject({ id, name: 'rotated', key: expect.stringMatching(KEY) })
    const again = await keysJson('rotate', 'rotated', '--grace', '7d')
    for (const secret of [key, rotated.key, again.key]) expect(await status(secret)).toBe(200)

    const shown = await keysJson('show', id.slice(0, 8))
    expect(shown).toMatchObject({ id, accessTiers: ['gold'], requestsPerMinute: 600, revokedAt: null })
    expect(shown.previousSecrets).toEqual([
      { expiresAt: again.previousExpiresAt },
      { expiresAt: rotated.previousExpiresAt },
    ])
    expect((await keys('show', id)).stdout).toMatch(/^old secret {6}works until .*Z$/m)

    const last = await keysJson('rotate', id, '--grace', '0s')
    for (const secret of [key, rotated.key, again.key]) await becomes(secret, 401)
    expect(await status(last.key)).toBe(200)
  })

  test('an old secret stops working at the end of its grace, without a change in the database', async () => {
    const first = await keysJson('create', '--name', 'short')
    const second = await keysJson('rotate', first.id, '--grace', '3s')
    await expect.poll(() => status(first.key)).toBe(401)
    expect(new Date().toISOString() >= second.previousExpiresAt).toBe(true)
    expect(await status(second.key)).toBe(200)
  })
})

test('catalog keys usage counts the requests with a key on each day, and keys list shows the last use', async () => {
  const used = await keysJson('create', '--name', 'used')
  const next = await keysJson('rotate', used.id)
  expect(await keysJson('usage', 'used')).toEqual([])
  expect((await keys('usage', 'used')).stdout).toBe('There was no use in the last 30 days\n')
  const before = new Date().toISOString()
  for (const { key } of [used, used, next]) await status(key)
  const days = [before, new Date().toISOString()].map((time) => time.slice(0, 10))
  await t.keyUsage.write()
  const usage: { day: string; requests: number }[] = await keysJson('usage', 'used')
  expect(usage.reduce((sum, { requests }) => sum + requests, 0)).toBe(3)
  for (const { day } of usage) expect(days).toContain(day)
  expect(await keys('usage', 'used')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^DAY +KEY +DATASET +REQUESTS +ITEMS +BYTES\n\d{4}-\d\d-\d\d +used +- +\d +0 +\d+\n/),
    stderr: 'DATASET is - for requests that read several datasets, or none. Refused requests count too.\n',
  })
  const listed: { id: string; lastUsedAt: string }[] = await keysJson('list')
  expect(listed.find(({ id }) => id === used.id)?.lastUsedAt).toMatch(/^20/)
})

/** Nothing on stdout, and on stderr one line. */
const failure = (line: RegExp) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^catalog: .*${line.source}.*\\n$`)),
})

describe('A mistake gives one line and changes nothing:', () => {
  const unknown = '99999999-0000-4000-8000-000000000009'
  const state = () =>
    t.database.prisma.apiKey.findMany({
      include: { retiredSecrets: { orderBy: { hash: 'asc' } }, grants: true },
      orderBy: { id: 'asc' },
    })

  test.each<[string[], RegExp]>([
    [['create'], /--name/],
    [['create', '--name', ' '], /name/],
    [['create', '--name', 'two\nlines'], /name/],
    [['create', '--name', 'x', '--tier', ''], /tier/],
    [['create', '--name', 'x', '--dataset', 'seoul', '--dataset', 'nowhere'], /no dataset with the slug nowhere/],
    [['create', '--name', 'x', '--expires', 'soon'], /--expires must be .* "soon"/],
    [['create', '--name', 'x', '--expires', '9999-12-31T23:59:59-14:00'], /--expires must be at most 9999-12-31T23/],
    [['create', '--name', 'x', '--expires', '2020-01-01'], /--expires must be in the future/],
    [['create', '--name', 'x', '--rate-limit', '0'], /--rate-limit .* whole number from 1/],
    [['create', '--name', 'x', '--rate-limit', '1e3'], /--rate-limit .* whole number from 1/],
    [['create', '--name', 'x', '--origin', '*'], /\* has a \*; name each origin/],
    [['update', 'named'], /Give at least one of --name, --tier, --expires, --rate-limit, --item-limit and --origin/],
    [['update', 'named', '--expires', 'yesterday'], /--expires must be a duration such as 90d/],
    [['update', 'named', '--rate-limit', '0'], /It must be a whole number from 1 to 999999999, or none/],
    [
      ['update', 'named', '--origin', 'https://maps.example/city'],
      /city has more than .*; write https:\/\/maps\.example/,
    ],
    [['update', 'nobody', '--name', 'x'], /There is no key with the id nobody/],
    [['usage', '--days', '0'], /--days must be a whole number from 1 to 3660, not "0"/],
    [['usage', 'nobody'], /There is no key with the id nobody/],
    [['revoke'], /missing required argument 'id'/],
    [['revoke', 'abc'], /no key with the id abc/],
    [['revoke', unknown], /no key with the id 9/],
    [['grant', unknown], /--dataset/],
    [['grant', unknown, '--dataset', 'seoul'], /no key with the id 9/],
    [['grant', 'named', '--dataset', 'nowhere'], /no dataset with the slug nowhere/],
    [['ungrant', 'abc', '--dataset', 'seoul'], /no key with the id abc/],
    [['ungrant', 'named', '--dataset', 'nowhere'], /no dataset with the slug nowhere/],
    [['list', 'all'], /too many arguments/],
    [['list', '--yaml'], /unknown option '--yaml'/],
    [['creat'], /unknown command 'creat' \(Did you mean create\?\)/],
    [['rotate', 'named', '--grace', '-1h'], /--grace must be a duration such as .*, not "-1h"/],
    [['rotate', 'named', '--grace=-1h'], /--grace must be a duration such as .*, not "-1h"/],
    [['rotate', 'named', '--grace', '24'], /--grace must be a duration/],
    [['rotate', 'named', '--grace', ''], /--grace must be a duration/],
    [['rotate', 'nobody'], /There is no key with the id nobody, or with that name/],
    [['rotate', 'expired'], /expired at .*; a new secret would not work/],
    [['show', 'twice'], /twice names 2 keys; use an id: [0-9a-f-]{36} \(created 20.*Z\), [0-9a-f-]{36} \(created/],
  ])('%j', async (args, line) => {
    if ((await t.database.prisma.apiKey.count({ where: { name: 'named' } })) === 0) {
      for (const name of ['named', 'twice', 'twice']) await keys('create', '--name', name)
      const { id } = await keysJson('create', '--name', 'expired', '--expires', '1d')
      await t.database.prisma.apiKey.update({ where: { id }, data: { expiresAt: new Date() } })
    }
    const before = await state()
    expect(await keys(...args)).toEqual(failure(line))
    expect(await state()).toEqual(before)
  })
})
