import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseExpiry } from '../../src/auth/expiry.ts'
import { grantDataset } from '../../src/auth/grants.ts'
import { createKey, listKeys, revokeKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'

const t = useApp()

describe('The Authorization header', () => {
  test.each(['Bearer', 'bearer', 'BEARER'])('accepts the scheme %s, in any letter case', async (scheme) => {
    expect((await t.get('/v1/datasets', { authorization: `${scheme} ${t.key}` })).status).toBe(200)
  })

  const unknown = `dck_${'A'.repeat(43)}`
  test.each([
    ['no header', undefined, /^Bearer realm="[^"]+"$/],
    ['the scheme alone', 'Bearer', /error="invalid_token"/],
    ['another scheme', 'Basic dXNlcjpwYXNz', /^Bearer /],
    ['an unknown key', `Bearer ${unknown}`, /error="invalid_token"/],
    ['two keys', `Bearer ${unknown} ${unknown}`, /error="invalid_token"/],
    ['a key of 10 kB', `Bearer dck_${'A'.repeat(10_000)}`, /error="invalid_token"/],
    ['a key that is not ASCII', 'Bearer dck_\u00e9', /error="invalid_token"/],
    ['SQL', "Bearer ' OR 1=1 --", /error="invalid_token"/],
  ])('%s is a 401 that says how to authenticate, on every endpoint', async (_what, authorization, challenge) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const path of [
      '/v1/datasets',
      '/v1/datasets/seoul',
      '/v1/datasets/seoul/items?limit=101',
      '/v1/dataset-items/nearby',
      '/v1/dataset-items/x',
      '/graphql?query={datasets{total}}',
    ]) {
      const response = await t.get(path, headers)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(challenge)
      const body = await response.json()
      expect((body.error ?? body.errors[0].extensions).code).toBe('UNAUTHORIZED')
    }
  })

  test('a key in the query string is ignored', async () => {
    expect((await t.get(`/v1/datasets?access_token=${t.key}&authorization=Bearer%20${t.key}`, {})).status).toBe(401)
  })
})

describe('A key', () => {
  test('is dck_ and 256 random bits, and the database stores only its SHA-256', async () => {
    const { prisma } = t.database
    const { key, id } = await createKey(prisma, { name: 'shape' })
    expect(key).toMatch(/^dck_[A-Za-z0-9_-]{43}$/)
    const stored = await prisma.apiKey.findUniqueOrThrow({ where: { id } })
    expect(Buffer.from(stored.hash)).toEqual(createHash('sha256').update(key).digest())
    expect(JSON.stringify([stored, await listKeys(prisma)])).not.toContain(key)
  })

  test('is not issued if a granted dataset is unknown', async () => {
    const { prisma } = t.database
    const before = await prisma.apiKey.count()
    await expect(createKey(prisma, { name: 'x', datasets: ['seoul', 'nowhere'] })).rejects.toThrow('nowhere')
    expect(await prisma.apiKey.count()).toBe(before)
  })

  test('that is unknown can neither be revoked nor get a grant', async () => {
    const { prisma } = t.database
    for (const id of ['abc', '99999999-0000-4000-8000-000000000009']) {
      await expect(revokeKey(prisma, id)).rejects.toThrow(`no key with the id ${id}`)
      await expect(grantDataset(prisma, { keyId: id, dataset: 'seoul', expiresAt: null })).rejects.toThrow(id)
    }
  })
})

describe('An expiry', () => {
  const now = new Date('2026-11-20T12:00:00Z')
  test.each([
    ['90d', '2027-02-18T12:00:00.000Z'],
    ['12h', '2026-11-21T00:00:00.000Z'],
    ['4w', '2026-12-18T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:00:00+09:00', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:00:00.5Z', '2027-01-31T09:00:00.500Z'],
  ])('%s is %s', (text, expected) => {
    expect(parseExpiry(text, now).toISOString()).toBe(expected)
  })

  test.each(['', '0d', '90', '90m', '-1d', 'tomorrow', '2026-11-20', '2027-02-30', '2027-13-01', '2027-01-31T09:00'])(
    '%j is refused',
    (text) => {
      expect(() => parseExpiry(text, now)).toThrow('--expires')
    },
  )
})
