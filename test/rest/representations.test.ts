import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'
import { open } from '../support/exports.ts'

const t = useApp()

const ITEMS = '/v1/datasets/seoul/items'
const NEARBY = '/v1/dataset-items/nearby?latitude=37.5796&longitude=126.977&radius=5000'
const ask = (path: string, headers: Record<string, string> = {}) =>
  t.get(path, { authorization: `Bearer ${t.key}`, ...headers })

describe('Accept: application/geo+json', () => {
  const GEO = { accept: 'application/geo+json' }

  test.each([`${ITEMS}?limit=3&page=2`, `${NEARBY}&limit=2`])('gives the same page of %s as points', async (path) => {
    const { data, meta } = await (await ask(path)).json()
    const response = await ask(path, GEO)
    expect(response.headers.get('content-type')).toBe('application/geo+json')
    const collection = await response.json()
    expect(collection).toEqual({
      type: 'FeatureCollection',
      features: data.map(({ id, latitude, longitude, ...properties }: Record<string, unknown>) => ({
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates: [Number(longitude), Number(latitude)] },
        properties,
      })),
      meta,
    })
    expect(collection.features.length).toBeGreaterThan(1)
  })

  test('of a nearby search has the distance among the properties', async () => {
    const [palace] = (await (await ask(`${NEARBY}&limit=1`, GEO)).json()).features
    expect(palace).toMatchObject({ id: ITEM.palace, properties: { distance: expect.any(Number) } })
  })

  test('has its own ETag, its own cached response and the same Link header as JSON', async () => {
    for (const _round of [1, 2]) {
      expect((await (await ask(`${ITEMS}?limit=2`, GEO)).json()).type).toBe('FeatureCollection')
      expect(await (await ask(`${ITEMS}?limit=2`)).json()).toHaveProperty('data')
    }
    const response = await ask(`${ITEMS}?limit=2`, GEO)
    expect(response.headers.get('link')).toContain('rel="next"')
    const etag = response.headers.get('etag') ?? ''
    expect((await ask(`${ITEMS}?limit=2`, { ...GEO, 'if-none-match': etag })).status).toBe(304)
    expect((await ask(`${ITEMS}?limit=2`, { 'if-none-match': etag })).status).toBe(200)
  })

  test.each([
    ['application/json;q=0.5, application/geo+json', 'application/geo+json'],
    ['application/geo+json;q=0.5, application/json', 'application/json'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['application/geo+json;charset="UTF-8", application/json;q=0.5', 'application/geo+json'],
    ['application/problem+json', 'application/json'],
    ['APPLICATION/PROBLEM+JSON', 'application/json'],
    ['application/geo+json, application/problem+json', 'application/geo+json'],
    ['', 'application/json'],
    ['application/geo+json; charset="utf-8"', 'application/geo+json'],
    ['APPLICATION/GEO+JSON;Q=0.9 , application/json ; q=0.5', 'application/geo+json'],
    ['application/geo+json; profile="a, b;q=0"', 'application/geo+json'],
    ['text/csv; x="\\", application/geo+json", application/json', 'application/json'],
    ['application/json; indent=4', 'application/json'],
    ['application/geo+json; charset=utf8', 'application/geo+json'],
    ['application/json;q=0, application/*;q=0.1', 'application/geo+json'],
    [',, application/geo+json,', 'application/geo+json'],
  ])('with other types: %s gets %s', async (accept, type) => {
    const response = await ask(ITEMS, { accept })
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
    expect(response.headers.get('vary')).toContain('Accept')
  })
})

describe('Accept without a type that the route has', () => {
  test.each([
    [ITEMS, 'text/csv', 'application/json or application/geo+json'],
    [ITEMS, 'application/json;q=0', 'application/json or application/geo+json'],
    ['/v1/datasets', 'application/problem+json;q=0, text/html', 'application/json'],
    ['/v1/datasets', 'application/geo+json', 'application/json'],
    [`/v1/dataset-items/${ITEM.palace}`, 'image/*', 'application/json'],
  ])('of %s as %s is 406', async (path, accept, types) => {
    const response = await ask(path, { accept })
    expect(response.status).toBe(406)
    expect(await response.json()).toEqual({
      error: { code: 'NOT_ACCEPTABLE', message: `Accept must allow ${types}`, requestId: expect.any(String) },
    })
  })

  test('is as good as none if it has more than 1,000 characters', async () => {
    for (const path of [`${ITEMS}?limit=1`, `${ITEMS}?limit=x`]) {
      const usual = await ask(path)
      const accept = `application/geo+json, application/problem+json${', text/csv'.repeat(100)}`
      const long = await ask(path, { accept, 'accept-encoding': `gzip${', gzip'.repeat(200)}` })
      expect([long.status, long.headers.get('content-type')]).toEqual([usual.status, usual.headers.get('content-type')])
      expect(long.headers.get('content-encoding')).toBeNull()
    }
  })

  test('is 401 and not 406 without a key', async () => {
    expect((await t.get(ITEMS, { accept: 'text/csv' })).status).toBe(401)
  })
})

