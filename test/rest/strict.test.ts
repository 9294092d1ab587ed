import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

const t = useApp({ corsOrigins: ['https://maps.example.org'] })

const STRICT = 'handling=strict'
const NEARBY = '/v1/dataset-items/nearby?latitude=37.5&longitude=127'
const PATHS = [
  '/v1/datasets',
  '/v1/datasets/seoul',
  '/v1/datasets/seoul/items',
  NEARBY,
  `/v1/dataset-items/${ITEM.palace}`,
]

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

async function ask(path: string, prefer?: string, headers: Record<string, string> = {}) {
  const sent = { authorization: `Bearer ${t.key}`, ...headers, ...(prefer !== undefined && { prefer }) }
  const response = await t.get(path, sent)
  const text = await response.text()
  return {
    status: response.status,
    applied: response.headers.get('preference-applied'),
    vary: response.headers.get('vary') ?? '',
    etag: response.headers.get('etag') ?? '',
    text,
  }
}

describe('With Prefer: handling=strict', () => {
  test.each(PATHS)('%s refuses an unknown parameter, and answers as before without one', async (path) => {
    const plain = await ask(path)
    expect([plain.status, plain.applied]).toEqual([200, null])
    const strict = await ask(path, STRICT)
    expect([strict.status, strict.applied, strict.text]).toEqual([200, STRICT, plain.text])
    const refused = await ask(withQuery(path, 'unknown=1'), STRICT)
    expect([refused.status, refused.applied]).toEqual([400, STRICT])
    const { code, details } = JSON.parse(refused.text).error
    expect(code).toBe('VALIDATION_FAILED')
    expect(details).toEqual([
      { field: 'unknown', message: expect.stringMatching(/^is not a parameter of this resource/) },
    ])
  })

  test.each([
    ['/v1/datasets/seoul/items?category=palace', 'category', 'categoryCode'],
    ['/v1/datasets/seoul/items?q=palace', 'q', undefined],
    ['/v1/datasets/seoul/items?postalCode=1', 'postalCode', undefined],
    ['/v1/datasets/seoul/items?per_page=5', 'per_page', 'page'],
    [`${NEARBY}&lat=1`, 'lat', 'latitude'],
    [`${NEARBY}&categoryCode=palace`, 'categoryCode', undefined],
  ])('%s names the parameter and the nearest known one', async (path, field, nearest) => {
    const { text } = await ask(path, STRICT)
    const [detail] = JSON.parse(text).error.details
    expect(detail.field).toBe(field)
    expect(detail.message).toContain('is not a parameter of this resource; the nearest one is ')
    if (nearest) expect(detail.message).toContain(`the nearest one is ${nearest}`)
  })

  test('the error names every bad parameter', async () => {
    const { text } = await ask('/v1/datasets/seoul/items?limit=0&x=1&sort=x', STRICT)
    expect(
      JSON.parse(text)
        .error.details.map(({ field }: { field: string }) => field)
        .sort(),
    ).toEqual(['limit', 'sort', 'x'])
  })

  test('every answer says so: errors, 304, HEAD, and other methods', async () => {
    const items = '/v1/datasets/seoul/items'
    const { etag } = await ask(items, STRICT)
    const answers = [
      await ask(items, STRICT, { 'if-none-match': etag }),
      await ask(items, STRICT, { authorization: 'Bearer wrong' }),
      await ask(items, STRICT, { accept: 'text/csv' }),
      await ask('/v1/datasets/nowhere', STRICT),
      await ask('/v1/datasets/draft', STRICT),
      await ask(`${items}?limit=x`, STRICT, { accept: 'application/problem+json' }),
    ]
    expect(answers.map(({ status, applied }) => [status, applied])).toEqual(
      [304, 401, 406, 404, 403, 400].map((status) => [status, STRICT]),
    )
    for (const method of ['HEAD', 'POST', 'OPTIONS']) {
      const headers = { authorization: `Bearer ${t.key}`, prefer: STRICT }
      const response = await fetch(t.url + items, { method, headers })
      expect([method, response.headers.get('preference-applied')]).toEqual([method, STRICT])
    }
  })

  test('the cache keeps both answers apart, whichever was first', async () => {
    for (const [name, first, second] of [
      ['a', undefined, STRICT],
      ['b', STRICT, undefined],
    ] as const) {
      const path = `/v1/datasets/seoul/items?limit=3&${name}=1`
      for (const prefer of [first, second, first, second]) {
        expect([prefer, (await ask(path, prefer)).status]).toEqual([prefer, prefer === STRICT ? 400 : 200])
      }
    }
    const lenient = await ask('/v1/datasets/seoul/items?c=1')
    expect((await ask('/v1/datasets/seoul/items?c=1', STRICT, { 'if-none-match': lenient.etag })).status).toBe(400)
  })
})

