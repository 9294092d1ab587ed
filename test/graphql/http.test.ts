import { gzipSync } from 'node:zlib'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { postGraphql } from '../support/graphql.ts'

/*
 * GraphQL over HTTP: the audits of graphql-http, and beyond them media types, statuses, and parameters that are no JSON.
 */

let t: TestApp
let strict: TestApp
beforeAll(async () => {
  t = await startApp()
  strict = await startApp({ beside: t, trustedDocuments: new Map([['known', '{ datasets { total } }']]) })
})
afterAll(() => strict.close().then(t.close))

const RESPONSE_TYPE = 'application/graphql-response+json'
const QUERY = '{ datasets { total } }'

const post = (body: unknown, headers: Record<string, string> = {}, app = t) => postGraphql(app, body, headers)

describe('A client that accepts', () => {
  test.each([
    ['multipart/mixed', 406],
    ['multipart/*', 406],
    ['text/event-stream, multipart/mixed', 406],
    ['text/html', 406],
    ['text/event-stream, application/json', 200],
    ['multipart/mixed;deferSpec=20220824,application/json', 200],
  ])('%s gets %i, with a body of Content-Length', async (accept, status) => {
    const response = await post({ query: QUERY }, { accept })
    expect([response.status, response.headers.get('transfer-encoding')]).toEqual([status, null])
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const body = await response.json()
    if (status === 406) expect(body.errors[0].extensions.code).toBe('NOT_ACCEPTABLE')
    else expect(body).toEqual({ data: { datasets: { total: 2 } } })
  })

  test.each([
    ['application/json;q=0.1, application/graphql-response+json', RESPONSE_TYPE],
    ['application/graphql-response+json;q=0.1, application/json', 'application/json'],
    ['application/graphql-response+json;q=0, */*', 'application/json'],
    ['application/json;q=0, */*', RESPONSE_TYPE],
    ['application/graphql-response+json, application/json;q=0.9', RESPONSE_TYPE],
    // The header of Relay's template and of graffle.
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', RESPONSE_TYPE],
    ['application/json; charset=UTF-8', 'application/json'],
    ['Application/JSON; charset="utf-8"', 'application/json'],
    ['application/graphql-response+json; charset="utf-8"; q=1, application/json; q=0.9', RESPONSE_TYPE],
    ['text/csv; header="a, application/json;q=1", application/graphql-response+json; q="0.5"', RESPONSE_TYPE],
    ['application/json; charset=utf8', 'application/json'],
    ['application/graphql-response+json; version=1', RESPONSE_TYPE],
    ['*/*;q=0.1, application/json;q=0', RESPONSE_TYPE],
  ])('%s gets %s', async (accept, type) => {
    const response = await post({ query: QUERY }, { accept })
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(await response.json()).toEqual({ data: { datasets: { total: 2 } } })
  })
})

describe('Malformed parameters are client errors', () => {
  test.each([
    ['variables=%7B', 'variables'],
    ['variables=undefined', 'variables'],
    ['variables=%5B%5D', 'variables'],
    ['extensions=%7B', 'extensions'],
    ['extensions=undefined', 'extensions'],
  ])('?%s is a 400 that names %s', async (parameter, field) => {
    const response = await t.get(`/graphql?query=${encodeURIComponent(QUERY)}&${parameter}`)
    expect([response.status, response.headers.get('etag')]).toEqual([400, null])
    const { extensions } = (await response.json()).errors[0]
    expect([extensions.code, extensions.details[0].field]).toEqual(['VALIDATION_FAILED', field])
  })

  test.each([
    ['query=%ff', 'query'],
    ['variables=%FF', 'variables'],
    ['operationName=%00', 'operationName'],
    ['surprise=%zz', 'surprise'],
    ['%ff=surprise', '%ff'],
  ])('?%s, which is not UTF-8 or has NUL, is a 400 that names %s', async (parameter, field) => {
    const response = await t.get(`/graphql?query=${encodeURIComponent(QUERY)}&${parameter}`)
    const { extensions } = (await response.json()).errors[0]
    const message = 'must be percent-encoded UTF-8 without NUL'
    expect([response.status, extensions]).toEqual([400, { code: 'VALIDATION_FAILED', details: [{ field, message }] }])
  })

  test.each(['query', 'documentId', 'operationName', 'variables', 'extensions'])(
    'a URL with %s twice is a 400 that names it',
    async (field) => {
      const response = await t.get(`/graphql?${field}=%7B%7D&${field}=%7B%7D`)
      expect(response.status).toBe(400)
      const { details } = (await response.json()).errors[0].extensions
      expect(details).toContainEqual({ field, message: 'must be given once' })
    },
  )

  test('every bad parameter of a URL is named', async () => {
    const response = await t.get('/graphql?query=%7B&query=%7B&variables=%7B&extensions=nothing')
    expect((await response.json()).errors[0].extensions.details).toEqual([
      { field: 'query', message: 'must be given once' },
      { field: 'variables', message: 'must be JSON' },
      { field: 'extensions', message: 'must be JSON' },
    ])
  })

  test('an unknown or empty parameter of a URL is ignored, also twice', async () => {
    const response = await t.get(`/graphql?query=${encodeURIComponent(QUERY)}&a=1&a=2&variables=&operationName=`)
    expect(await response.json()).toEqual({ data: { datasets: { total: 2 } } })
  })

  test.each([
    ['{"query":', 'body'],
    ['"text"', 'body'],
    ['[]', 'body'],
    ['[{"query":"{datasets{total}}"}]', 'body'],
    ['{}', 'query'],
    ['{"query":1}', 'query'],
    ['{"variables":{}}', 'query'],
    [`{"query":"${QUERY}","variables":"x"}`, 'variables'],
    [`{"query":"${QUERY}","surprise":1}`, 'surprise'],
    ['{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"x"}}}', 'extensions.persistedQuery.version'],
  ])('the body %s is a 400 that names %s, in both media types', async (body, field) => {
    for (const accept of ['application/json', RESPONSE_TYPE]) {
      const response = await post(body, { accept })
      expect(response.status).toBe(400)
      const { extensions } = (await response.json()).errors[0]
      expect([extensions.code, extensions.details[0].field]).toEqual(['VALIDATION_FAILED', field])
    }
  })
})

