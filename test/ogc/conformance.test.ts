import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import { afterAll, describe, expect, test } from 'vitest'
import { EXPORT_FIELDS } from '../../src/catalog/columns.ts'
import { ITEM_FILTERS, mapFilters } from '../../src/catalog/filters.ts'
import { DATASET, ITEM, newDataset, SEOUL_ITEMS } from '../support/catalog.ts'
import { CRS84, GEOJSON, ITEMS, idsOf, linksOf, type OgcLink, readPages, startOgc } from '../support/ogc.ts'
import { lint } from '../support/openapi.ts'

/*
 * The requirements of OGC API Features, by their ids: part 1 (OGC 17-069r4, with its Abstract Test Suite in annex A; its class HTML is
 * left out, because the gateway writes no HTML here), part 2 (OGC 18-058r1) and part 3 (OGC 19-079r2).
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
    // It is seen within a second.
    await expect.poll(async () => (await get('/ogc/collections/empty')).status).toBe(200)
    expect((await get('/ogc/collections/empty')).body.extent).toBeUndefined()
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
    expect(await lint(JSON.stringify(api))).toEqual([])
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
    type Operation = { get: { parameters: { $ref?: string; name?: string }[] } }
    for (const [template, { get: operation }] of Object.entries<Operation>(api.paths)) {
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
    const collection = '/collections/{collectionId}'
    const items = [`${collection}/queryables`, `${collection}/items`, `${collection}/items/{featureId}`]
    expect(Object.keys(api.paths)).toEqual(['/', '/conformance', '/api', '/collections', collection, ...items])
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

const idsFor = async (query: string) => idsOf(await readPages(t, `${ITEMS}?limit=1000&${query}`)).sort()

describe('/conf/core: features', () => {
  test('/req/core/fc-op, /req/core/fc-response: all features of the collection, by their links', async () => {
    const pages = await readPages(t, `${ITEMS}?limit=4`)
    expect(pages.map(({ numberReturned }) => numberReturned)).toEqual([4, 4, 1])
    const ids = idsOf(pages)
    expect(ids).toEqual(SEOUL_ITEMS)
    for (const page of pages) check('FeatureCollection', page)
  })

  test.each([
    ['limit', { type: 'integer', minimum: 1, maximum: 10_000, default: 100 }],
    ['bbox', { type: 'array', items: { type: 'number' }, oneOf: [4, 6].map((n) => ({ minItems: n, maxItems: n })) }],
    ['datetime', { type: 'string' }],
  ])(
    '/req/core/fc-limit-definition, fc-bbox-definition, fc-time-definition: %s is in the definition',
    (name, schema) => {
      const parameter = { name, in: 'query', required: false, style: 'form', explode: false, schema }
      expect(api.components.parameters[name]).toMatchObject(parameter)
    },
  )

  test('/req/core/fc-limit-response-1: not more features than limit; a limit above the maximum counts as the maximum', async () => {
    expect((await get(`${ITEMS}?limit=2`)).body.features).toHaveLength(2)
    expect((await get(`${ITEMS}?limit=9`)).body.links.map(({ rel }: OgcLink) => rel)).not.toContain('next')
    for (const limit of ['10001', '99999999999999999999999999']) {
      const { status, body } = await get(`${ITEMS}?limit=${limit}`)
      expect([status, body.features.length]).toEqual([200, 9])
    }
  })

  test.each([
    ['126.976,37.575,126.978,37.58', [ITEM.palace, ITEM.gate, ITEM.hall]],
    ['126.976,37.575,-1000,126.978,37.58,1000', [ITEM.palace, ITEM.gate, ITEM.hall]],
    ['127,37.5,127,37.5', [ITEM.same1, ITEM.same2]],
    ['+1.27e2,37.5,127.0,3.75E1', [ITEM.same1, ITEM.same2]],
    ['170,-90,-170,90', [ITEM.umlaut]],
    ['179,-90,180,-90', [ITEM.umlaut]],
    ['-1,-1e-7,0,1e-7', [ITEM.plain]],
    ['-180,-90,180,90', Object.values(ITEM).slice(0, 9)],
    ['0,0,1,1', []],
  ])('/req/core/fc-bbox-response: bbox=%s selects the features in it, edges included', async (bbox, ids) => {
    expect(await idsFor(`bbox=${encodeURIComponent(bbox)}`)).toEqual(ids)
    // The comma is a delimiter, also as it is.
    expect(await idsFor(`bbox=${bbox.replace('+', '%2B')}`)).toEqual(ids)
  })

  const PALACE = [ITEM.palace]
  const OTHERS = Object.values(ITEM).slice(1, 9)
  test.each([
    ['2026-01-20T09:00:00Z', PALACE],
    ['2026-01-20T18:00:00.000+09:00', PALACE],
    ['2026-01-20t09:00:00z', PALACE],
    ['2026-01-20T08:59:60Z', PALACE],
    ['2026-01-20T09:00:00.0001Z', []],
    ['2026-01-20T09:00:00.0001Z/..', []],
    ['../2026-01-20T08:59:59.9999Z', OTHERS],
    ['2026-01-05T00:00:00Z/2026-01-20T09:00:00Z', PALACE],
    ['2026-01-05T00:00:00Z/..', PALACE],
    ['2026-01-05T00:00:00Z/', PALACE],
    ['../2026-01-05T00:00:00Z', OTHERS],
    ['/2026-01-05T00:00:00Z', OTHERS],
    ['0000-01-01T00:00:00+23:59/9999-12-31T23:59:59-23:59', [...PALACE, ...OTHERS]],
    ['2026-01-20T09:00:00.001Z/2026-02-01T00:00:00Z', []],
    ['2026-01-20', PALACE],
    ['2026-01-19', []],
    ['2026-01-21', []],
    ['2026-01-20/..', PALACE],
    ['2026-01-21/..', []],
    ['../2026-01-20', [...PALACE, ...OTHERS]],
    ['../2026-01-19', OTHERS],
    ['2026-01-20/2026-01-20', PALACE],
    ['2026-01-20T09:00:00Z/2026-01-20', PALACE],
    ['2026-01-20/2026-01-20T08:59:59Z', []],
    // GDAL writes a date so.
    ['2026-01-20T/..', PALACE],
    ['2026-01-20T/2026-01-21T', PALACE],
    ['../2026-01-19T', OTHERS],
    ['2026-01-20 09:00:00Z', PALACE],
    ['2026-01-20 09:00:00.000000000z/..', PALACE],
    ['2026-01-20T18:00:00+0900', PALACE],
    ['2026-01-20T18:00:00+09', PALACE],
    ['2026-01-20T00:30:00-0830', PALACE],
    ['2026-01-20T18:00:00.0 09:00', PALACE],
  ])('/req/core/fc-time-response: datetime=%s selects by updatedAt, ends included', async (datetime, ids) => {
    expect(await idsFor(`datetime=${encodeURIComponent(datetime)}`)).toEqual(ids)
  })

  test('/rec/core/fc-filters: queryables select by equality, and all selections hold together', async () => {
    expect(await idsFor('categoryCode=twin')).toEqual([ITEM.same1, ITEM.same2])
    expect(await idsFor('administrativeAreaCode=11110')).toEqual([ITEM.palace, ITEM.gate, ITEM.hall])
    expect(await idsFor('administrativeAreaCode=11110&categoryCode=gate')).toEqual([ITEM.gate])
    expect(await idsFor('categoryCode=palace&bbox=126,37,128,38&datetime=../2026-02-01T00:00:00Z')).toEqual([
      ITEM.palace,
    ])
    expect(await idsFor('categoryCode=palace&bbox=127,37,128,38')).toEqual([])
    expect(await idsFor("categoryCode=it's")).toEqual([])
  })

  test('/req/core/fc-links, /req/core/fc-rel-type: a page links itself, its other media types and the next page', async () => {
    const { body, headers } = await get(`${ITEMS}?limit=2&categoryCode=twin`)
    const url = `${t.url}${ITEMS}?limit=2&categoryCode=twin`
    expect(linksOf(body, 'self')).toMatchObject([{ href: url, type: GEOJSON }])
    expect(linksOf(body, 'alternate')).toMatchObject([
      { href: `${url}&f=json`, type: 'application/json' },
      { href: `${url}&f=html`, type: 'text/html' },
    ])
    expect(linksOf(body, 'next')).toEqual([])
    expect(headers.get('link')).toContain(`<${url}>; rel="self"; type="${GEOJSON}"`)
    const first = await get(`${ITEMS}?limit=1&categoryCode=twin`)
    expect(first.headers.get('link')).toContain(`after=${ITEM.same1}>; rel="next"`)
    for (const link of first.body.links)
      expect(link).toEqual(expect.objectContaining({ rel: expect.any(String), type: expect.any(String) }))
  })

  test('the Link header is left out where it would be too long for clients, and the body has the links', async () => {
    const { status, headers, body } = await get(`${ITEMS}?addressRegion=${encodeURIComponent('가'.repeat(200))}`)
    expect([status, headers.get('link')]).toEqual([200, null])
    expect(body.links.map(({ rel }: OgcLink) => rel)).toContain('self')
  })

  test('/req/core/fc-timeStamp, /req/core/fc-numberMatched, /req/core/fc-numberReturned: the numbers are exact', async () => {
    const before = Date.now()
    const { body } = await get(`${ITEMS}?limit=1&administrativeAreaCode=11680&after=${ITEM.museum}`)
    expect(Date.parse(body.timeStamp)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(body.timeStamp)).toBeLessThanOrEqual(Date.now())
    expect([body.numberMatched, body.numberReturned]).toEqual([2, 1])
  })

  test('/req/core/f-op, /req/core/f-success, /req/core/f-links: a feature alone is the same as on its page, with links', async () => {
    const { body } = await get(`${ITEMS}?limit=3`)
    for (const feature of body.features) {
      const alone = await get(`${ITEMS}/${feature.id}`)
      const { links, ...same } = alone.body
      expect([alone.status, same]).toEqual([200, feature])
      check('Feature', alone.body)
      expect(linksOf({ links }, 'self')).toMatchObject([{ href: `${t.url}${ITEMS}/${feature.id}`, type: GEOJSON }])
      expect(linksOf({ links }, 'alternate')).toMatchObject([{ type: 'application/json' }, { type: 'text/html' }])
      expect(linksOf({ links }, 'collection')).toMatchObject([{ href: `${t.url}/ogc/collections/seoul` }])
      expect((await get(`${ITEMS}/${feature.id.toUpperCase()}`)).status).toBe(200)
    }
  })

  test('/req/core/crs84: coordinates are longitude, then latitude', async () => {
    const { body } = await get(`${ITEMS}/${ITEM.palace}`)
    expect(body.geometry).toEqual({ type: 'Point', coordinates: [126.977041, 37.579617] })
  })
})

describe('/conf/geojson', () => {
  test('/req/geojson/definition: features are application/geo+json', async () => {
    for (const path of [ITEMS, `${ITEMS}/${ITEM.palace}`]) {
      expect((await get(path)).headers.get('content-type')).toBe(GEOJSON)
      expect((await get(path, { accept: 'application/json' })).headers.get('content-type')).toBe('application/json')
      expect((await get(path, { accept: `${GEOJSON}, application/json` })).headers.get('content-type')).toBe(GEOJSON)
    }
  })

  test('/req/geojson/content: the properties are those of the export', async () => {
    const { body } = await get(`${ITEMS}/${ITEM.palace}`)
    const exported = await (await t.get('/exports/seoul.geojson')).json()
    const { links, ...feature } = body
    expect(feature).toEqual(exported.features.find(({ id }: { id: string }) => id === ITEM.palace))
    const names = EXPORT_FIELDS.filter((name) => name !== 'latitude' && name !== 'longitude')
    expect(Object.keys(body.properties)).toEqual(names)
    expect(body.properties).toMatchObject({ name: 'Gyeongbokgung', externalId: 'P1', extraAttributes: { built: 1395 } })
    expect(body.properties.images).toHaveLength(3)
  })
})

describe('/conf/crs (part 2)', () => {
  test('/req/crs/fc-md-crs-list, /req/crs/fc-md-storageCrs: CRS84 is the only one', async () => {
    const { body } = await get('/ogc/collections/seoul')
    expect([body.crs, body.storageCrs]).toEqual([[CRS84], CRS84])
  })

  test('/req/crs/fc-crs-definition, /req/crs/fc-bbox-crs-definition, /req/crs/ogc-crs-header, /req/crs/ogc-crs-header-value: crs and bbox-crs may name it', async () => {
    for (const query of ['', `?crs=${CRS84}`, `?bbox=0,0,1,1&bbox-crs=${encodeURIComponent(CRS84)}`]) {
      const { status, headers } = await get(ITEMS + query)
      expect([query, status, headers.get('content-crs')]).toEqual([query, 200, `<${CRS84}>`])
    }
    const { headers } = await get(`${ITEMS}/${ITEM.palace}?crs=${CRS84}`)
    expect(headers.get('content-crs')).toBe(`<${CRS84}>`)
  })

  test.each(['crs', 'bbox-crs'])(
    '/req/crs/fc-crs-valid-value, /req/crs/fc-bbox-crs-valid-value: another %s is 400',
    async (name) => {
      const { status, headers, body } = await get(`${ITEMS}?${name}=http://www.opengis.net/def/crs/EPSG/0/4326`)
      expect([status, body.detail, headers.get('content-crs')]).toEqual([400, `${name} must be ${CRS84}`, null])
    },
  )
})

describe('/conf/queryables (part 3)', () => {
  test('a collection links the schema of its queryables', async () => {
    const { body } = await get('/ogc/collections/seoul')
    const [link] = linksOf(body, 'http://www.opengis.net/def/rel/ogc/1.0/queryables')
    const queryables = await get(link?.href ?? '')
    expect(queryables.headers.get('content-type')).toBe('application/schema+json')
    expect(queryables.body).toMatchObject({ $id: link?.href, type: 'object', additionalProperties: false })
    expect(Object.keys(queryables.body.properties)).toEqual(ITEM_FILTERS)
    const ajv = new Ajv.default({ strict: false, validateSchema: false })
    const { $schema, ...schema } = queryables.body
    for (const filter of ITEM_FILTERS) {
      expect(ajv.validate(schema, { [filter]: 'x' })).toBe(true)
      expect(ajv.validate(schema, { [filter]: 1 })).toBe(false)
      expect(api.components.parameters[filter].schema).toMatchObject({ type: 'string', minLength: 1 })
    }
  })
})

test('the page on OGC API Features names every conformance class', async () => {
  const { body } = await get('/ogc/conformance')
  const page = readFileSync(new URL('../../docs/ogc.md', import.meta.url), 'utf8')
  expect(
    body.conformsTo.filter((name: string) => !page.includes(name.replace('http://www.opengis.net/spec/', ''))),
  ).toEqual([])
})
