import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createEmpty } from '../support/database.ts'
import { type Gateway, runCatalog, startGateway } from '../support/process.ts'

let env: Record<string, string>
let drop: () => Promise<void>
let database: Database
let gateway: Gateway
beforeAll(async () => {
  const empty = await createEmpty()
  ;({ env, drop } = empty)
  gateway = await startGateway({ ...env, SAMPLE_DATA: 'false' })
  database = await openDatabase(empty.config, { share: true })
})
afterAll(async () => {
  await database.close()
  await gateway.stop()
  await drop()
})

const keys = (...args: string[]) => runCatalog(env, 'keys', ...args)
const keysJson = async (...args: string[]) => {
  const { code, stdout, stderr } = await keys(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}
const status = async (key: string) =>
  (await fetch(`${gateway.url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })).status
const becomes = (key: string, expected: number) => expect.poll(() => status(key)).toBe(expected)

describe('catalog keys rotate', () => {
  test('prints a new secret for the same key, and the old secrets still work until their grace is over', async () => {
    const { stdout, stderr } = await keys(
      'create',
      '--name',
      'rotated',
      '--tier',
      'gold',
      '--rate-limit',
      '600',
      '--json',
    )
    expect(stderr).toBe('warning: no dataset has the tier gold; no dataset has a tier\n')
    const created = JSON.parse(stdout)
    expect(await status(created.key)).toBe(200)
    const rotated = await keysJson('rotate', created.id)
    expect(rotated).toMatchObject({ id: created.id, name: 'rotated', key: expect.stringMatching(/^dck_.{43}$/) })
    const again = await keysJson('rotate', 'rotated', '--grace', '7d')
    for (const { key } of [created, rotated, again]) expect(await status(key)).toBe(200)

    const shown = await keysJson('show', created.id.slice(0, 8))
    expect(shown).toMatchObject({ id: created.id, accessTiers: ['gold'], requestsPerMinute: 600, revokedAt: null })
    expect(shown.previousSecrets).toEqual([
      { expiresAt: again.previousExpiresAt },
      { expiresAt: rotated.previousExpiresAt },
    ])
    expect((await keys('show', created.id)).stdout).toMatch(/^old secret {6}works until .*Z$/m)
  })

  test('--grace 0s ends all old secrets on the running gateway', async () => {
    const first = await keysJson('create', '--name', 'leaked')
    const second = await keysJson('rotate', first.id)
    expect([await status(first.key), await status(second.key)]).toEqual([200, 200])
    const third = await keysJson('rotate', first.id, '--grace', '0s')
    await becomes(first.key, 401)
    await becomes(second.key, 401)
    expect(await status(third.key)).toBe(200)
    expect((await keysJson('show', first.id)).previousSecrets).toEqual([])
  })

  test('an old secret stops working at the end of its grace, without a change in the database', async () => {
    const first = await keysJson('create', '--name', 'short')
    const second = await keysJson('rotate', first.id, '--grace', '3s')
    await becomes(first.key, 401)
    expect(new Date().toISOString() >= second.previousExpiresAt).toBe(true)
    expect(await status(second.key)).toBe(200)
  })

  test('keys revoke ends all secrets', async () => {
    const first = await keysJson('create', '--name', 'revoked')
    const second = await keysJson('rotate', first.id)
    expect([await status(first.key), await status(second.key)]).toEqual([200, 200])
    await keys('revoke', first.id)
    await becomes(first.key, 401)
    await becomes(second.key, 401)
    expect(await keys('rotate', first.id)).toMatchObject({ code: 1, stderr: expect.stringMatching(/was revoked at/) })
  })

  test('prints the secret once, and no other command prints it', async () => {
    const { id, key } = await keysJson('create', '--name', 'secret')
    const { stdout } = await keys('rotate', id)
    const secret = stdout.split('\n').at(-2) ?? ''
    expect(stdout).toMatch(/^Key .* for secret has a new secret; the old one works until .*\ndck_.{43}\n$/)
    const others = await Promise.all([keys('show', id), keys('show', id, '--json'), keys('list', '--json')])
    for (const text of [key, secret]) expect(JSON.stringify(others)).not.toContain(text)
  })

  const state = () =>
    database.prisma.apiKey.findMany({
      include: { retiredSecrets: { orderBy: { hash: 'asc' } }, grants: true },
      orderBy: { id: 'asc' },
    })

  test.each([
    [['rotate', 'named', '--grace', '-1h'], /--grace must be a duration such as .*, not "-1h"/],
    [['rotate', 'named', '--grace=-1h'], /--grace must be a duration such as .*, not "-1h"/],
    [['rotate', 'named', '--grace', '24'], /--grace must be a duration/],
    [['rotate', 'named', '--grace', ''], /--grace must be a duration/],
    [['rotate', 'nobody'], /There is no key with the id nobody, or with that name/],
    [['rotate', 'expired'], /expired at .*; a new secret would not work/],
    [['show', 'twice'], /twice names 2 keys; use an id: [0-9a-f-]{36}, [0-9a-f-]{36}\n$/],
    [['usage', 'nobody'], /There is no key with the id nobody/],
  ])('keys %j fails with one line and changes nothing', async (args, line) => {
    if ((await database.prisma.apiKey.count({ where: { name: 'named' } })) === 0) {
      for (const name of ['named', 'twice', 'twice']) await keysJson('create', '--name', name)
      const { id } = await keysJson('create', '--name', 'expired', '--expires', '1d')
      await database.prisma.apiKey.update({ where: { id }, data: { expiresAt: new Date() } })
    }
    const before = await state()
    const { code, stdout, stderr } = await keys(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^catalog: .*${line.source}`))
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(await state()).toEqual(before)
  })
})

test('catalog keys usage counts the requests with a key on each day', async () => {
  const used = await keysJson('create', '--name', 'used')
  const next = await keysJson('rotate', used.id)
  expect(await keysJson('usage', 'used')).toEqual([])
  expect((await keys('usage', 'used')).stdout).toBe('There was no use in the last 30 days\n')
  const days = new Set([new Date().toISOString().slice(0, 10)])
  for (const { key } of [used, used, next]) await status(key)
  days.add(new Date().toISOString().slice(0, 10))
  await gateway.stop()
  const usage: { day: string; requests: number }[] = await keysJson('usage', 'used')
  expect(usage.reduce((sum, { requests }) => sum + requests, 0)).toBe(3)
  for (const { day } of usage) expect(days).toContain(day)
  expect((await keys('usage', 'used')).stdout).toMatch(
    /^DAY +KEY +DATASET +REQUESTS +ITEMS +BYTES\n\d{4}-\d\d-\d\d +used +- +\d +0 +\d+\n/,
  )
})
