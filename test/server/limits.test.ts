import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { networkOf, trustProxies } from '../../src/gateway/admission/proxies.ts'
import { startApp, type TestApp, useApp } from '../support/app.ts'
import { openSocket, readAll } from '../support/raw.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

/*
 * What a stranger may take of the gateway, attacked: over real sockets, with bounds low enough to be met.
 */

const t = useApp({
  limits: { maxInFlight: 3, maxConnectionsPerAddress: 20, refusalsPerMinute: 5, receiveTimeoutMs: 600_000 },
})

const NO_KEY = { authorization: `Bearer dck_${'A'.repeat(43)}` }

describe('A request that takes too long to arrive is cut off', () => {
  const impatient = useApp({ beside: t, limits: { receiveTimeoutMs: 500 } })

  test.each([
    ['in its headers', 'GET /v1/datasets HTTP/1.1\r\nHost: x\r\nX-A: ', 'a'],
    ...['/graphql', '/mcp'].map((path) => [
      `in its body to ${path}`,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n`,
      ' ',
    ]),
  ])('%s, although a byte arrives now and then', async (_where, start = '', drip = '') => {
    const socket = await openSocket(impatient.url)
    const response = readAll(socket)
    socket.write(start.replace('KEY', impatient.key))
    const dripping = setInterval(() => socket.write(drip), 100)
    const text = await response
    clearInterval(dripping)
    expect(text).toMatch(/^HTTP\/1.1 408 /)
    await expect.poll(async () => (await impatient.get('/v1/datasets')).status).toBe(200)
  })
})

describe('A request that is too long or malformed gets an error of the usual form:', () => {
  test('a URL', async () => {
    const response = await t.get(`/v1/datasets?x=${'a'.repeat(13_000)}`)
    expect(response.status).toBe(414)
    expect(await response.json()).toMatchObject({
      error: { code: 'URI_TOO_LONG', message: expect.stringContaining('12288') },
    })
  })

  test.each([
    ['a URL longer than Node accepts', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, 'URI_TOO_LONG'],
    ['headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['nonsense', 'nonsense\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [
      'two lengths, which smuggle a request',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      ...[400, 'VALIDATION_FAILED'],
    ],
    [
      'a length beside chunks',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ...[400, 'VALIDATION_FAILED'],
    ],
  ] as const)('%s', async (_what, text, status, code) => {
    const socket = await openSocket(t.url)
    const response = readAll(socket)
    socket.write(text)
    const [head = '', body = ''] = (await response).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head).toMatch(/X-Request-Id: \S+/)
    expect(head).toMatch(/x-content-type-options: nosniff/)
    expect(head).toMatch(/content-security-policy: default-src 'none'/)
    expect(JSON.parse(body)).toMatchObject({ error: { code, requestId: expect.any(String) } })
  })

  test('a body and headers, with a message that names the bound', async () => {
    const headers = { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' }
    for (const [path, maximum] of [
      ['/graphql', 262_144],
      ['/mcp', 65_536],
    ] as const) {
      const response = await fetch(t.url + path, { method: 'POST', headers, body: ' '.repeat(maximum + 1) })
      expect([response.status, await response.text()]).toEqual([
        413,
        expect.stringContaining(`"The body must be at most ${maximum} bytes long"`),
      ])
    }
    const socket = await openSocket(t.url)
    const response = readAll(socket)
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(16_384)}\r\n\r\n`)
    expect(await response).toContain('"The request line and the headers must be at most 16384 bytes long"')
  })
})

describe('Connections', () => {
  test('above the limit of an address are closed at once; when one closes, a new one is accepted', async () => {
    const sockets: Socket[] = []
    const closed = new Set<Socket>()
    for (let n = 0; n < 30; n += 1) {
      const socket = await openSocket(t.url)
      sockets.push(socket.resume().on('close', () => closed.add(socket)))
    }
    await expect.poll(() => sockets.length - closed.size).toBeLessThanOrEqual(20)
    expect(sockets.length - closed.size).toBeGreaterThan(10)
    for (const socket of sockets) socket.destroy()
    await expect
      .poll(() =>
        t
          .get('/healthz')
          .then(({ status }) => status)
          .catch(String),
      )
      .toBe(200)
  })
})

describe('Requests without a valid key', () => {
  test('get 429 with Retry-After if an address sends too many; a valid key from there is still accepted', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 8; n += 1) statuses.push((await t.get('/v1/datasets', NO_KEY)).status)
    expect(statuses.at(-1)).toBe(429)
    const response = await t.get('/v1/datasets', NO_KEY)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    const graphql = await fetch(`${t.url}/graphql?query={datasets{total}}`, { headers: NO_KEY })
    expect([graphql.status, await graphql.json()]).toMatchObject([
      429,
      { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
    ])
    expect((await t.get('/v1/datasets')).status).toBe(200)
  })
})

