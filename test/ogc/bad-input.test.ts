import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM } from '../support/catalog.ts'
import { getOgc } from '../support/ogc.ts'

const t = useApp()

const ITEMS = '/ogc/collections/seoul/items'
const NUMBERS = 'must be 4 or 6 numbers separated by commas'
const LONGITUDES = 'must have longitudes between -180 and 180'
const LATITUDES = 'must have latitudes between -90 and 90'
const DATETIME =
  'must be a date-time such as 2026-01-31T09:00:00Z, a date such as 2026-01-31, or an interval of two with a slash, where .. is an open end'
const WHOLE = 'must be a whole number in decimal digits'
const words = (text: string) => text.split(' ')
const UNKNOWN = 'is not a parameter of this resource'

describe('/req/core/query-param-unknown, /req/core/query-param-invalid: a bad parameter is 400 and the error names it', () => {
  test.each([
    ...['', '0 ,0,1,1', `${'1'.repeat(1_000)}x,0,1,1`].map((bbox) => [`bbox=${bbox}`, 'bbox', NUMBERS]),
    ...words('0,0,1 0,0,1,1,1 0,0,1,1,1,1,1 a,0,1,1 0,0,1, 0;0;1;1 NaN,0,1,1 0x1,0,1,1 Infinity,0,1,1').map((bbox) => [
      ...[`bbox=${bbox}`, 'bbox', NUMBERS],
    ]),
    ...words('1.1.1,0,1,1 1e,0,1,1 １,0,1,1 .,0,1,1 --1,0,1,1').map((bbox) => [`bbox=${bbox}`, 'bbox', NUMBERS]),
    ...words('-180.0000001,0,1,1 0,0,181,1 0,0,180.00000000201,1 1e9,0,1,1 1e999,0,1,1').map((bbox) => [
      ...[`bbox=${bbox}`, 'bbox', LONGITUDES],
    ]),
    ...words('0,-91,1,1 0,0,1,90.0000001 0,0,1,9.0000000002e1 0,-1e400,1,1 0,1e400,1,1').map((bbox) => [
      ...[`bbox=${bbox}`, 'bbox', LATITUDES],
    ]),
    ['bbox=0,1,1,0', 'bbox', 'must have a south that is at most its north'],
    ['bbox=0,0,9,1,1,8', 'bbox', 'must have a lowest elevation that is at most its highest'],
    ...[
      ...['', '2026-01-01 ', ...words('.. / ../.. ../ /.. now 2026 2026-01 20260101 2026-01-01Z 2026-02-30')],
      ...words('2026-01-01T00:00:00 2026-01-01T00:00:00+9 2026-01-01T00:00:00+09: 2026-02-30T00:00:00Z'),
      ...words('2026-13-01T00:00:00Z 2026-01-01T24:00:00Z 2026-01-01T00:60:00Z 2026-01-01T00:00:61Z'),
      ...words('2026-01-01T00:00:00+24:00 2026-01-01T00:00:00.Z +2026-01-01T00:00:00Z 12026-01-01T00:00:00Z'),
      ...words('2026-01-01T00:00:00Z/2026 2026-01-01T00:00:00Z/2026-01-02T00:00:00Z/.. .../2026-01-01T00:00:00Z'),
      ...words('２026-01-01T00:00:00Z 2026-01-01T00:00:00Z/P1D 2026-01-01T00:00:00ZZ'),
    ].map((datetime) => [`datetime=${encodeURIComponent(datetime)}`, 'datetime', DATETIME]),
    ...['2026-01-02T00:00:00Z/2026-01-01T00:00:00Z', '2026-01-02/2026-01-01', '2026-01-02T00:00:00Z/2026-01-01'].map(
      (datetime) => [`datetime=${datetime}`, 'datetime', 'must have a start that is not after its end'],
    ),
    ['limit=0', 'limit', 'must be at least 1'],
    ...['', ...words('-1 1.5 1e1 0x10 20abc １０ %20 +1')].map((limit) => [`limit=${limit}`, 'limit', WHOLE]),
    ['limit=1&limit=2', 'limit', 'must be given once'],
    ['limit=%00', 'limit', 'must be percent-encoded UTF-8 without NUL'],
    ['categoryCode=', 'categoryCode', 'must not be empty'],
    ['administrativeAreaCode=', 'administrativeAreaCode', 'must not be empty'],
    ['categoryCode=%ff', 'categoryCode', 'must be percent-encoded UTF-8 without NUL'],
    ['after=1', 'after', 'must be a UUID'],
    ...['', '-1', '1.5', '1e1', 'x'].flatMap((offset) => [
      [`offset=${offset}`, 'offset', WHOLE],
      [`startindex=${offset}`, 'startindex', WHOLE],
    ]),
    ['offset=1&offset=2', 'offset', 'must be given once'],
    ['offset=1&startindex=1', 'startindex', 'must not be given together with offset'],
    ...['offset', 'startindex'].map((name) => [
      `${name}=1&after=${ITEM.palace}`,
      name,
      'must not be given together with after',
    ]),
    ['crs=CRS84', 'crs', 'must be http://www.opengis.net/def/crs/OGC/1.3/CRS84'],
    ['bbox-crs=', 'bbox-crs', 'must be http://www.opengis.net/def/crs/OGC/1.3/CRS84'],
    ...words('name=x:datetime F=json:f Limit=1:limit filter=x:after startIndex=1:startindex page=1:datetime q=x:f')
      .concat(words('ids=1:crs x:bbox =1:f __proto__=1:postalCode constructor=1:postalCode'))
      .map((row) => row.split(':'))
      .map(([query = '', nearest]) => [query, query.split('=')[0] ?? '', `${UNKNOWN}; the nearest one is ${nearest}`]),
  ])('%s', async (query, field, message) => {
    const { status, headers, body } = await getOgc(t, `${ITEMS}?${query}`)
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json; charset=utf-8'])
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', status: 400, details: [{ field, message }] })
    expect(body.details).toHaveLength(1)
  })

  test('all bad parameters are named', async () => {
    const { body } = await getOgc(t, `${ITEMS}?limit=0&bbox=1&datetime=x&a=1&b=2&crs=x&${'c'.repeat(5000)}=1`)
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual([
      ...['limit', 'bbox', 'crs', 'datetime', 'a', 'b', `${'c'.repeat(60)}…`],
    ])
  })

  test.each([
    '/ogc',
    '/ogc/',
    '/ogc/conformance',
    '/ogc/api',
    '/ogc/collections',
    '/ogc/collections/seoul',
    `${ITEMS}/${ITEM.palace}`,
  ])('%s takes no parameter that it does not know', async (path) => {
    expect((await getOgc(t, `${path}?x=1`)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      detail: `x ${UNKNOWN}; the nearest one is f`,
    })
    expect((await getOgc(t, `${path}?`)).status).toBe(200)
  })
})

