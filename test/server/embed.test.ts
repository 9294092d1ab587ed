import { beforeAll, describe, expect, test } from 'vitest'
import { createKey, revokeKey, updateKey } from '../../src/auth/keys.ts'
import { rotateKey } from '../../src/auth/rotate.ts'
import { startApp, useApp } from '../support/app.ts'
import { expectWithinASecond } from '../support/freshness.ts'

/*
 * The page in a frame, and the requests that it sends with its key (docs/embed.md).
 */

const MAPS = 'https://maps.example'
const OTHER = 'https://other.example'

const t = useApp()
let key: { id: string; key: string }
let another: typeof key
beforeAll(async () => {
  const { prisma } = t.database
  key = await createKey(prisma, { name: 'frame', origins: [MAPS, 'http://localhost:8080'] })
  another = await createKey(prisma, { name: 'another', origins: [MAPS] })
})

const page = (id = key.id, headers: Record<string, string> = { 'sec-fetch-dest': 'iframe' }) =>
  fetch(`${t.url}/embed/${id}?dataset=seoul`, { headers })
const ancestors = ({ headers }: Response) =>
  /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]

describe('The page', () => {
  test.each(['iframe', 'object'])(
    'opens as %s, only for the origins of its key, and no cache keeps it',
    async (dest) => {
      const { status, headers } = await page(key.id, { 'sec-fetch-dest': dest, 'if-none-match': '*' })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob: http: https:; " +
          "base-uri 'none'; form-action 'none'; worker-src 'self'; frame-ancestors https://maps.example http://localhost:8080",
      )
      const names = ['x-frame-options', 'cache-control', 'etag', 'x-content-type-options', 'referrer-policy']
      expect(names.map((name) => headers.get(name))).toEqual([null, 'no-store', null, 'nosniff', 'no-referrer'])
    },
  )

  test('opens in no tab of its own', async () => {
    const response = await page(key.id, { 'sec-fetch-dest': 'document' })
    expect([response.status, ancestors(response)]).toEqual([404, "'none'"])
    expect((await response.json()).error.message).toBe(
      "This page opens only in an iframe, on a page of its key's origins",
    )
  })

  test('says what it needs, in no frame, without a key that has origins and is not revoked', async () => {
    const { prisma } = t.database
    const open = await createKey(prisma, { name: 'without origins' })
    const revoked = await createKey(prisma, { name: 'revoked', origins: [MAPS] })
    await revokeKey(prisma, revoked.id)
    await t.hearChanges()
    for (const id of [open.id, revoked.id, key.key, 'x', '%00', crypto.randomUUID()]) {
      const response = await page(id)
      const frames = [ancestors(response), response.headers.get('x-frame-options')]
      expect([id, response.status, ...frames]).toEqual([id, 404, "'none'", 'DENY'])
      expect((await response.json()).error.message).toContain('the id of a key that has origins')
    }
  })

  test('follows the origins of its key within a second', async () => {
    const { prisma } = t.database
    const { id } = await createKey(prisma, { name: 'moved', origins: [MAPS] })
    await expectWithinASecond(
      () => page(id),
      (response) => expect(ancestors(response)).toBe(MAPS),
    )
    await updateKey(prisma, id, { origins: [OTHER] })
    await expectWithinASecond(
      () => page(id),
      (response) => expect(ancestors(response)).toBe(OTHER),
    )
    await revokeKey(prisma, id)
    await expectWithinASecond(
      () => page(id),
      (response) => expect(response.status).toBe(404),
    )
  })

  test('never opens for more than one origin each', async () => {
    const { prisma } = t.database
    const origins = ['https://*.example', '*', 'https:', "https://a;script-src'*'", MAPS]
    const { id } = await createKey(prisma, { name: 'wild', origins })
    await t.hearChanges()
    expect(ancestors(await page(id))).toBe(MAPS)
  })
})

describe('A key with origins', () => {
  const get = (headers: Record<string, string>, path = '/v1/datasets', secret = key.key) =>
    t.get(path, { authorization: `Bearer ${secret}`, ...headers })
  const frame = (id = key.id, base = t.url) => `${base}/embed/${id}`

  test.each(['/v1/datasets', '/tiles/seoul/0/0/0.mvt', '/graphql?query={datasets{total}}'])(
    'works in its frame, at %s, and opens the response to no other page',
    async (path) => {
      for (const headers of [{ referer: frame() }, { referer: `${frame()}?dataset=seoul`, origin: t.url }]) {
        const response = await get(headers, path)
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null])
      }
    },
  )

  test('works in its frame behind a proxy that has it below a path and speaks TLS', async () => {
    const proxied = await startApp({ beside: t, basePath: '/geo', limits: { trustedProxies: ['127.0.0.1'] } })
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'example.org' }
    const authorization = `Bearer ${key.key}`
    const status = async (referer: string) =>
      (await proxied.get('/v1/datasets', { authorization, referer, ...forwarded })).status
    const statuses = [await status(frame(key.id, 'https://example.org/geo')), await status(frame(key.id, proxied.url))]
    await proxied.close()
    expect(statuses).toEqual([200, 401])
    // Without TRUSTED_PROXIES the gateway does not know the scheme.
    expect((await get({ referer: frame().replace('http:', 'https:') })).status).toBe(200)
  })

  test('works in its frame with an old secret too', async () => {
    const { prisma } = t.database
    const old = await createKey(prisma, { name: 'rotated', origins: [MAPS] })
    await rotateKey(prisma, old.id, 60_000)
    await t.hearChanges()
    expect((await get({ referer: frame(old.id) }, '/v1/datasets', old.key)).status).toBe(200)
  })

  test.each<[string, () => Record<string, string>]>([
    ['the frame of another key', () => ({ referer: frame(another.id) })],
    ['another page of the gateway', () => ({ referer: `${t.url}/?x=${frame()}` })],
    ['another page of the gateway that sends its origin', () => ({ referer: `${t.url}/docs`, origin: t.url })],
    ['the gateway without its page', () => ({ referer: `${t.url}/` })],
    ['another server', () => ({ referer: frame(key.id, OTHER) })],
    ['another port', () => ({ referer: frame(key.id, 'http://127.0.0.1:1') })],
    ['another origin', () => ({ referer: frame(), origin: OTHER })],
    ['a sandbox', () => ({ referer: frame(), origin: 'null' })],
  ])('does not work in %s', async (_where, headers) => {
    expect((await get(headers())).status).toBe(401)
  })
})
