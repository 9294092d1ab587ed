import { beforeEach, expect, test } from 'vitest'
import { grantDataset, withdrawGrant } from '../../src/auth/grants.ts'
import { createKey, updateKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'

const ORIGIN = 'https://maps.example'
const today = () => new Date().toISOString().slice(0, 10)

const t = useApp()

let own: { id: string; key: string }
beforeEach(async () => {
  const access = { accessTiers: ['gold'], datasets: ['restricted', 'draft'], origins: [ORIGIN] }
  const limits = { expiresAt: new Date('2199-01-31'), requestsPerMinute: 600, itemsPerMinute: 10_000 }
  own = await createKey(t.database.prisma, { name: 'own', ...access, ...limits })
})

const get = (path: string, key = own.key, headers: Record<string, string> = {}) =>
  t.get(path, { authorization: `Bearer ${key}`, origin: ORIGIN, ...headers })
const readKey = async (key = own.key, path = '/key') => (await (await get(path, key)).json()).data
const dataset = (slug: keyof typeof DATASET) => ({ id: DATASET[slug], slug })

test('a client sees its own key, its access, limits and origins', async () => {
  const response = await get('/key')
  expect(response.status).toBe(200)
  expect(response.headers.get('ratelimit')).toMatch(/^"requests";r=599;t=\d+, "items";r=10000;t=\d+$/)
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  const { data, meta } = await response.json()
  expect(meta).toEqual({})
  expect(Object.entries(data)).toEqual([
    ['id', own.id],
    ['name', 'own'],
    ['tiers', ['gold']],
    [
      'grants',
      [
        { dataset: dataset('draft'), expiresAt: null },
        { dataset: dataset('restricted'), expiresAt: null },
      ],
    ],
    ['expiresAt', '2199-01-31T00:00:00.000Z'],
    ['requestsPerMinute', 600],
    ['itemsPerMinute', 10_000],
    ['origins', [ORIGIN]],
    ['usage', []],
  ])
  const none = { tiers: [], grants: [], origins: [], expiresAt: null, requestsPerMinute: null, itemsPerMinute: null }
  expect(await readKey(t.key)).toMatchObject({ name: 'test', ...none })
})

test('/graphql shows the same', async () => {
  const query = `{ apiKey {
    id name tiers grants { dataset { id slug } expiresAt } expiresAt requestsPerMinute itemsPerMinute origins
    usage { day dataset { id slug } requests items bytes }
  } }`
  const other = await createKey(t.database.prisma, { name: 'other', datasets: ['draft'], requestsPerMinute: 60 })
  const expected = await readKey(other.key)
  expect(expected).toMatchObject({ name: 'other', requestsPerMinute: 60 })
  expect((await t.graphql(query, {}, other.key)).body.data.apiKey).toEqual(expected)
})

test('the same request with another key shows the other key, at every door', async () => {
  const { prisma } = t.database
  const keys = [await createKey(prisma, { name: 'a' }), await createKey(prisma, { name: 'b' })]
  for (const { key, name } of [...keys, ...keys]) {
    expect((await readKey(key)).name).toBe(name)
    expect((await t.graphql('{ apiKey { name } }', {}, key)).body).toEqual({ data: { apiKey: { name } } })
    const response = await get('/graphql?query={apiKey{name}}', key)
    expect(await response.json()).toEqual({ data: { apiKey: { name } } })
  }
})

test('usage is by day and dataset, and a new request shows new usage, with another ETag', async () => {
  const first = await get('/key')
  await get('/v1/datasets/seoul/items?limit=2')
  await get('/v1/datasets/draft/items')
  await get('/v1/datasets')
  await t.keyUsage.write()
  const second = await get('/key', own.key, { 'if-none-match': first.headers.get('etag') ?? '' })
  expect(second.status).toBe(200)
  const day = today()
  expect((await second.json()).data.usage).toMatchObject([
    { day, dataset: null, requests: 2, items: 0 },
    { day, dataset: dataset('draft'), requests: 1, items: 1 },
    { day, dataset: dataset('seoul'), requests: 1, items: 2 },
  ])
  const third = await get('/key', own.key, { 'if-none-match': second.headers.get('etag') ?? '' })
  expect(third.status).toBe(304)
})

test('usage is of the last days with today', async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  const common = { apiKeyId: own.id, datasetId: DATASET.seoul, items: 0, bytes: 5e9 }
  const data = [0, 1, 29, 30, 365, 366].map((days) => ({ ...common, day: daysAgo(days), requests: days + 1 }))
  await t.database.prisma.keyUsageDay.createMany({ data })
  const requests = async (path: string) =>
    (await readKey(own.key, path)).usage.map((row: { requests: number }) => row.requests)
  expect(await requests('/key')).toEqual([30, 2, 1])
  expect(await requests('/key?days=1')).toEqual([1])
  expect(await requests('/key?days=366')).toEqual([366, 31, 30, 2, 1])
  expect((await readKey()).usage[0]).toMatchObject({ day: daysAgo(29).toISOString().slice(0, 10), bytes: 5e9 })
})

test.each(['0', '367', '-1', '1.5', 'x', ''])('days=%s is 400', async (days) => {
  const response = await get(`/key?days=${days}`)
  expect(response.status).toBe(400)
  expect((await response.json()).error.details).toMatchObject([{ field: 'days' }])
})

test('days out of bounds in GraphQL and an unknown parameter are errors that name them', async () => {
  for (const days of [0, 367]) {
    const { body } = await t.graphql(`{ apiKey { usage(days: ${days}) { day } } }`)
    expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'days' }] })
  }
  expect((await (await get('/key?day=3')).json()).error.message).toContain('days')
})

test('a dataset that the key may not access any more is not named, neither in grants nor in usage', async () => {
  const { prisma } = t.database
  await get('/v1/datasets/draft/items')
  await t.keyUsage.write()
  expect(JSON.stringify(await readKey())).toContain(DATASET.draft)
  await withdrawGrant(prisma, { keyId: own.id, dataset: 'draft' })
  await expectWithinASecond(readKey, (data) => {
    expect(JSON.stringify(data)).not.toContain(DATASET.draft)
    expect(data.grants).toHaveLength(1)
  })
  await t.keyUsage.write()
  const { usage } = await readKey()
  expect(usage).toMatchObject([{ dataset: null, items: 1 }])
  await grantDataset(prisma, { keyId: own.id, dataset: 'draft', expiresAt: new Date(Date.now() - 1) })
  await expectWithinASecond(readKey, ({ grants }) => expect(grants).toHaveLength(1))
})

test('a changed key shows within a second, and an old secret shows its own end', async () => {
  const { prisma } = t.database
  await updateKey(prisma, own.id, { name: 'renamed', requestsPerMinute: null })
  await expectWithinASecond(readKey, (data) => expect(data).toMatchObject({ name: 'renamed', requestsPerMinute: null }))
  const { previousExpiresAt, key } = await rotateKey(prisma, own.id, 3_600_000)
  await expectWithinASecond(readKey, ({ expiresAt }) => expect(expiresAt).toBe(previousExpiresAt.toISOString()))
  expect((await readKey(key)).expiresAt).toBe('2199-01-31T00:00:00.000Z')
})

test('without a valid key there is none to see', async () => {
  expect((await t.get('/key', {})).status).toBe(401)
  expect((await fetch(`${t.url}/key`, { method: 'POST' })).status).toBe(405)
})
