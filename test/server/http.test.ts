import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { VERSION } from '../../src/config/version.ts'
import { startApp, useApp } from '../support/app.ts'

const t = useApp({ corsOrigins: ['https://maps.example.org'] })

const PATHS = [
  '/v1/datasets',
  '/v1/datasets/seoul',
  '/v1/datasets/seoul/items',
  '/v1/dataset-items/nearby',
  '/v1/dataset-items/x',
]
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
  const preflight = (origin: string, path = '/v1/datasets') =>
    fetch(t.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    })

  test('OPTIONS answers the preflight request of an allowed origin without a key', async () => {
    const response = await preflight('https://maps.example.org')
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://maps.example.org')
    expect(response.headers.get('access-control-allow-methods')).toContain('GET')
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  test('another origin is not allowed, and credentials are never allowed', async () => {
    const response = await preflight('https://evil.example.org')
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(
      (await t.get('/v1/datasets', { ...withKey(), origin: 'https://evil.example.org' })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull()
  })

  test('OPTIONS on an unknown path is a 404', async () => {
    expect((await preflight('https://maps.example.org', '/v1/x')).status).toBe(404)
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

  test.each([
    ['APPLICATION/PROBLEM+JSON', 'application/problem+json'],
    ['application/json, application/problem+json', 'application/problem+json'],
    ['application/json, application/problem+json;q=0', 'application/json'],
    ['application/*', 'application/json'],
  ])('for Accept: %s are %s', async (accept, type) => {
    const response = await t.get('/v1/datasets/nowhere', { ...withKey(), accept })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, `${type}; charset=utf-8`])
  })

  test.each([
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['Application/GraphQL-Response+JSON;q=0.9, application/json;q=0.5', 'application/graphql-response+json'],
    ['application/json, application/graphql-response+json;q=0.1', 'application/json'],
    ['application/graphql-response+json;q=0, */*', 'application/json'],
    ['image/png', 'application/json'],
  ])('of /graphql for Accept: %s are %s', async (accept, type) => {
    const response = await fetch(`${t.url}/graphql?query={datasets{total}}`, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([401, `${type}; charset=utf-8`])
    expect((await response.json()).errors[0].extensions.code).toBe('UNAUTHORIZED')
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

describe('Health', () => {
  test('/healthz and /readyz answer 200 without a key', async () => {
    expect(await (await t.get('/healthz', {})).json()).toEqual({ status: 'ok' })
    expect(await (await t.get('/readyz', {})).json()).toEqual({ status: 'ready', version: VERSION })
  })
})

describe('Malformed HTTP', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port } = new URL(t.url)
      const socket = connect(Number(port), hostname, () => socket.end(text))
      let response = ''
      socket.on('data', (data) => {
        response += data
      })
      socket.on('close', () => resolve(response))
      // Refused while we are still writing.
      socket.on('error', () => resolve(response))
    })

  test.each([
    [
      'a request smuggled with two lengths',
      'GET /v1/datasets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
    [
      'a length beside chunks',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
    [
      'headers of 100 kB',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
      /^(HTTP\/1.1 431 |$)/,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 /],
    ['nonsense', 'nonsense\r\n\r\n', /^HTTP\/1.1 400 /],
  ])('%s is refused', async (_what, text, expected) => {
    expect(await raw(text)).toMatch(expected)
    expect((await t.get('/healthz', {})).status).toBe(200)
  })
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

test('an unknown path below /v1 names the paths that there are', async () => {
  for (const path of ['/v1/search', '/v1/', '/v1/dataset']) {
    const response = await t.get(path)
    expect([response.status, (await response.json()).error.message]).toEqual([
      404,
      'There is no such path. There are /v1/datasets, /v1/datasets/{datasetId}, /v1/datasets/{datasetId}/items, ' +
        '/v1/dataset-items/nearby, /v1/dataset-items/{itemId}, /search, /key',
    ])
  }
})
