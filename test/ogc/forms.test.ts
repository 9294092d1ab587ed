import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'
import { GEOJSON, getOgc, ITEMS, linksOf } from '../support/ogc.ts'

/*
 * The parameter `f`, by which clients that can't set `Accept` choose the form of a response.
 */

const t = useApp()

const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'
const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json'
const DOCUMENT = { json: JSON_TYPE, html: HTML }
const FEATURES = { geojson: GEOJSON, ...DOCUMENT }

describe.each<[string, Record<string, string>]>([
  ['/ogc', DOCUMENT],
  ['/ogc/conformance', DOCUMENT],
  ['/ogc/api', { openapi: OPENAPI, ...DOCUMENT }],
  ['/ogc/collections', DOCUMENT],
  ['/ogc/collections/seoul', DOCUMENT],
  ['/ogc/collections/seoul/queryables', { schema: 'application/schema+json', ...DOCUMENT }],
  [ITEMS, FEATURES],
  [`${ITEMS}/${ITEM.palace}`, FEATURES],
])('%s', (path, forms) => {
  test('has each of its forms by f, whatever Accept says', async () => {
    for (const [f, mediaType] of Object.entries(forms)) {
      for (const accept of ['text/html', 'application/json', 'image/png']) {
        const headers = { authorization: `Bearer ${t.key}`, accept }
        const response = await fetch(`${t.url}${path}?f=${f}`, { headers })
        expect([f, response.status, response.headers.get('content-type')]).toEqual([f, 200, mediaType])
      }
    }
    const { body } = await getOgc(t, `${path}?f=json`)
    const { links = [], ...others } = (await getOgc(t, path)).body
    const { timeStamp, $id } = body
    expect({ ...body, links }).toEqual({ ...others, links, ...(timeStamp && { timeStamp }), ...($id && { $id }) })
  })

  test('refuses every other f, and names its own', async () => {
    const message = `must be one of ${Object.keys(forms).join(', ')}`
    for (const f of ['', 'JSON', 'pjson', 'xml', 'html%20', 'text/html']) {
      const { status, body } = await getOgc(t, `${path}?f=${f}`)
      expect([f, status, body.details]).toEqual([f, 400, [{ field: 'f', message }]])
    }
    const twice = await getOgc(t, `${path}?f=json&f=json`)
    expect(twice.body.details).toEqual([{ field: 'f', message: 'must be given once' }])
  })

  test('has its forms in the API definition', async () => {
    const { body: api } = await getOgc(t, '/ogc/api')
    const template = path.slice('/ogc'.length).replace('seoul', '{collectionId}').replace(ITEM.palace, '{featureId}')
    const { parameters, responses } = api.paths[template || '/'].get
    const f = parameters.find(({ name }: { name?: string }) => name === 'f')
    expect(f).toMatchObject({ in: 'query', required: false, schema: { type: 'string', enum: Object.keys(forms) } })
    expect(Object.keys(responses[200].content)).toEqual(
      Object.values(forms).map((mediaType) => mediaType.replace('; charset=utf-8', '')),
    )
  })

  test('links its other forms by f, if it has links', async () => {
    for (const f of Object.keys(forms).filter((form) => form !== 'html')) {
      const { body } = await getOgc(t, `${path}?f=${f}`)
      if (!body.links) continue
      const others = Object.keys(forms).filter((form) => form !== f)
      const alternates = linksOf(body, 'alternate')
      expect(alternates.map(({ href }) => href)).toEqual(others.map((form) => `${t.url}${path}?f=${form}`))
      for (const { href, type } of alternates) {
        const { headers } = await fetch(href, { headers: { authorization: `Bearer ${t.key}` } })
        expect(headers.get('content-type')?.replace('; charset=utf-8', '')).toBe(type)
      }
    }
  })
})

test('next links keep f', async () => {
  const { body } = await getOgc(t, `${ITEMS}?limit=1&f=json`)
  const [next] = linksOf(body, 'next')
  expect(next).toMatchObject({ href: `${t.url}${ITEMS}?limit=1&f=json&after=${ITEM.palace}`, type: JSON_TYPE })
})

test('a page opens without a key, and JSON by f does not', async () => {
  const statuses = ['html', 'json'].map(async (f) => (await fetch(`${t.url}/ogc/collections?f=${f}`)).status)
  expect(await Promise.all(statuses)).toEqual([200, 401])
})