test.each([
  ['handling=strict', true],
  ['Handling=strict', true],
  ['handling="strict"', true],
  ['handling = strict', true],
  ['respond-async, wait=10, handling=strict', true],
  ['handling=strict; x=y', true],
  ['return=minimal;x="a,b", handling=strict', true],
  ['handling=strict, handling=lenient', true],
  ['handling=lenient, handling=strict', false],
  ['handling=lenient', false],
  ['handling', false],
  ['handling=', false],
  ['strict', false],
  ['x="handling=strict"', false],
  ['x="a, handling=strict, b"', false],
  ['x="a\\", handling=strict"', false],
  ['x="a, handling=strict', false],
  ['handling=strict, x="a', true],
  ['', false],
  [',;=",', false],
])('Prefer: %s', async (prefer, isStrict) => {
  const { status, applied } = await ask('/v1/datasets?unknown=1', prefer)
  expect([status, applied]).toEqual(isStrict ? [400, STRICT] : [200, null])
})

test('each answer of /v1 varies by Prefer, also without that header', async () => {
  for (const path of [...PATHS, '/v1/datasets/nowhere', '/v1/datasets/seoul/items?limit=x']) {
    expect((await ask(path)).vary.split(', ')).toContain('Prefer')
  }
})

test.each([
  ['/v1/datasets/seoul/items?category=palace', 'category'],
  ['/v1/datasets/seoul/items?category=palace&limit=2&q=a&category=tower&=1', 'category, q'],
  ['/v1/datasets?%EA%B0%80%2C=1&a', '%EA%B0%80%2C, a'],
  ['/v1/datasets/seoul/items?limit=2', null],
  ['/v1/datasets', null],
])('%s is answered with the names of the parameters that are ignored, also from the cache', async (path, names) => {
  for (let n = 0; n < 2; n += 1) {
    const response = await t.get(path, { authorization: `Bearer ${t.key}` })
    expect([response.status, response.headers.get('ignored-parameters')]).toEqual([200, names])
  }
})

test('at most ten names of ignored parameters are sent, each cut', async () => {
  const query = Array.from({ length: 12 }, (_, n) => `${n}${'😀'.repeat(30)}`)
  const response = await t.get(`/v1/datasets?${query.map((name) => encodeURIComponent(name)).join('&')}`, {
    authorization: `Bearer ${t.key}`,
  })
  expect(response.headers.get('ignored-parameters')?.split(', ').map(decodeURIComponent)).toHaveLength(10)
})

test('a page of an allowed origin may send Prefer, and read Preference-Applied and Ignored-Parameters', async () => {
  const headers = { authorization: `Bearer ${t.key}`, origin: 'https://maps.example.org' }
  const preflight = await fetch(`${t.url}/v1/datasets`, { method: 'OPTIONS', headers })
  expect(preflight.headers.get('access-control-allow-headers')?.split(', ')).toContain('Prefer')
  const response = await t.get('/v1/datasets', { ...headers, prefer: STRICT })
  expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
    expect.arrayContaining(['Preference-Applied', 'Ignored-Parameters']),
  )
  expect(response.headers.get('vary')?.split(', ')).toEqual(expect.arrayContaining(['Origin', 'Prefer']))
})
