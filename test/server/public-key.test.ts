import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/auth/keys.ts'
import { checkPublicKey } from '../../src/auth/public-key.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { startApp, type TestApp, useApp } from '../support/app.ts'

const t = useApp()
/** The same database with a public key. It trusts its proxies. */
let open: TestApp
let publicKey: string
beforeAll(async () => {
  const limits = { requestsPerMinute: 2, itemsPerMinute: 10 }
  publicKey = (await createKey(t.database.prisma, { name: 'public', ...limits })).key
  open = await startApp({ beside: t, publicKey, limits: { trustedProxies: ['127.0.0.1'] } })
})
afterAll(async () => {
  await open.close()
})

test('the explorer has the public key, and no other page', async () => {
  const page = async (app: TestApp, path: string) =>
    (await fetch(app.url + path, { headers: { accept: 'text/html' } })).text()
  expect(await page(open, '/')).toContain(`"publicKey":"${publicKey}"`)
  for (const path of ['/graphql', '/docs', '/openapi.json']) expect(await page(open, path)).not.toContain(publicKey)
  expect(await page(t, '/')).not.toContain('publicKey')
})

test('API clients still need a key, and may use the public one', async () => {
  expect((await open.get('/v1/datasets', {})).status).toBe(401)
  const response = await open.get('/v1/datasets', { authorization: `Bearer ${publicKey}` })
  expect((await response.json()).data.map(({ slug }: { slug: string }) => slug)).toEqual(['archived', 'seoul'])
})

describe('Its limits', () => {
  const from = (address: string, path = '/v1/datasets', key = publicKey, app = open) =>
    app.get(path, { authorization: `Bearer ${key}`, 'x-forwarded-for': address })
  const statuses = async (...answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status)

  test('of requests count by address, and by network for IPv6', async () => {
    expect(await statuses(from('192.0.2.1'), from('192.0.2.1'))).toEqual([200, 200])
    expect(await statuses(from('192.0.2.1'), from('192.0.2.2'), from('192.0.2.2'))).toEqual([429, 200, 200])
    expect(await statuses(from('2001:db8::1'), from('2001:db8::2'))).toEqual([200, 200])
    expect(await statuses(from('2001:db8::3'), from('2001:db8:1::1'))).toEqual([429, 200])
  })

  test('of items count by address', async () => {
    expect((await from('192.0.2.10', '/v1/datasets/seoul/items')).headers.get('ratelimit')).toContain('"items";r=10')
    expect((await from('192.0.2.10')).headers.get('ratelimit')).toContain('"items";r=1;')
    expect((await from('192.0.2.11')).headers.get('ratelimit')).toContain('"items";r=10;')
  })

  test('of items end with the item that reaches them', async () => {
    const one = '/v1/datasets/seoul/items?limit=1'
    const { key } = await createKey(t.database.prisma, { name: 'exact', itemsPerMinute: 1 })
    expect(await statuses(from('192.0.2.20', one, key))).toEqual([200])
    expect(await statuses(from('192.0.2.20', one, key))).toEqual([429])
  })

  test('of another key count for all of its clients together', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'other', requestsPerMinute: 2 })
    const other = (address: string) => from(address, '/v1/datasets', key)
    expect(await statuses(other('192.0.2.1'), other('192.0.2.2'))).toEqual([200, 200])
    expect(await statuses(other('192.0.2.3'))).toEqual([429])
  })
})

describe('At the start', () => {
  const check = (key: string) => checkPublicKey(t.database.prisma, key)

  test('a key that may access only what every key may access is accepted', async () => {
    expect(await check(publicKey)).toBeUndefined()
    const { key } = await createKey(t.database.prisma, { name: 'x', accessTiers: ['unused'], datasets: ['seoul'] })
    expect(await check(key)).toBeUndefined()
  })

  test.each([
    ['a tier', { accessTiers: ['gold'] }, 'paid'],
    ['a grant for a restricted dataset', { datasets: ['restricted'] }, 'restricted'],
    ['a grant for a draft', { datasets: ['draft', 'seoul', 'inactive'] }, 'draft, inactive'],
  ])('a key with %s is refused, with the datasets in one line', async (_what, access, slugs) => {
    const { key, id } = await createKey(t.database.prisma, { name: 'x', ...access })
    const line = `PUBLIC_KEY may access datasets that are not public: ${slugs}; use a key without tiers and grants`
    await expect(check(key)).rejects.toThrow(line)
    await rotateKey(t.database.prisma, id, 60_000)
    await expect(check(key)).rejects.toThrow(line)
  })

  test('a key with origins is refused, and one that does not work is a warning', async () => {
    const { prisma } = t.database
    const { key } = await createKey(prisma, { name: 'x', origins: ['https://maps.example'] })
    await expect(check(key)).rejects.toThrow('PUBLIC_KEY has origins')
    const revoked = await createKey(prisma, { name: 'x', accessTiers: ['gold'] })
    await revokeKey(prisma, revoked.id)
    const warning = 'PUBLIC_KEY is unknown, expired or revoked: visitors need a key'
    expect(await check(revoked.key)).toBe(warning)
    expect(await check(`dck_${'A'.repeat(43)}`)).toBe(warning)
  })
})
