import { expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { useApp } from '../support/app.ts'

/*
 * A gateway below a path: a proxy at `https://example.org/geo/` removes `/geo`. The browser tests have nginx as this proxy.
 */

const PUBLIC = 'https://example.org/geo'
const t = useApp({ basePath: '/geo', limits: { trustedProxies: ['127.0.0.1'] } })

/** The answer of the proxy to a request for an address. */
const get = async (address: string, accept = 'application/json') => {
  const { origin, pathname, search } = new URL(address)
  expect(origin + pathname).toMatch(/^https:\/\/example\.org\/geo\//)
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'example.org' }
  const headers = { authorization: `Bearer ${t.key}`, accept, ...forwarded }
  const response = await fetch(t.url + pathname.slice('/geo'.length) + search, { headers })
  return { status: response.status, link: response.headers.get('link') ?? '', text: await response.text() }
}
const HTML = 'text/html, */*;q=0.1'

test.each([
  '/v1/datasets/seoul/items?limit=2&page=2',
  '/v1/dataset-items/nearby?latitude=37.58&longitude=126.977&limit=1',
  '/search?text=서울 a&limit=1',
])('Link headers of %s have the path', async (path) => {
  const header = (await get(PUBLIC + path)).link
  const links = [...header.matchAll(/<([^>]*)>/g)].map(([, link = '']) => new URL(link, PUBLIC).href)
  expect(links.length).toBeGreaterThan(1)
  for (const link of links) expect((await get(link)).status).toBe(200)
})

test('all links of /ogc have the path, and lead to its resources', async () => {
  const seen = new Set<string>()
  const follow = async (address: string) => {
    if (seen.has(address)) return
    seen.add(address)
    const { status, link: header, text } = await get(address, 'application/geo+json, application/json')
    expect([address, status]).toEqual([address, 200])
    for (const [, link = ''] of header.matchAll(/<([^>]*)>/g)) expect(link).toContain(PUBLIC)
    for (const [, link = ''] of text.matchAll(/"(?:href|url)":"(https:\/\/example\.org[^"]*)"/g)) await follow(link)
  }
  await follow(`${PUBLIC}/ogc`)
  await follow(`${PUBLIC}/ogc/collections/seoul/items?limit=2`)
  expect([...seen].filter((address) => address.includes('after='))).not.toEqual([])
  expect([...seen]).toEqual(expect.arrayContaining([`${PUBLIC}/docs`, `${PUBLIC}/ogc/api`]))
})

test('the OpenAPI documents have the path', async () => {
  for (const path of ['/openapi.json', '/v1/openapi.json', '/v1/openapi-3.0.json', '/ogc/api']) {
    const { servers } = JSON.parse((await get(PUBLIC + path)).text)
    expect(servers).toMatchObject([{ url: path === '/ogc/api' ? `${PUBLIC}/ogc` : PUBLIC }])
  }
})

test.each(['/', '/docs', '/embed/ID', '/graphql', '/ogc', '/ogc/', '/ogc/collections', '/ogc/collections/seoul/items'])(
  'the page %s finds its files and the other pages, below the path and without it',
  async (name) => {
    const { id } = await createKey(t.database.prisma, { name, origins: ['https://example.org'] })
    await t.hearChanges()
    const path = name.replace('ID', id)
    const { text: html } = await get(PUBLIC + path, HTML)
    const links = [...html.matchAll(/ (?:href|src)="([^"#][^"]*)"/g)].map(([, link = '']) => link)
    const own = links.filter((link) => !link.startsWith('data:'))
    expect(own.length).toBeGreaterThanOrEqual(5)
    for (const link of own) {
      expect((await get(new URL(link, PUBLIC + path).href, HTML)).status).toBe(200)
      const direct = await t.get(new URL(link, t.url + path).pathname, { accept: HTML })
      expect([direct.status, await direct.text()]).toEqual([200, expect.anything()])
    }
  },
)

test('the scripts of a page import each other by relative addresses', async () => {
  const { text: html } = await get(`${PUBLIC}/`, HTML)
  const [, main = ''] = /src="([^"]*main\.js)"/.exec(html) ?? []
  const seen = new Set<string>()
  const load = async (address: string): Promise<void> => {
    if (seen.has(address)) return
    seen.add(address)
    const { status, text } = await get(address)
    expect([address, status]).toEqual([address, 200])
    const imports = address.includes('/lib/') ? [] : [...text.matchAll(/(?:import|from) ?\(?[`'"](\.[^`'"]*)/g)]
    await Promise.all(imports.map(([, link = '']) => load(new URL(link, address).href)))
  }
  await load(new URL(main, `${PUBLIC}/`).href)
  expect([...seen].some((address) => address.includes('/lib/maplibre-gl/'))).toBe(true)
})

test.each([
  ['', ''],
  ['/', ''],
  ['/geo', '/geo'],
  ['/geo/', '/geo'],
  ['/a/b.c-d_e~1', '/a/b.c-d_e~1'],
])('BASE_PATH=%s is "%s"', (given, path) => {
  expect(readConfig({ BASE_PATH: given }).basePath).toBe(path)
})

test.each(['geo', '//geo', '/a//b', 'https://example.org/geo', '/geo?x', '/ge o', '/서울', '/..'])(
  'BASE_PATH=%s is refused',
  (given) => {
    expect(() => readConfig({ BASE_PATH: given })).toThrow('BASE_PATH must be a path such as /geo')
  },
)
