import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { VERSION } from '../../src/config/version.ts'
import { startApp, useApp } from '../support/app.ts'
import { openSocket, readAll } from '../support/raw.ts'
import { requestText } from '../support/unread.ts'

/*
 * HTTP/1.1, also in its corners: RFC 9110 and RFC 9112.
 */

const t = useApp({ corsOrigins: ['https://maps.example.org'] })

const PATHS = [
  '/v1/datasets',
  '/v1/datasets/seoul',
  '/v1/datasets/seoul/items',
  '/v1/dataset-items/nearby',
  '/v1/dataset-items/x',
]
const preflight = (origin: string, path = '/v1/datasets') =>
  fetch(t.url + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
  })
const withKey = () => ({ authorization: `Bearer ${t.key}` })

describe('Methods', () => {
  test.each(PATHS)(
    '%s refuses other methods before it asks for a key, and Allow names the allowed ones',
    async (path) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        const response = await fetch(t.url + path, { method })
        expect(response.status).toBe(405)
        expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
        expect(await response.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
      }
    },
  )

  test('HEAD has the status and headers of GET, without the body', async () => {
    const get = await t.get('/v1/datasets')
    const head = await fetch(`${t.url}/v1/datasets`, { method: 'HEAD', headers: withKey() })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'vary']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    const ifNoneMatch = { 'if-none-match': get.headers.get('etag') ?? '' }
    const unchanged = await fetch(`${t.url}/v1/datasets`, { method: 'HEAD', headers: { ...withKey(), ...ifNoneMatch } })
    expect([unchanged.status, unchanged.headers.get('content-length')]).toEqual([304, null])
    expect((await fetch(`${t.url}/v1/datasets`, { method: 'HEAD' })).status).toBe(401)
    expect((await fetch(`${t.url}/v1/x`, { method: 'HEAD' })).status).toBe(404)
  })

  test('PUT on /graphql is a 405 that names GET and POST', async () => {
    const response = await fetch(`${t.url}/graphql`, { method: 'PUT' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
    const message = 'This path takes GET, POST, HEAD, OPTIONS'
    expect(await response.json()).toEqual({ errors: [{ message, extensions: { code: 'METHOD_NOT_ALLOWED' } }] })
  })
})