describe('A path that leads nowhere', () => {
  test.each([
    '/ogc/x',
    '/ogc/collections/',
    '/ogc/collections/nowhere',
    '/ogc/collections/nowhere/items',
    '/ogc/collections/nowhere/queryables',
    `/ogc/collections/nowhere/items/${ITEM.palace}`,
    `/ogc/collections/${crypto.randomUUID()}`,
    '/ogc/collections/%00/items',
    '/ogc/collections/seoul/x',
    `${ITEMS}/`,
    `${ITEMS}/x`,
    `${ITEMS}/%00`,
    `${ITEMS}/${crypto.randomUUID()}`,
    // An item of another collection.
    `${ITEMS}/${ITEM.archived}`,
    `/ogc/collections/archived/items/${ITEM.palace}`,
    `${ITEMS}/${ITEM.restricted}`,
  ])('%s is 404', async (path) => {
    const { status, headers, body } = await getOgc(t, path)
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  })

  test('a collection is named by its slug or by its UUID in any letter case', async () => {
    for (const name of ['seoul', DATASET.seoul, DATASET.seoul.toUpperCase()]) {
      expect((await getOgc(t, `/ogc/collections/${name}`)).body.id).toBe('seoul')
    }
  })
})

describe('A caller without access', () => {
  test('the errors have the order 401, 400, 404, 403', async () => {
    const nobody = { authorization: '' }
    expect((await getOgc(t, '/ogc/collections/nowhere/items?x=1', nobody)).status).toBe(401)
    expect((await getOgc(t, '/ogc/collections/nowhere/items?x=1')).status).toBe(400)
    expect((await getOgc(t, '/ogc/collections/restricted/items?x=1')).status).toBe(400)
    expect((await getOgc(t, '/ogc/collections/nowhere/items')).status).toBe(404)
  })

  test.each([
    '/ogc',
    '/ogc/',
    '/ogc/conformance',
    '/ogc/api',
    '/ogc/collections',
    '/ogc/collections/seoul',
    ITEMS,
    `${ITEMS}/x`,
  ])('%s needs a key', async (path) => {
    for (const authorization of ['', 'Bearer', 'Bearer dck_x', 'Basic eDp5']) {
      const { status, headers, body } = await getOgc(t, path, { authorization })
      expect([authorization, status, body.code]).toEqual([authorization, 401, 'UNAUTHORIZED'])
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })
})

test.each([
  ['/ogc', 'image/png'],
  ['/ogc/api', 'application/yaml'],
  ['/ogc/collections', 'application/geo+json'],
  [ITEMS, 'image/png'],
  [`${ITEMS}/${ITEM.palace}`, 'application/gml+xml;version=3.2'],
])('%s has no form for a client that accepts only %s: 406', async (path, accept) => {
  const { status, headers, body } = await getOgc(t, path, { accept })
  expect([status, body.code]).toEqual([406, 'NOT_ACCEPTABLE'])
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
})
