import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

const t = useApp()

const LONG = 'a'.repeat(10_000)
const ITEMS = '/v1/datasets/seoul/items'
const NEARBY = '/v1/dataset-items/nearby'
const AT = 'latitude=37.5&longitude=127'

const words = (text: string) => text.split(' ')
const NOT_UTF8 = words('%00 1%00 %ff %zz %ED%A0%80')
const NOT_DIGITS = [
  ...['', LONG, ...NOT_UTF8],
  ...words('-1 +1 1.5 1.0 1e1 0x10 20abc %20 %201 １ NaN Infinity null true [] %'),
]
const NOT_DECIMAL = [
  ...['', LONG, '9'.repeat(400), ...NOT_UTF8],
  ...words('%20 1e1 1E1 0x10 1,5 1. .5 1.5.2 --1 %2B - NaN -Infinity Infinity 12abc １'),
]

/** Every parameter of every route outside of its domain. */
const BAD: Record<string, string[]> = {
  [`${ITEMS}?page=`]: [...NOT_DIGITS, ...words('0 00 2147483648 999999999999999'), '9'.repeat(400)],
  [`${ITEMS}?limit=`]: [...NOT_DIGITS, ...words('0 101 1000000000000000'), '9'.repeat(400)],
  [`${ITEMS}?sort=`]: ['', LONG, ...words('Name NAME id created_at name,id name%20 __proto__ %00 %ff')],
  [`${ITEMS}?order=`]: ['', LONG, ...words('ASC descending 1 %00 %zz')],
  [`${ITEMS}?administrativeAreaCode=`]: ['', ...words('%00 a%00b %ff %c3 %ED%A0%80 %zz')],
  [`${ITEMS}?categoryCode=`]: ['', 'a'.repeat(1_001), ...words('%00 a%00b %ff %c3 %ED%A0%80 %zz')],
  [`${ITEMS}?parentItemId=`]: [
    ...['', LONG, ITEM.palace.slice(1), `${ITEM.palace}0`, `%7B${ITEM.palace}%7D`],
    ...words('NULL Null undefined 0 seoul %00 %ff'),
  ],
  [`${NEARBY}?longitude=127&latitude=`]: [
    ...NOT_DECIMAL,
    ...words('90.0000001 90.00000000000000001 -90.00000000000000001 -90.5 91 1000000000000000'),
  ],
  [`${NEARBY}?latitude=37.5&longitude=`]: [
    ...NOT_DECIMAL,
    ...words('180.0000001 180.00000000000000001 180.00000000000003 -180.5 181'),
  ],
  [`${NEARBY}?${AT}&radius=`]: [
    ...NOT_DECIMAL,
    ...words('0 0.999 0.99999999999999999999 -1 50000.001 50000.00000000000000001 50001'),
  ],
  [`${NEARBY}?${AT}&page=`]: [...NOT_DIGITS, '0', '2147483648'],
  [`${NEARBY}?${AT}&limit=`]: [...NOT_DIGITS, '0', '101'],
  [`${NEARBY}?${AT}&datasetId=`]: ['', ...words('%00 a%00 %ff %zz')],
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 20)}… (${text.length})` : text)
const cases = Object.entries(BAD).flatMap(([prefix, values]) =>
  values.map((value) => ({
    title: prefix + short(value),
    path: prefix + value,
    field: /([^?&]+)=$/.exec(prefix)?.[1],
  })),
)

describe('A parameter outside of its domain is a 400 that names it', () => {
  test.each(cases)('$title', async ({ path, field }) => {
    const response = await t.get(path)
    const { error } = JSON.parse(await response.text())
    expect([response.status, error.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(error.details.map((detail: { field: string }) => detail.field)).toEqual([field])
    expect(error.message).toContain(`${field} `)
    expect(error.message.length).toBeLessThan(300)
    expect(error.requestId).toBe(response.headers.get('x-request-id'))
  })
})

describe('A parameter given twice is a 400', () => {
  test.each([
    ...words('page=1 limit=1 sort=name order=asc administrativeAreaCode=a categoryCode=a parentItemId=null').map(
      (parameter) => `${ITEMS}?${parameter}&${parameter}`,
    ),
    ...words('latitude=1 longitude=1 radius=1 datasetId=seoul page=1 limit=1').map(
      (parameter) => `${NEARBY}?${AT}&${parameter}&${parameter}`,
    ),
    `${ITEMS}?limit=1&l%69mit=1`,
  ])('%s', async (path) => {
    const response = await t.get(path)
    expect(response.status).toBe(400)
    expect((await response.json()).error.details[0].message).toBe('must be given once')
  })
})

test('every bad parameter is named, not just the first', async () => {
  const { error } = await (await t.get(`${NEARBY}?latitude=91&radius=0&page=x&limit=101&limit=2`)).json()
  expect(error.details).toEqual(
    expect.arrayContaining([
      { field: 'latitude', message: 'must be at most 90' },
      { field: 'longitude', message: 'is required' },
      { field: 'radius', message: 'must be at least 1' },
      { field: 'page', message: 'must be a whole number in decimal digits' },
      { field: 'limit', message: 'must be given once' },
    ]),
  )
  expect(error.details).toHaveLength(5)
})

describe('The limits of each domain are valid', () => {
  test.each([
    `${ITEMS}?page=1&limit=1`,
    `${ITEMS}?page=2147483647&limit=100`,
    `${ITEMS}?page=007&limit=0020`,
    `${NEARBY}?latitude=90&longitude=180&radius=50000`,
    `${NEARBY}?latitude=-90.0&longitude=-180.000&radius=1`,
    `${NEARBY}?latitude=%2B37.5&longitude=-0&radius=1.5`,
    `${NEARBY}?latitude=89.99999999999999999999&longitude=1.00000000000000000001&radius=1.00000000000000000001`,
    `${ITEMS}?categoryCode=${'a'.repeat(1000)}`,
    `${ITEMS}?categoryCode=%27%3B%20DROP%20TABLE%20items%3B--`,
    `${ITEMS}?parentItemId=${ITEM.palace.toUpperCase()}`,
  ])('%s', async (path) => {
    expect((await t.get(path)).status).toBe(200)
  })
})

test.each(words('?foo=1 ?foo=1&foo=2 ?__proto__=1&constructor=2&constructor=3 ?&&=&a ?Limit=101 ?limit%5B%5D=101'))(
  'an unknown parameter is ignored: %s',
  async (query) => {
    expect((await t.get(`${ITEMS}${query}`)).status).toBe(200)
    expect((await t.get(`/v1/datasets${query}`)).status).toBe(200)
  },
)

describe('An unknown path is a 404, with or without a key', () => {
  test.each([
    ...words('/v1 /v1/ /v1/dataset /v1/datasets/ /v1/datasets/seoul/ /v1/datasets/seoul/items/ /v1/datasets//items'),
    ...words('/v1//datasets //v1/datasets /V1/datasets /v2/datasets /v1/dataset-items /v1/dataset-items/'),
    ...words('/v1/datasets/a/b /v1/datasets/%zz /v1/datasets/%ff /v1/datasets/% /graphql/ /favicon.ico /.env'),
  ])('%s', async (path) => {
    for (const headers of [undefined, {}]) {
      const response = await t.get(path, headers)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
      expect(response.headers.get('x-request-id')).toMatch(/./)
    }
  })
})

describe('A malformed id is a 404', () => {
  const ids = [
    ...[LONG, `${ITEM.palace}%20`],
    ...words("%00 a%00 ..%2f %2e%2e%2fetc __proto__ constructor %20 -1 %ED%95%9C %F0%9F%98%80 '%20OR%201=1--"),
  ]
  test.each(
    ids
      .flatMap((id) => [`/v1/datasets/${id}`, `/v1/datasets/${id}/items`, `/v1/dataset-items/${id}`])
      .map((path) => ({ path, title: short(path) })),
  )('$title', async ({ path }) => {
    expect((await t.get(path)).status).toBe(404)
    expect((await t.get(path, {})).status).toBe(401)
  })
})