describe('CORS', () => {
  test('OPTIONS answers the preflight request of an allowed origin without a key', async () => {
    const response = await preflight('https://maps.example.org')
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://maps.example.org')
    expect(response.headers.get('access-control-allow-methods')).toContain('GET')
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  test('another origin is not allowed, and credentials are never allowed', async () => {
    const origin = 'https://evil.example.org'
    for (const response of [await preflight(origin), await t.get('/v1/datasets', { ...withKey(), origin })]) {
      expect(response.ok).toBe(true)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('a page of an allowed origin can read that a path is unknown; for others OPTIONS on it is a 404', async () => {
    expect((await preflight('https://maps.example.org', '/v1/x')).status).toBe(204)
    expect((await preflight('https://evil.example.org', '/v1/x')).status).toBe(404)
    expect((await fetch(`${t.url}/v1/x`, { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('Headers', () => {
  test('every response has an X-Request-Id: the one of the request if it is valid', async () => {
    for (const path of ['/v1/datasets', '/v1/x', '/healthz', '/v1/datasets/%zz']) {
      expect((await t.get(path, {})).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect((await t.get(path, { 'x-request-id': 'abc-1.2:3' })).headers.get('x-request-id')).toBe('abc-1.2:3')
    }
    for (const insane of ['a b', 'x'.repeat(129), '<script>', '"']) {
      expect((await t.get('/healthz', { 'x-request-id': insane })).headers.get('x-request-id')).not.toBe(insane)
    }
  })

  test('every response forbids media type sniffing and frames', async () => {
    for (const path of ['/v1/datasets', '/v1/x', '/v1/datasets/%FF', '/graphql', '/healthz']) {
      const { headers } = await t.get(path, { accept: 'text/html' })
      expect([headers.get('x-content-type-options'), headers.get('x-frame-options')]).toEqual(['nosniff', 'DENY'])
    }
  })

  test('a success may be stored only by its client, which revalidates it by its ETag', async () => {
    const first = await t.get('/v1/datasets/seoul/items')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    expect(first.headers.get('vary')).toContain('Authorization')
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await t.get('/v1/datasets/seoul/items', { ...withKey(), 'if-none-match': tag })
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toBe('private, no-cache')
    }
    const other = await t.get('/v1/datasets/seoul/items', { ...withKey(), 'if-none-match': '"x"' })
    expect(other.status).toBe(200)
  })

  test('a 304 needs a key', async () => {
    const etag = (await t.get('/v1/datasets')).headers.get('etag') ?? ''
    expect((await t.get('/v1/datasets', { 'if-none-match': etag })).status).toBe(401)
    expect((await t.get('/v1/datasets/restricted', { ...withKey(), 'if-none-match': '*' })).status).toBe(403)
  })
})

describe('Errors', () => {
  test.each([
    ['soul', 'seoul'],
    ['Seoul', 'seoul'],
    ['archive', 'archived'],
    // The key may not access these.
    ['restrictd', undefined],
    ['paid-maps', undefined],
    ['x'.repeat(1_000), undefined],
  ])('name the dataset that is nearest to %s: %s', async (slug, nearest) => {
    const message = `The dataset does not exist${nearest === undefined ? '' : `; the nearest one is ${nearest}`}`
    for (const path of [`/v1/datasets/${slug}`, `/exports/${slug}.csv`, `/search?text=a&datasetId=${slug}`])
      expect((await (await t.get(path)).json()).error).toMatchObject({ code: 'NOT_FOUND', message })
    const { body } = await t.graphql(`{ dataset(id: "${slug}") { id } }`)
    expect(body.errors[0].message).toBe(message)
  })

  test('have the form of the contract, and details only with VALIDATION_FAILED', async () => {
    const notFound = await t.get('/v1/datasets/nowhere')
    expect(notFound.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const body = await notFound.json()
    expect(body).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'The dataset does not exist',
        requestId: notFound.headers.get('x-request-id'),
      },
    })
    const invalid = await (await t.get('/v1/datasets/seoul/items?limit=101')).json()
    expect(Object.keys(invalid.error)).toEqual(['code', 'message', 'details', 'requestId'])
    expect(invalid.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'limit must be at most 100',
      details: [{ field: 'limit', message: 'must be at most 100' }],
    })
  })

  test('are problem details (RFC 9457) for a client that accepts them', async () => {
    const response = await t.get('/v1/datasets/seoul/items?limit=101', {
      ...withKey(),
      accept: 'application/problem+json',
    })
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'limit must be at most 100',
      code: 'VALIDATION_FAILED',
      details: [{ field: 'limit', message: 'must be at most 100' }],
      requestId: response.headers.get('x-request-id'),
    })
  })

  const GRAPHQL = '/graphql?query={datasets{total}}'
  const RESPONSE = 'application/graphql-response+json'
  test.each([
    ['/v1/datasets', 'APPLICATION/PROBLEM+JSON', 'application/problem+json'],
    ['/v1/datasets', 'application/json, application/problem+json', 'application/problem+json'],
    ['/v1/datasets', 'application/json, application/problem+json;q=0', 'application/json'],
    ['/v1/datasets', 'application/*', 'application/json'],
    [GRAPHQL, RESPONSE, RESPONSE],
    [GRAPHQL, 'Application/GraphQL-Response+JSON;q=0.9, application/json;q=0.5', RESPONSE],
    [GRAPHQL, `application/json, ${RESPONSE};q=0.1`, 'application/json'],
    [GRAPHQL, `${RESPONSE};q=0, */*`, 'application/json'],
    [GRAPHQL, 'image/png', 'application/json'],
  ])('of %s for Accept: %s are %s', async (path, accept, type) => {
    const response = await fetch(t.url + path, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([401, `${type}; charset=utf-8`])
    expect(await response.text()).toContain('"UNAUTHORIZED"')
  })

  test('reveal nothing internal', async () => {
    // Its caches are empty.
    const app = await startApp({ beside: t })
    onTestFinished(async () => {
      await app.database.prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO images`
      await app.close()
    })
    await app.database.prisma.$executeRaw`ALTER TABLE images RENAME TO elsewhere`
    const response = await app.get('/v1/dataset-items/22222222-0000-4000-8000-000000000001')
    expect(response.status).toBe(500)
    const body = await response.json()
    expect(body.error).toMatchObject({ code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' })
    const { status, body: graphql } = await app.graphql(
      '{ item(id: "22222222-0000-4000-8000-000000000001") { images { id } } }',
    )
    expect(status).toBe(200)
    expect(graphql.errors[0]).toMatchObject({
      message: 'Something went wrong on our side',
      extensions: { code: 'INTERNAL_ERROR' },
    })
    expect(JSON.stringify([body, graphql])).not.toMatch(/relation|prisma|stack|select/i)
  })
})

test('/healthz and /readyz answer 200 without a key', async () => {
  expect(await (await t.get('/healthz', {})).json()).toEqual({ status: 'ok' })
  expect(await (await t.get('/readyz', {})).json()).toEqual({ status: 'ready', version: VERSION })
})

describe('/graphql over GET', () => {
  test('has an ETag, and a 304 for it', async () => {
    const path = '/graphql?query={datasets{total}}'
    const first = await t.get(path)
    const etag = first.headers.get('etag') ?? ''
    expect([first.headers.get('cache-control'), first.headers.get('vary')]).toEqual([
      'private, no-cache',
      'Origin, Authorization, Accept, Accept-Encoding',
    ])
    const again = await t.get(path, { ...withKey(), 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await t.get(path, { 'if-none-match': etag })).status).toBe(401)
  })

  test('gives a browser GraphiQL without a key, and a 304 if it has the page', async () => {
    const page = await t.get('/graphql', { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const again = await t.get('/graphql', { accept: 'text/html', 'if-none-match': page.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  })

  test.each([
    ['Text/HTML', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/html; charset="utf-8"', 'text/html'],
    ['application/json, text/html;q=0.5', 'application/json'],
    ['text/html;q=0, */*', 'application/json'],
    ['application/json; note="text/html"', 'application/json'],
  ])('gives for Accept: %s %s', async (accept, type) => {
    const response = await t.get('/graphql?query={datasets{total}}', { ...withKey(), accept })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
  })
})

test.each([
  ['/graphql/', '/graphql'],
  ['/mcp/', '/mcp'],
  ['/mcp//?x=1', '/mcp'],
  ['//v1/datasets', '/v1/datasets'],
  ['/V1/Datasets', '/v1/datasets'],
  ['/v1/datasets/seoul/', '/v1/datasets/{datasetId}'],
  ['/v1//datasets/seoul/items', '/v1/datasets/{datasetId}/items'],
  ['/search/', '/search'],
  ['/v1/dataset-items/nearby/', '/v1/dataset-items/nearby'],
  ['/exports/seoul.csv/', '/exports/{datasetId}.csv'],
  ['/tiles/all/0/0/0', '/tiles/{datasetId}/{z}/{x}/{y}.mvt'],
  ['/tiles/all/0/0/0.pbf', '/tiles/{datasetId}/{z}/{x}/{y}.mvt'],
  ['/grapql', '/graphql'],
  ['/openapi', '/openapi.json'],
  ['/datasets', '/v1/datasets'],
  ['/api/v1/datasets', '/v1/datasets'],
  [`//v1/datasets/${'a'.repeat(190)}/items`, '/v1/datasets/{datasetId}/items'],
])('the unknown path %s names the nearest one', async (path, nearest) => {
  const response = await t.get(path)
  const { error } = await response.json()
  expect([response.status, error.message]).toEqual([404, `There is no such path. The nearest one is ${nearest}`])
})

test('an unknown path below /v1 names the paths that there are', async () => {
  for (const path of ['/v1/search', '/v1/', '/v1', '//v1//', '/V1/dataset']) {
    const response = await t.get(path)
    expect([response.status, (await response.json()).error.message]).toEqual([
      404,
      'There is no such path. There are /v1/datasets, /v1/datasets/{datasetId}, /v1/datasets/{datasetId}/items, ' +
        '/v1/dataset-items/nearby, /v1/dataset-items/{itemId}, /search, /key',
    ])
  }
})

test.each(['/nope', '/x', '/sse', '/robots.txt', `/${'graphql'.repeat(1_000)}`])(
  'the unknown path %s, which is like no other, names none',
  async (path) => {
    expect((await (await t.get(path)).json()).error.message).toBe('There is no such path')
  },
)

const raw = async (text: string | Buffer) => {
  const socket = await openSocket(t.url)
  const response = readAll(socket)
  socket.write(text)
  return response
}

describe('A request with a bad Host is a 400 with an error and an id:', () => {
  test.each([
    ['two lines', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['two equal lines', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n'],
    ['none', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['a space', 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a path', 'GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a user', 'GET /healthz HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['a bad port', 'GET /healthz HTTP/1.1\r\nHost: a:port\r\n\r\n'],
    ['a bad host at /graphql', 'GET /graphql?query={datasets{total}} HTTP/1.1\r\nHost: [\r\n\r\n'],
  ])('%s', async (_what, text) => {
    const response = await raw(text)
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(response).toMatch(/x-request-id: \S/i)
    expect(response).toContain('"VALIDATION_FAILED"')
  })

  test('every form of a valid Host is accepted', async () => {
    for (const host of ['a', 'a.example:4000', '127.0.0.1:80', '[::1]:4000', 'xn--bcher-kva.example', 'a:']) {
      expect(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), host).toMatch(
        /^HTTP\/1.1 200 /,
      )
    }
    expect(await raw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
  })
})

test.each(['POST /graphql', 'GET /healthz'])(
  '%s of HTTP/1.0 in chunks is refused, and its connection closed',
  async (target) => {
    const head = `${target} HTTP/1.0\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${t.key}`
    const body = `22\r\n{"query":"{ datasets { total } }"}\r\n0\r\n\r\n`
    const response = await raw(`${head}\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(response).toMatch(/connection: close/i)
    expect(response).toContain('Transfer-Encoding must not be given with HTTP/1.0')
  },
)

test.each([
  ['GET *', 404],
  ['HEAD *', 404],
  ['POST *', 404],
  ['GET *healthz', 404],
])('%s is %d', async (target, status) => {
  expect(await raw(`${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
    new RegExp(`^HTTP/1.1 ${status} `),
  )
})

test('an unknown expectation is ignored, as RFC 9110 section 10.1.1 allows', async () => {
  const response = await raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1.1 200 /)
  expect(response).toMatch(/x-request-id: \S/i)
})

test('an unknown method is a 400 with an error and an id', async () => {
  const response = await raw('BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1.1 400 /)
  expect(response).toMatch(/x-request-id: \S/i)
  expect(response).toContain('"message":"The request is not HTTP/1.1 with a known method"')
})

describe('Rubbish after valid requests on a connection', () => {
  const list = (page: number) => requestText(t.key, `/v1/datasets/seoul/items?limit=1&page=${page}`)
  const query = JSON.stringify({ query: '{ dataset(id: "seoul") { items(limit: 1, page: 3) { page limit } } }' })
  const chunked = () => requestText(t.key, '/graphql', '').replace('Content-Length: 0', 'Transfer-Encoding: chunked')
  const statusesOf = (answers: string) =>
    [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

  test.each([
    ['a read', [() => list(1)], () => 'rubbish\r\n\r\n'],
    ['two reads', [() => list(1), () => list(2)], () => 'rubbish\r\n\r\n'],
    ['a query with a body', [() => requestText(t.key, '/graphql', query)], () => 'rubbish\r\n\r\n'],
    ['a health check', [() => requestText(t.key, '/healthz')], () => '\u0000\u0001'],
    ['a large response', [() => requestText(t.key, '/docs')], () => 'GET / HTTP/1.1 x\r\n\r\n'],
    ['an export', [() => requestText(t.key, '/exports/seoul.geojson')], () => 'rubbish\r\n\r\n'],
    ['a read, with a body whose chunks are wrong', [() => list(1)], () => `${chunked()}zz\r\n`],
  ])('%s: each is answered in full, and then the rubbish', async (_what, requests, rubbishOf) => {
    const rubbish = rubbishOf()
    const valid = requests.map((textOf) => textOf()).join('')
    // Together, and in two pieces, of which the second comes during the first response or after it.
    for (const pauseMs of [undefined, 0, 5]) {
      const socket = await openSocket(t.url)
      const answers = readAll(socket)
      if (pauseMs === undefined) socket.write(valid + rubbish)
      else {
        socket.write(valid)
        await sleep(pauseMs)
        socket.write(rubbish)
        socket.write('more of it')
      }
      const text = await answers
      expect([pauseMs, statusesOf(text)]).toEqual([pauseMs, [...requests.map(() => 200), 400]])
      expect(text).toMatch(/"code":"VALIDATION_FAILED".*\}$/)
    }
  })
})

describe('A target that is not percent-encoded is a 400 with the encoded one:', () => {
  const KEY = 'dck_of-somebody'
  const requestOf = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`
  const messageOf = (response: string) => {
    expect(response).toMatch(/^HTTP\/1.1 400 .*x-request-id: \S/is)
    expect(response).not.toContain(KEY)
    return JSON.parse(response.slice(response.indexOf('\r\n\r\n'))).error.message
  }

  test.each([
    ['/search?text=서울', '/search?text=%EC%84%9C%EC%9A%B8'],
    ['/v1/datasets/서울-명소/items', '/v1/datasets/%EC%84%9C%EC%9A%B8-%EB%AA%85%EC%86%8C/items'],
    ['/search?text=서울%20역&limit=2', '/search?text=%EC%84%9C%EC%9A%B8%20%EC%97%AD&limit=2'],
    ['/search?text=new york city', '/search?text=new%20york%20city'],
    ['/search?text=Łódź|"<{100%}>', '/search?text=%C5%81%C3%B3d%C5%BA%7C%22%3C%7B100%25%7D%3E'],
    ['/graphql?query={ datasets { total } }', '/graphql?query=%7B%20datasets%20%7B%20total%20%7D%20%7D'],
    ['/ogc/collections?😀=\t', '/ogc/collections?%F0%9F%98%80=%09'],
  ])('%s', async (target, encoded) => {
    expect(messageOf(await raw(requestOf(target)))).toBe(`URL must be percent-encoded: ${encoded}`)
    expect(await raw(requestOf(encoded).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).toMatch(
      /^HTTP\/1.1 (401|404) /,
    )
  })

  test('after another request, without the bytes of that', async () => {
    const response = await raw(`${requestOf('/healthz')}${requestOf('/a?서')}`)
    expect(messageOf(response.slice(response.lastIndexOf('HTTP/1.1')))).toBe(
      'URL must be percent-encoded: /a?%EC%84%9C',
    )
  })

  test('cut after 500 characters, and without it if it is not UTF-8, no path or not there', async () => {
    const long = messageOf(await raw(requestOf(`/search?text=${'서울 '.repeat(500)}`)))
    expect([long.length, long.at(-1)]).toEqual(['URL '.length + 501, '…'])
    for (const request of [requestOf('/caf\xe9'), requestOf('caf\xe9'), requestOf('/caf\xe9').slice(0, 12)]) {
      expect(messageOf(await raw(Buffer.from(request, 'latin1')))).toBe('URL must begin with / and be percent-encoded')
    }
  })
})

test('probes of /readyz at the same time share a statement', async () => {
  const answer = Promise.withResolvers<void>()
  let [sent, arrived] = [0, 0]
  const ping = () => {
    sent += 1
    return answer.promise
  }
  const slow = await startApp({ beside: { ...t, database: { ...t.database, ping } } })
  slow.app.server.on('request', () => {
    arrived += 1
  })
  const probes = Array.from({ length: 200 }, async () => (await fetch(`${slow.url}/readyz`)).status)
  await expect.poll(() => arrived).toBe(200)
  // The gateway has begun with all of them when it has answered a later request.
  expect((await fetch(`${slow.url}/healthz`)).status).toBe(200)
  answer.resolve()
  expect([new Set(await Promise.all(probes)), sent]).toEqual([new Set([200]), 1])
  await slow.close()
})

describe('An unknown path is 404 whatever its body:', () => {
  test.each<[string, Record<string, string>, string | Uint8Array<ArrayBuffer>]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'],
    ['another type', { 'content-type': 'application/xml' }, '<a/>'],
    ['a compressed body', { 'content-encoding': 'gzip' }, new Uint8Array(gzipSync('{}'))],
    ['a body that is too long', { 'content-type': 'application/json' }, ' '.repeat(300_000)],
  ])('%s', async (_what, headers, body) => {
    const response = await fetch(`${t.url}/v1/nothing`, { method: 'POST', headers, body })
    expect([response.status, (await response.json()).error.code]).toEqual([404, 'NOT_FOUND'])
  })
})

test.each([
  ['is read to its end, so that a client that still sends receives the 413', 128],
  ['even without an end, gets a 413', 0],
])('A body that is too long %s', async (_what, blocks) => {
  const socket = await openSocket(t.url)
  const response = readAll(socket)
  const head = requestText(t.key, '/graphql', '{}').slice(0, -2)
  socket.write(head.replace('Content-Length: 2', 'Content-Length: 8388608'))
  for (let n = 0; n < blocks; n += 1) {
    if (!socket.write(Buffer.alloc(65_536, ' '))) await once(socket, 'drain')
  }
  expect(await response).toMatch(/^HTTP\/1.1 413 [\s\S]*"PAYLOAD_TOO_LARGE"/)
})

test('If-Match of another version is a 412, and of this one a 200', async () => {
  const { headers } = await t.get('/v1/datasets/seoul')
  const send = (tag: string | null) => t.get('/v1/datasets/seoul', { ...withKey(), 'if-match': `${tag}` })
  expect((await send(headers.get('etag'))).status).toBe(200)
  const response = await send('"another"')
  expect([response.status, (await response.json()).error.code]).toEqual([412, 'PRECONDITION_FAILED'])
})

describe('A script on another origin', () => {
  const origin = 'https://maps.example.org'

  test('can read a 414', async () => {
    const response = await fetch(`${t.url}/v1/datasets?x=${'a'.repeat(13_000)}`, { headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([414, origin])
    // With a key, a browser sends a preflight request to the same URL first.
    expect((await preflight(origin, response.url.slice(t.url.length))).status).toBe(204)
  })

  test.each([
    ['Apollo Client with clientAwareness', 'apollographql-client-name, apollographql-client-version'],
    ['Apollo Client with enhancedClientAwareness', 'apollographql-library-name, apollographql-library-version'],
    ['Apollo Kotlin and iOS', 'x-apollo-operation-id, x-apollo-operation-name, apollo-require-preflight'],
    ['other GraphQL clients', 'graphql-require-preflight, graphql-preflight, x-graphql-yoga-csrf'],
    ['an MCP client', 'mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id'],
    ['axios and jQuery', 'x-requested-with, x-xsrf-token, x-csrf-token'],
    ['a cache', 'if-match, if-none-match, if-modified-since, cache-control, pragma'],
    ['a reader of parts', 'range, if-range'],
    ['a REST client', 'accept, authorization, content-type, prefer, x-request-id, x-correlation-id, x-api-key'],
    ['OpenTelemetry', 'traceparent, tracestate, baggage, b3, x-b3-traceid, x-b3-spanid, x-b3-sampled, uber-trace-id'],
    ['Sentry', 'sentry-trace, baggage'],
    ['New Relic and Elastic', 'newrelic, elastic-apm-traceparent'],
    ['Datadog', 'x-datadog-trace-id, x-datadog-parent-id, x-datadog-origin, x-datadog-sampling-priority'],
    ['clouds', 'request-id, request-context, x-amzn-trace-id, x-cloud-trace-context'],
    ['any other program', '*'],
  ])('may send the headers of %s', async (_who, names) => {
    for (const path of ['/graphql', '/v1/datasets', '/mcp', '/ogc']) {
      const headers = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': names }
      const response = await fetch(t.url + path, { method: 'OPTIONS', headers })
      const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
      expect(allowed).toEqual(expect.arrayContaining(names.split(', ')))
    }
  })

  test('is allowed from every origin by CORS_ORIGINS=*', async () => {
    const open = await startApp({ beside: t, corsOrigins: ['*'] })
    const response = await open.get('/v1/datasets', {
      authorization: `Bearer ${open.key}`,
      origin: 'https://any.example',
    })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    await open.close()
  })
})

test('a Link header repeats only parameters that the route knows', async () => {
  const many = Array.from({ length: 500 }, (_, n) => `unknown${n}=1`).join('&')
  const link = (await t.get(`/v1/datasets/seoul/items?limit=2&categoryCode=palace&${many}`)).headers.get('link') ?? ''
  expect(link.length).toBeLessThan(500)
  expect(link).toContain('</v1/datasets/seoul/items?limit=2&categoryCode=palace&page=1>; rel="first"')
})

test('a response whose Link header would be too long for proxies has none', async () => {
  const code = encodeURIComponent('가'.repeat(100))
  const query = `administrativeAreaCode=${code}&categoryCode=${code}`
  const { status, headers } = await t.get(`/v1/datasets/seoul/items?${query}`)
  expect([status, headers.get('link')]).toEqual([200, null])
})

describe('Links repeat a parameter with raw characters', () => {
  const CODE = 'a?b">c#d'
  const QUERY = `administrativeAreaCode=${CODE}&limit=1`
  beforeAll(async () => {
    await t.database.prisma.item.updateMany({
      where: { dataset: { slug: 'seoul' } },
      data: { administrativeAreaCode: CODE },
    })
  })

  const linksOf = async (target: string) => {
    const response = await raw(
      `GET ${target} HTTP/1.1\r\nHost: catalog.example\r\nAuthorization: Bearer ${t.key}\r\nConnection: close\r\n\r\n`,
    )
    expect(response).toMatch(/^HTTP\/1.1 200 /)
    const links = /^link: (.*)$/im.exec(response)?.[1] ?? ''
    return Object.fromEntries([...links.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url = '', name]) => [name, url]))
  }

  test.each([
    ['/v1/datasets/seoul/items', QUERY],
    ['/ogc/collections/seoul/items', QUERY],
    // The router refuses an absolute target with a raw #.
    ['http://other.example/v1/datasets/seoul/items', QUERY.replace('#', '%23')],
    ['http://other.example/ogc/collections/seoul/items', QUERY.replace('#', '%23')],
  ])('of %s', async (path, query) => {
    const { next } = await linksOf(`${path}?${query}`)
    const url = new URL(next, 'http://catalog.example')
    expect([url.origin, url.hash]).toEqual(['http://catalog.example', ''])
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ administrativeAreaCode: CODE, limit: '1' })
    const { next: afterNext } = await linksOf(url.pathname + url.search)
    expect(afterNext).not.toBe(next)
  })

  test.each([
    '//v1/datasets/seoul/items',
    'http://[/v1/datasets/seoul/items',
    'http://a:99999/ogc',
    '/%2Fogc',
    '//ogc',
  ])('and %s, which is no address of a route, is a client error', async (target) => {
    const response = await raw(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\nConnection: close\r\n\r\n`,
    )
    expect(response).toMatch(/^HTTP\/1.1 40[04] /)
  })
})