describe('A well-formed request without data is 200 in application/json and 400 in application/graphql-response+json:', () => {
  const mismatch = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } }
  test.each<[string, object, boolean?]>([
    ['a syntax error', { query: '{' }],
    ['an unknown field', { query: '{ nothing }' }],
    ['an operation that is not there', { query: 'query A { datasets { total } }', operationName: 'B' }],
    ['a mutation', { query: 'mutation { x }' }],
    ['a variable of another type', { query: 'query ($id: ID!) { dataset(id: $id) { id } }', variables: { id: {} } }],
    ['an operation that costs too much', { query: costly() }],
    [
      'an operation that is too deep',
      { query: `{ node(id: "x") ${'{ ... on Item { parent '.repeat(13)} { id } ${'} }'.repeat(13)} }` },
    ],
    ['a document that is too long', { query: `${QUERY} #${'x'.repeat(50_000)}` }],
    ['a hash of another document', { query: QUERY, extensions: mismatch }],
    ['an unknown hash', { extensions: mismatch }],
    ['a document that is not trusted', { query: '{ __typename }' }, true],
  ])('%s', async (_what, body, isStrict = false) => {
    const statuses = []
    for (const accept of ['application/json', RESPONSE_TYPE]) {
      const response = await post(body, { accept }, isStrict ? strict : t)
      statuses.push(response.status)
      const result = await response.json()
      expect([Object.keys(result), result.errors.length > 0]).toEqual([['errors'], true])
    }
    expect(statuses).toEqual([200, 400])
  })

  test('an error of a field is 200 in both, because there is data', async () => {
    for (const accept of ['application/json', RESPONSE_TYPE]) {
      const response = await post({ query: '{ dataset(id: "nowhere") { id } }' }, { accept })
      expect([response.status, (await response.json()).data]).toEqual([200, { dataset: null }])
    }
  })
})

test.each([
  ['application/json', 'mutation { x }', ''],
  [RESPONSE_TYPE, 'mutation { x }', ''],
  ['application/json', 'query A { datasets { total } } mutation B { x }', 'B'],
])('a mutation by GET is a 405 in %s: %s %s', async (accept, query, operationName) => {
  const search = new URLSearchParams({ query, operationName })
  const response = await t.get(`/graphql?${search}`, { authorization: `Bearer ${t.key}`, accept })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
  expect(await response.json()).toEqual({
    errors: [{ message: 'A mutation needs POST', extensions: { code: 'METHOD_NOT_ALLOWED' } }],
  })
})

test('an invalid query by GET, and a subscription, are no mutations', async () => {
  for (const query of ['{ nothing }', 'subscription { x }', '{', 'query A { nothing } mutation B { x }']) {
    const response = await t.get(`/graphql?${new URLSearchParams({ query })}`)
    expect(response.status).toBe(200)
    expect((await response.json()).errors[0].extensions.code).toBe('VALIDATION_FAILED')
  }
})