describe('Link', () => {
  /** The links of a response by relation. */
  const linksOf = async (path: string) => {
    const header = (await ask(path)).headers.get('link') ?? ''
    const parts = header.matchAll(/<([^>]*)>; rel="(\w+)"/g)
    return Object.fromEntries([...parts].map(([, url = '', relation = '']) => [relation, url]))
  }

  test('leads from the first page to the last and back', async () => {
    const seen: string[] = []
    let path: string | undefined = `${ITEMS}?limit=3&sort=createdAt`
    while (path) {
      seen.push(...(await (await ask(path)).json()).data.map(({ id }: { id: string }) => id))
      path = (await linksOf(path)).next
    }
    const { data, meta } = await (await ask(`${ITEMS}?limit=100&sort=createdAt`)).json()
    expect(seen).toEqual(data.map(({ id }: { id: string }) => id))
    const { first, last } = await linksOf(`${ITEMS}?limit=3&sort=createdAt`)
    expect(first).toBe(`${ITEMS}?limit=3&sort=createdAt&page=1`)
    expect((await (await ask(last ?? '')).json()).data.length).toBe(meta.total % 3 || 3)
    expect(await linksOf(last ?? '')).toEqual({ first, prev: expect.stringContaining('page='), last })
  })

  test('repeats every parameter that the route knows, and no other', async () => {
    const { next } = await linksOf(`${NEARBY}&limit=1&unknown=a%26b`)
    expect([...new URL(next ?? '', t.url).searchParams]).toEqual([
      ...[...new URL(NEARBY, t.url).searchParams],
      ['limit', '1'],
      ['page', '2'],
    ])
  })

  test('of a page past the end leads back to the last one', async () => {
    const { prev, last, next } = await linksOf(`${ITEMS}?page=900`)
    expect([prev, next]).toEqual([last, undefined])
    expect(await linksOf(`${ITEMS}?categoryCode=none`)).toEqual({
      first: `${ITEMS}?categoryCode=none&page=1`,
      last: `${ITEMS}?categoryCode=none&page=1`,
    })
  })

  test('is absent on routes without pages', async () => {
    expect((await ask('/v1/datasets')).headers.has('link')).toBe(false)
  })
})

describe('Accept-Encoding', () => {
  /** Sends a request. The body of its response is not decoded. */
  const raw = async (path: string, headers: Record<string, string>) => {
    const response = await open(t, path, headers)
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  }
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip;q=0.5, br', 'br'],
    ['*', undefined],
  ])('%s gets %s', async (accepted, coding) => {
    const plain = await raw(ITEMS, {})
    const { headers, body } = await raw(ITEMS, { 'accept-encoding': accepted })
    if (coding) expect(headers['content-encoding']).toBe(coding)
    const decode = Object.entries(decoders).find(([name]) => name === headers['content-encoding'])?.[1]
    expect(decode?.(body)).toEqual(plain.body)
    expect(body.length).toBeLessThan(plain.body.length / 2)
    expect(Number(headers['content-length'])).toBe(body.length)
    expect(headers.vary).toContain('Accept-Encoding')
    expect(headers.etag).not.toBe(plain.headers.etag)
  })

  test.each([undefined, '', 'identity', 'zstd, deflate', 'gzip;q=0, br;q=0'])(
    '%s is answered plainly',
    async (accepted) => {
      const { headers, body } = await raw(ITEMS, accepted === undefined ? {} : { 'accept-encoding': accepted })
      expect(headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(body.toString())).toHaveProperty('data')
    },
  )

  test('has its own tag in each coding, and a 304 repeats the one that the client sent', async () => {
    const gzip = { 'accept-encoding': 'gzip' }
    const { headers } = await raw(ITEMS, gzip)
    const again = await raw(ITEMS, { ...gzip, 'if-none-match': String(headers.etag) })
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, headers.etag, 0])
    const plain = await raw(ITEMS, { 'if-none-match': String(headers.etag) })
    expect([plain.status, plain.headers.etag === headers.etag]).toEqual([304, true])
    const other = String(headers.etag).replace(/.-gzip/, '!-gzip')
    expect((await raw(ITEMS, { ...gzip, 'if-none-match': other })).status).toBe(200)
  })

  test('has no effect on a short body or on HEAD', async () => {
    expect((await raw('/v1/datasets', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined()
    const { headers } = await raw(ITEMS, { 'accept-encoding': 'gzip' })
    const sent = { authorization: `Bearer ${t.key}`, 'accept-encoding': 'gzip' }
    const head = await fetch(t.url + ITEMS, { method: 'HEAD', headers: sent })
    expect(await head.text()).toBe('')
    for (const name of ['etag', 'content-length', 'content-encoding', 'vary', 'link']) {
      expect(head.headers.get(name)).toBe(headers[name])
    }
  })

  test('works for GraphQL and the pages too', async () => {
    const query = '{dataset(id:"seoul"){items{nodes{id name description streetAddress createdAt updatedAt} total}}}'
    const path = `/graphql?query=${encodeURIComponent(query)}`
    const plain = await raw(path, {})
    for (const _round of [1, 2]) {
      const { headers, body } = await raw(path, { 'accept-encoding': 'gzip' })
      expect(headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(body)).toEqual(plain.body)
    }
    const page = await raw('/graphql', { accept: 'text/html', 'accept-encoding': 'br' })
    expect(brotliDecompressSync(page.body).toString()).toContain('<title>Dataset Catalog</title>')
  })
})