describe('Behind a proxy', () => {
  const proxied = useApp({
    beside: t,
    limits: { refusalsPerMinute: 2, maxConnectionsPerAddress: 3, trustedProxies: ['127.0.0.0/8', '2001:db8::1'] },
  })
  const refusedFor = async ({ get }: TestApp, forwardedFor: string) => {
    const statuses: number[] = []
    for (let n = 0; n < 4; n += 1)
      statuses.push((await get('/v1/datasets', { 'x-forwarded-for': forwardedFor })).status)
    return statuses
  }

  test('that is trusted, each client is counted by itself, whatever addresses it claims', async () => {
    expect(await refusedFor(proxied, '192.0.2.1')).toEqual([401, 401, 429, 429])
    expect(await refusedFor(proxied, '192.0.2.2')).toEqual([401, 401, 429, 429])
    // The proxy has appended the last one.
    expect(await refusedFor(proxied, '192.0.2.99, 192.0.2.1')).toEqual([429, 429, 429, 429])
  })

  test('that is trusted, the addresses of an IPv6 network are counted together', async () => {
    expect(await refusedFor(proxied, '2001:db8:0:1::1')).toEqual([401, 401, 429, 429])
    expect(await refusedFor(proxied, '2001:db8:0:1::2')).toEqual([429, 429, 429, 429])
    expect(await refusedFor(proxied, '2001:db8:0:2::1')).toEqual([401, 401, 429, 429])
  })

  test('the limit on connections does not apply to the proxy', async () => {
    const sockets = await Promise.all(Array.from({ length: 6 }, () => openSocket(proxied.url)))
    expect((await proxied.get('/v1/datasets')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  test('that is not trusted, X-Forwarded-For is ignored', async () => {
    const own = await startApp({ beside: t, limits: { refusalsPerMinute: 2 } })
    expect(await refusedFor(own, '192.0.2.1')).toEqual([401, 401, 429, 429])
    expect(await refusedFor(own, '192.0.2.2')).toEqual([429, 429, 429, 429])
    await own.close()
  })
})

describe('A key with a rate limit', () => {
  test('gets the remaining requests with each response, and then 429', async () => {
    const { key } = await createKey(t.database.prisma, { name: 'limited', requestsPerMinute: 2 })
    const ask = () => t.get('/v1/datasets', { authorization: `Bearer ${key}` })
    const responses = [await ask(), await ask(), await ask()]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(responses.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(
      Array(3).fill('"requests";q=2;w=60'),
    )
    expect(
      responses.map(({ headers }) => /^"requests";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]),
    ).toEqual(['1', '0', '0'])
    expect(Number(responses[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe.skipIf(!hasRedis)('Two instances with REDIS_URL', () => {
  test('count together; while Redis is away, each counts by itself without waiting', async () => {
    const { url: redisUrl, process: redis } = await startRedis()
    const one = await startApp({ beside: t, limits: { redisUrl } })
    const two = await startApp({ beside: t, limits: { redisUrl } })
    const createLimited = () => createKey(t.database.prisma, { name: 'limited', requestsPerMinute: 3 })
    const ask = async (app: TestApp, key: string) =>
      (await app.get('/v1/datasets', { authorization: `Bearer ${key}` })).status
    const together = async () => {
      const { key } = await createLimited()
      const statuses: number[] = []
      for (const app of [one, two, one, two, one]) statuses.push(await ask(app, key))
      return statuses
    }
    // If Redis is slow, each counts by itself for a request.
    await expect.poll(together).toEqual([200, 200, 200, 429, 429])
    redis.kill('SIGKILL')
    await new Promise((resolve) => redis.once('exit', resolve))
    const alone = async () => {
      const { key } = await createLimited()
      const start = performance.now()
      return [await ask(two, key), performance.now() - start < 2_000]
    }
    await expect.poll(alone).toEqual([200, true])
    await one.close()
    await two.close()
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:50123', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::', '0:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::1:2:3:4:5:6', '0:0:1:2::/64'],
  ['1::3:4:5:6:7:8', '1:0:3:4::/64'],
  ['[2001:db8::9]:50123', '2001:db8:0:0::/64'],
  ['unknown', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('a proxy is trusted by its address, or by its network', () => {
  const isTrusted = trustProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])
  expect(['10.255.0.1', '192.0.2.1', '2001:db8::9'].map(isTrusted)).toEqual([true, true, true])
  expect(['11.0.0.1', '192.0.2.2', '2001:db9::1'].map(isTrusted)).toEqual([false, false, false])
})
