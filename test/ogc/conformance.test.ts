import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, describe, expect, test } from 'vitest'
import { mapFilters } from '../../src/catalog/filters.ts'
import { DATASET, ITEM, newDataset } from '../support/catalog.ts'
import { CRS84, GEOJSON, ITEMS, linksOf, type OgcLink, startOgc } from '../support/ogc.ts'

/*
 * The requirements of OGC API Features, part 1 (OGC 17-069r4, with its Abstract Test Suite in annex A), on all but features, by
 * their ids. The class HTML is left out: the gateway writes no HTML here.
 */

const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'

const { t, api, get, check } = await startOgc()
afterAll(() => t.close())

describe('/conf/core: landing page, API definition, conformance', () => {
  test.each(['/ogc', '/ogc/'])('/req/core/root-op: GET %s is the landing page', async (path) => {
    expect((await get(path)).status).toBe(200)
  })

  test('/req/core/root-success: it links the API definition, the conformance declaration and the collections', async () => {
    const { body, headers } = await get('/ogc')
    check('LandingPage', body)
    expect(headers.get('content-type')).toBe('application/json')
    const hrefs = Object.fromEntries(body.links.map(({ rel, href }: OgcLink) => [rel, href]))
    expect(hrefs).toEqual({
      self: `${t.url}/ogc`,
      alternate: `${t.url}/ogc?f=html`,
      'service-desc': `${t.url}/ogc/api`,
      conformance: `${t.url}/ogc/conformance`,
      data: `${t.url}/ogc/collections`,
    })
  })

  test('/req/core/api-definition-op, /req/core/api-definition-success: each link to the API definition gives its media type', async () => {
    const { body } = await get('/ogc')
    for (const { href, type } of linksOf(body, 'service-desc')) {
      const { status, headers } = await get(href, { accept: type })
      expect([status, headers.get('content-type')]).toEqual([200, type])
    }
  })

  test('/req/core/conformance-op, /req/core/conformance-success: the declaration names the classes', async () => {
    const { status, body } = await get('/ogc/conformance')
    expect(status).toBe(200)
    check('Conformance', body)
    for (const name of ['core', 'oas30', 'geojson']) {
      expect(body.conformsTo).toContain(`http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`)
    }
    expect(body.conformsTo).toContain('http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs')
  })

  test('/req/core/http: HEAD, OPTIONS and 405 are as HTTP says', async () => {
    for (const path of ['/ogc', '/ogc/collections', ITEMS]) {
      const send = (method: string) => fetch(t.url + path, { method, headers: { authorization: `Bearer ${t.key}` } })
      const [head, options, post] = await Promise.all([send('HEAD'), send('OPTIONS'), send('POST')])
      expect([head.status, options.status, post.status]).toEqual([200, 204, 405])
      expect(head.headers.get('etag')).toMatch(/^(W\/)?"/)
      expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect((await post.json()).code).toBe('METHOD_NOT_ALLOWED')
    }
  })
})

describe('/conf/core: collections', () => {
  test('/req/core/fc-md-op, /req/core/fc-md-success, /req/core/fc-md-items: the list has the collections that the key may access', async () => {
    const { status, body } = await get('/ogc/collections')
    expect(status).toBe(200)
    check('Collections', body)
    expect(body.collections.map(({ id }: { id: string }) => id)).toEqual(['archived', 'seoul'])
  })

  test('/req/core/fc-md-links: the list links itself', async () => {
    const { body } = await get('/ogc/collections')
    expect(linksOf(body, 'self')).toMatchObject([{ href: `${t.url}/ogc/collections`, type: 'application/json' }])
  })

  test('/req/core/fc-md-items-links: each collection links its items, with a media type', async () => {
    const { body } = await get('/ogc/collections')
    for (const collection of body.collections) {
      const [link] = linksOf(collection, 'items')
      expect(link).toMatchObject({ href: `${t.url}/ogc/collections/${collection.id}/items`, type: GEOJSON })
      expect((await get(link?.href ?? '')).headers.get('content-type')).toBe(GEOJSON)
    }
  })

  test('/req/core/fc-md-extent: the extent contains all items, and no more', async () => {
    const { body } = await get('/ogc/collections/archived')
    expect(body.extent).toEqual({
      spatial: { bbox: [[126.977, 37.58, 126.977, 37.58]], crs: CRS84 },
      temporal: {
        interval: [['2026-01-04T09:00:00.000Z', '2026-01-04T09:00:00.000Z']],
        trs: 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian',
      },
    })
    // An item is at longitude 180, and none is west of -0.5.
    const seoul = (await get('/ogc/collections/seoul')).body.extent
    expect(seoul.spatial.bbox).toEqual([[-0.5, -90, 180, 37.579617]])
    expect(seoul.temporal.interval).toEqual([['2026-01-04T09:00:00.000Z', '2026-01-20T09:00:00.000Z']])
  })

  test('/req/core/sfc-md-op, /req/core/sfc-md-success: a collection alone is the same as in the list', async () => {
    const { body } = await get('/ogc/collections')
    for (const collection of body.collections) {
      const alone = await get(linksOf(collection, 'self')[0]?.href ?? '')
      expect([alone.status, alone.body]).toEqual([200, collection])
      check('Collection', alone.body)
    }
  })

  test('a collection has title, description and credit line', async () => {
    const { body } = await get('/ogc/collections/seoul')
    expect(body).toMatchObject({
      id: 'seoul',
      title: 'Seoul',
      description: 'Places in Seoul',
      attribution: 'Credit of seoul',
    })
    expect((await get('/ogc/collections/archived')).body).not.toHaveProperty('description')
  })

  test.each([
    ['© A, https://creativecommons.org/licenses/by/4.0/.', 'https://creativecommons.org/licenses/by/4.0/'],
    ['© B (https://example.org/licence).', 'https://example.org/licence'],
    ['© C, http://', `/v1/datasets/${DATASET.archived}`],
  ])('/rec/core/fc-md-license: the credit line %s gives the link %s', async (attribution, href) => {
    await t.database.prisma.dataset.update({ where: { id: DATASET.archived }, data: { attribution } })
    const licence = async () => linksOf((await get('/ogc/collections/archived')).body, 'license')[0]
    await expect.poll(licence, { interval: 5 }).toMatchObject({ href: new URL(href, t.url).href, title: attribution })
  })

  test('a collection without items has no extent', async () => {
    const { prisma } = t.database
    await prisma.dataset.create({ data: newDataset({ slug: 'empty', name: 'Empty' }) })
    const { status, body } = await get('/ogc/collections/empty')
    expect([status, body.extent]).toEqual([200, undefined])
    const items = await get('/ogc/collections/empty/items?bbox=-180,-90,180,90&datetime=../2030-01-01T00:00:00Z')
    expect(items.body).toMatchObject({ numberMatched: 0, numberReturned: 0, features: [] })
    await prisma.dataset.delete({ where: { slug: 'empty' } })
  })
})

describe('/conf/oas30', () => {
  test('/req/oas30/oas-definition-1, /req/oas30/oas-definition-2: the definition is a valid OpenAPI 3.0 document', async () => {
    const { headers } = await get('/ogc/api')
    expect(headers.get('content-type')).toBe(OPENAPI)
    expect((await get('/ogc/api', { accept: 'application/json' })).headers.get('content-type')).toBe('application/json')
    expect([api.openapi, api.servers[0].url]).toEqual(['3.0.3', `${t.url}/ogc`])
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(api), absoluteRef: 'ogc.json', config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  test('/req/oas30/oas-impl, /req/oas30/completeness: every path and parameter of the definition works, and there are no others', async () => {
    const values: Record<string, string> = { collectionId: 'seoul', featureId: ITEM.palace }
    const examples: Record<string, string> = {
      limit: '1',
      bbox: '0,0,1,1',
      'bbox-crs': CRS84,
      crs: CRS84,
      datetime: '2026-01-01T00:00:00Z',
      ...mapFilters(() => 'x'),
      after: ITEM.palace,
      offset: '1',
      startindex: '1',
      f: 'json',
    }
    for (const [template, { get: operation }] of Object.entries<{
      get: { parameters: { $ref?: string; name?: string }[] }
    }>(api.paths)) {
      const path = `/ogc${template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')}`
      const names = operation.parameters
        .map(({ $ref, name = '' }) => $ref?.split('/').pop() ?? name)
        .filter((name) => !(name in values))
      for (const start of ['after', 'offset', 'startindex']) {
        const together = names.filter((name) => name === start || !['after', 'offset', 'startindex'].includes(name))
        const query = new URLSearchParams(together.map((name) => [name, examples[name] ?? '']))
        expect([path, (await get(`${path}?${query}`)).status]).toEqual([path, 200])
      }
      expect([path, (await get(`${path}?unknown=1`)).status]).toEqual([path, 400])
    }
    const templates = [
      '/',
      '/conformance',
      '/api',
      '/collections',
      '/collections/{collectionId}',
      '/collections/{collectionId}/queryables',
    ]
    const items = '/collections/{collectionId}/items'
    expect(Object.keys(api.paths)).toEqual([...templates, items, `${items}/{featureId}`])
  })

  test('/req/oas30/exception-codes: the definition has the errors of each operation', () => {
    const codes = Object.keys(api.paths['/collections/{collectionId}/items'].get.responses)
    expect(codes).toEqual(
      expect.arrayContaining(['200', '304', '400', '401', '403', '404', '406', '429', '500', '503']),
    )
  })

  test('/req/oas30/security: the definition has the API key', () => {
    expect(api.security).toEqual([{ apiKey: [] }])
    expect(api.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
  })
})

test('the page on OGC API Features names every conformance class', async () => {
  const { body } = await get('/ogc/conformance')
  const page = readFileSync(new URL('../../docs/ogc.md', import.meta.url), 'utf8')
  expect(
    body.conformsTo.filter((name: string) => !page.includes(name.replace('http://www.opengis.net/spec/', ''))),
  ).toEqual([])
})
