import { beforeAll, describe, expect, test } from 'vitest'
import { createKey, revokeKey, updateKey } from '../../src/auth/keys.ts'
import { parseOrigin } from '../../src/config/origin.ts'
import { post } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { expectWithinASecond } from '../support/freshness.ts'

const MAPS = 'https://maps.example'
const OTHER = 'https://other.example'
const TRUSTED = 'https://trusted.example'

const t = useApp({ corsOrigins: [TRUSTED] })
let key: { id: string; key: string }
beforeAll(async () => {
  key = await createKey(t.database.prisma, { name: 'maps', origins: [MAPS, 'http://localhost:8080'] })
})

const get = (headers: Record<string, string>, path = '/v1/datasets', secret = key.key) =>
  t.get(path, { authorization: `Bearer ${secret}`, ...headers })
const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')
const preflight = (origin: string, path = '/v1/datasets') =>
  fetch(t.url + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
  })

describe('A key with origins', () => {
  test.each([
    ['Origin', { origin: MAPS }],
    ['another Origin of the key', { origin: 'http://localhost:8080' }],
    ['Referer', { referer: `${MAPS}/city?x=1` }],
    ['Origin, whatever Referer says', { origin: MAPS, referer: `${OTHER}/` }],
  ])('works with its %s, on every path', async (_what, headers: Record<string, string>) => {
    const tile = '/tiles/all/0/0/0.mvt'
    for (const path of ['/v1/datasets', tile, '/exports/seoul.csv', '/graphql?query={datasets{total}}', '/ogc']) {
      const response = await get(headers, path)
      expect([path, response.status, allowed(response)]).toEqual([path, 200, headers.origin ?? null])
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/)
    }
  })

  test.each([
    ['another Origin', { origin: OTHER }, 'another one'],
    ['an Origin of CORS_ORIGINS', { origin: TRUSTED }, 'another one'],
    ['another Origin and its Referer', { origin: OTHER, referer: `${MAPS}/` }, 'another one'],
    ['another port', { origin: `${MAPS}:8443` }, 'another one'],
    ['another scheme', { origin: 'http://maps.example' }, 'another one'],
    ['a subdomain', { origin: 'https://x.maps.example' }, 'another one'],
    ['an opaque Origin', { origin: 'null' }, 'another one'],
    ['another Referer', { referer: `${OTHER}/?${MAPS}` }, 'another one'],
    ['a malformed Referer', { referer: 'maps.example' }, 'neither Origin nor Referer'],
    ['neither', {}, 'neither Origin nor Referer'],
  ])('is refused with %s, with a message that says so', async (_what, headers: Record<string, string>, seen) => {
    for (const path of ['/v1/datasets', '/exports/seoul.csv', '/ogc']) {
      const response = await get(headers, path)
      expect([path, response.status, allowed(response)]).toEqual([path, 401, null])
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
      const text = await response.text()
      expect(text).toContain('works only for requests of web pages with its origins')
      expect(text).toContain(seen)
      expect(text).not.toContain(MAPS)
    }
  })

  test('opens no response to a key without origins', async () => {
    expect(allowed(await get({ origin: MAPS }, '/v1/datasets', t.key))).toBeNull()
    expect(allowed(await get({ origin: TRUSTED }, '/v1/datasets', t.key))).toBe(TRUSTED)
  })

  test('may be used by its pages at /mcp', async () => {
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect((await post(t.url, key.key, list, { origin: MAPS })).status).toBe(200)
    expect((await post(t.url, key.key, list, { origin: OTHER })).status).toBe(403)
    expect((await post(t.url, key.key, list, { origin: TRUSTED })).status).toBe(401)
  })

  test('changes its origins within a second', async () => {
    const { prisma } = t.database
    const moved = await createKey(prisma, { name: 'moved', origins: ['https://before.example'] })
    const status = async (origin: string) => (await get({ origin }, '/v1/datasets', moved.key)).status
    expect(await status('https://before.example')).toBe(200)
    await updateKey(prisma, moved.id, { origins: ['https://after.example'] })
    const both = async () => [await status('https://before.example'), await status('https://after.example')]
    await expectWithinASecond(both, (statuses) => expect(statuses).toEqual([401, 200]))
    await updateKey(prisma, moved.id, { origins: [] })
    await expectWithinASecond(
      () => get({}, '/v1/datasets', moved.key),
      (response) => expect(response.status).toBe(200),
    )
  })
})