describe('A body with the Content-Type', () => {
  const JSON_TYPES = ['application/json', 'APPLICATION/JSON', 'application/graphql+json']
  const PARAMETERS = [
    ...[
      '',
      ';',
      '; ',
      ';charset=utf-8',
      '; charset="utf-8"',
      '; Charset="UTF-8"',
      ' ; charset = utf-8 ',
      ';\tcharset=utf8',
    ],
    ...['; charset=', '; charset="utf\\-8"', '; charset=utf-8;', '; charset=utf-8; charset=latin1', '; odata=verbose'],
    ...['; profile="a;charset=latin1,b"; charset=utf-8', '; boundary="x;y"'],
  ]
  test.each(JSON_TYPES.flatMap((type) => PARAMETERS.map((parameters) => type + parameters)))(
    '%s is read',
    async (type) => {
      const response = await post({ query: QUERY }, { 'content-type': type })
      expect([response.status, await response.json()]).toEqual([200, { data: { datasets: { total: 2 } } }])
    },
  )

  const TYPE = 'The body must be application/json or application/graphql+json or application/graphql'
  const CHARSET = 'The charset of Content-Type must be utf-8'
  test.each([
    ['text/plain', TYPE],
    ['text/plain; a=application/json', TYPE],
    ['text/plain; charset="application/json"', TYPE],
    ['application/xml', TYPE],
    ['application/x-www-form-urlencoded', TYPE],
    ['multipart/form-data; boundary=x', TYPE],
    ['application/jsonp', TYPE],
    ['application/json; charset=utf-16', CHARSET],
    ['application/json; charset="iso-8859-1"', CHARSET],
    ['application/json; a="b;c"; CHARSET=EUC-KR', CHARSET],
    ['application/json; charset=utf-16; charset=utf-8', CHARSET],
    ['application/json, application/json', 'The body must be application/json'],
    ['json', 'The body must be application/json'],
  ])('%s is a 415 that says what is right', async (type, message) => {
    const response = await post({ query: QUERY }, { 'content-type': type })
    expect(response.status).toBe(415)
    expect((await response.json()).errors).toEqual([{ message, extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }])
  })
})

test.each<[string, string | Buffer<ArrayBuffer>, number, Record<string, string>]>([
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400, {}],
  ['300,000 bytes', JSON.stringify({ query: `#${'a'.repeat(300_000)}\n${QUERY}` }), 413, {}],
  ['compressed JSON', gzipSync(JSON.stringify({ query: QUERY })), 415, { 'content-encoding': 'gzip' }],
])('a body that is %s is refused', async (_what, body, status, headers) => {
  const json = { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' }
  const response = await fetch(`${t.url}/graphql`, { method: 'POST', headers: { ...json, ...headers }, body })
  expect([response.status, (await response.json()).errors.length]).toEqual([status, 1])
})

test('HEAD has the status and headers of GET, without the body', async () => {
  const url = `${t.url}/graphql?query=${encodeURIComponent(QUERY)}`
  const headers = { authorization: `Bearer ${t.key}` }
  const got = await fetch(url, { headers })
  const head = await fetch(url, { method: 'HEAD', headers })
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, got.headers.get('etag'), ''])
  const allow = (await fetch(url, { method: 'PUT', headers })).headers.get('allow')
  expect(allow).toBe((await fetch(url, { method: 'OPTIONS' })).headers.get('allow'))
  expect(allow).toContain('HEAD')
})

describe('A value nested 900 deep', () => {
  const deep = `${'['.repeat(900)}${']'.repeat(900)}`

  test('in a document is refused with a short message, also when it is sent again', async () => {
    for (let n = 0; n < 20; n += 1) {
      const response = await post({ query: `{ nodes(ids: ${deep}) { id } #${n}\n}` })
      const { message, extensions } = (await response.json()).errors[0]
      expect(extensions.code).toBe('VALIDATION_FAILED')
      expect(message.length).toBeLessThan(600)
    }
  })
})

function costly(): string {
  const search = (n: number) =>
    `s${n}: nearbyItems(latitude: ${n}, longitude: 0, limit: 100) { nodes { item { name url } } }`
  return `{ ${Array.from({ length: 40 }, (_, n) => search(n)).join(' ')} }`
}

/** The suite of graphql-http, by those who wrote the specification: MUST, SHOULD and MAY. */
describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => `${t.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${t.key}`)
      return fetch(url, { ...init, headers })
    },
  })
  test.each(audits.map((audit) => ({ audit, title: `${audit.id} ${audit.name}` })))('$title', async ({ audit }) => {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok')
  })
})
