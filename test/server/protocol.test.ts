import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, useApp } from '../support/app.ts'
import { openSocket, readAll } from '../support/raw.ts'

/*
 * HTTP/1.1 in its corners: RFC 9110 and RFC 9112.
 */

const t = useApp({ corsOrigins: ['https://app.example'] })

const raw = async (text: string | Buffer) => {
  const socket = await openSocket(t.url)
  const response = readAll(socket)
  socket.write(text)
  return response
}
const withKey = () => ({ authorization: `Bearer ${t.key}` })

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
  const sockets = await Promise.all(Array.from({ length: 200 }, () => openSocket(t.url)))
  t.statements.length = 0
  // While all connections to the database are busy, the probes arrive.
  // Prisma sends a statement when something waits for it.
  const sleeping = Promise.all(
    Array.from({ length: 10 }, () => t.database.prisma.$queryRaw`SELECT true FROM pg_sleep(0.5)`),
  )
  const responses = sockets.map(readAll)
  for (const socket of sockets) socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect((await Promise.all(responses)).join('').match(/HTTP\/1.1 200 /g)).toHaveLength(200)
  expect(t.statements.filter((sql) => sql === 'SELECT 1').length).toBeLessThan(20)
  await sleeping
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

describe('A body that is too long,', () => {
  test('is read to its end, so that a client that still sends receives the 413', async () => {
    const length = 8 * 1024 * 1024
    for (let n = 0; n < 5; n += 1) {
      const socket = await openSocket(t.url)
      const response = readAll(socket)
      socket.write(
        `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      )
      for (let sent = 0; sent < length; sent += 65_536) {
        if (!socket.write(Buffer.alloc(65_536, ' '))) await new Promise((resolve) => socket.once('drain', resolve))
      }
      expect(await response).toMatch(/^HTTP\/1.1 413 [\s\S]*"PAYLOAD_TOO_LARGE"/)
    }
  })

  test('even without an end, gets a 413', async () => {
    const socket = await openSocket(t.url)
    const response = readAll(socket)
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n`,
    )
    expect(await response).toMatch(/^HTTP\/1.1 413 /)
  })
})

describe('If-Match', () => {
  test('of another version is a 412', async () => {
    const response = await t.get('/v1/datasets/seoul', { ...withKey(), 'if-match': '"another"' })
    expect([response.status, (await response.json()).error.code]).toEqual([412, 'PRECONDITION_FAILED'])
  })

  test('of this version, in a list, or * is a 200', async () => {
    const etag = (await t.get('/v1/datasets/seoul')).headers.get('etag')
    for (const ifMatch of [`${etag}`, `"x", ${etag}`, '*']) {
      expect((await t.get('/v1/datasets/seoul', { ...withKey(), 'if-match': ifMatch })).status).toBe(200)
    }
    expect((await t.get('/v1/datasets/seoul', { ...withKey(), 'if-match': `W/${etag}` })).status).toBe(412)
  })
})

test('a 304 has the tag that the client sent, in any coding', async () => {
  const path = '/v1/datasets/seoul/items?limit=100'
  const tagOf = async (coding: string) =>
    (await t.get(path, { ...withKey(), 'accept-encoding': coding })).headers.get('etag') ?? ''
  const tags = [await tagOf('identity'), await tagOf('gzip'), await tagOf('br')]
  expect(new Set(tags).size).toBe(3)
  for (const tag of tags) {
    const response = await t.get(path, { ...withKey(), 'accept-encoding': 'identity', 'if-none-match': `"x", ${tag}` })
    expect([response.status, response.headers.get('etag')]).toEqual([304, tag])
  }
})

describe('A script on another origin', () => {
  const origin = 'https://app.example'

  test('can read a 414', async () => {
    const response = await fetch(`${t.url}/v1/datasets?x=${'a'.repeat(13_000)}`, { headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([414, origin])
    // With a key, a browser sends a preflight request to the same URL first.
    const preflight = {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    expect((await fetch(response.url, { method: 'OPTIONS', headers: preflight })).status).toBe(204)
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