describe('A preflight request', () => {
  test('is answered for the origins of all keys and those of CORS_ORIGINS, and for no others', async () => {
    for (const path of ['/v1/datasets', '/tiles/all/0/0/0.mvt', '/graphql']) {
      for (const origin of [MAPS, 'http://localhost:8080', TRUSTED]) {
        const response = await preflight(origin, path)
        expect([path, response.status, allowed(response)]).toEqual([path, 204, origin])
        expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
      }
      expect(allowed(await preflight(OTHER, path))).toBeNull()
    }
  })

  test('follows new, changed and revoked keys within a second', async () => {
    const { prisma } = t.database
    const origins = async () => [
      allowed(await preflight('https://one.example')),
      allowed(await preflight('https://two.example')),
    ]
    expect(await origins()).toEqual([null, null])
    const { id } = await createKey(prisma, { name: 'new', origins: ['https://one.example'] })
    await expectWithinASecond(origins, (found) => expect(found).toEqual(['https://one.example', null]))
    await updateKey(prisma, id, { origins: ['https://two.example'] })
    await expectWithinASecond(origins, (found) => expect(found).toEqual([null, 'https://two.example']))
    await revokeKey(prisma, id)
    await expectWithinASecond(origins, (found) => expect(found).toEqual([null, null]))
  })
})

test("a page of a key's origin may read why a request without a valid key is refused", async () => {
  const unknown = await get({ origin: MAPS }, '/v1/datasets', `dck_${'A'.repeat(43)}`)
  expect([unknown.status, allowed(unknown)]).toEqual([401, MAPS])
  expect(allowed(await get({ origin: OTHER }, '/v1/datasets', 'x'))).toBeNull()
})

test.each([
  ['https://maps.example', MAPS],
  ['https://Maps.Example:443/', MAPS],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['https://지도.example', 'https://xn--hq1bx03b.example'],
  ...[
    'tauri://localhost',
    'capacitor://localhost',
    'ionic://localhost:8100',
    'app://obsidian.md',
    'ftp://maps.example',
    'app://[::1]:8080',
  ].map((origin) => [origin, origin]),
  ['chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb', 'chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb'],
  ['TAURI://LocalHost', 'tauri://localhost'],
  ['Capacitor://LOCALHOST/', 'capacitor://localhost'],
  ['moz-extension://0B1C2D3E-aaaa-bbbb-cccc-000000000000/', 'moz-extension://0b1c2d3e-aaaa-bbbb-cccc-000000000000'],
])('%s is the origin %s', (text = '', origin) => {
  expect(parseOrigin(text)).toEqual({ origin })
})

test.each([
  ...['maps.example', 'https://maps.example/city', 'https://maps.example?x', 'https://u:p@maps.example'],
  ...[
    'file:///',
    'tauri://',
    'null',
    '*',
    'https://*.example',
    'app://*',
    'https://a;b',
    'https://a,b',
    'data:text/html,x',
  ],
  ...['tauri://localhost/index.html', 'app://u@obsidian.md', 'app://obsidian.md?x'],
])('%j is no origin, and the message names it and what to write', (text) => {
  expect(parseOrigin(text)).toEqual({ problem: expect.stringContaining(text) })
  expect(parseOrigin(text)).toEqual({ problem: expect.stringMatching(/; (write|name|serve) /) })
})

test.each(['tauri://localhost', 'chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb', 'app://obsidian.md'])(
  'a key works for the app %s, at every door, by Origin and by Referer',
  async (origin) => {
    const app = await createKey(t.database.prisma, { name: origin, origins: [origin] })
    for (const path of ['/v1/datasets', '/tiles/all/0/0/0.mvt', '/ogc']) {
      const response = await get({ origin }, path, app.key)
      expect([path, response.status, allowed(response)]).toEqual([path, 200, origin])
      expect((await get({ referer: `${origin}/index.html` }, path, app.key)).status).toBe(200)
    }
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect((await post(t.url, app.key, list, { origin })).status).toBe(200)
    expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBe(origin)
  },
)

test("a page of a key's origin may read that a path is unknown or does not take a method", async () => {
  expect([(await preflight(MAPS, '/v1/datasets/')).status, (await preflight(OTHER, '/v1/datasets/')).status]).toEqual([
    204, 404,
  ])
  for (const origin of [MAPS, TRUSTED, OTHER]) {
    const readable = origin === OTHER ? null : origin
    for (const path of ['/nope', '/v1/datasets/', '/tiles/x.json']) {
      const response = await get({ origin }, path)
      expect([path, response.status, allowed(response)]).toEqual([path, 404, readable])
    }
    const refused = await fetch(`${t.url}/v1/datasets`, { method: 'POST', headers: { origin } })
    expect([refused.status, allowed(refused)]).toEqual([405, readable])
  }
})
