import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createEmpty } from '../support/database.ts'
import { type Gateway, runCatalog, startGateway } from '../support/process.ts'

/*
 * What operators see of a running gateway: its log, its metrics and its traces.
 */

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const LIST = '/v1/datasets/seoul-landmarks/items?limit=2'
const ONE_HIT = 'response_cache_lookups_total{result="hit"} 1\n'

describe('A gateway with logs, metrics and traces', () => {
  let gateway: Gateway
  let drop: () => Promise<void>
  let key: { id: string; key: string }
  let metricsUrl = ''
  /** The number of requests for the list. */
  let lists = 0
  const readMetrics = async () => (await fetch(metricsUrl)).text()
  const logged: string[] = []
  /** What the collector of OpenTelemetry received. */
  const sent: { url: string | undefined; tenant: unknown; body: Buffer }[] = []
  const collector = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      sent.push({ url: request.url, tenant: request.headers['x-tenant'], body: Buffer.concat(chunks) })
      response.writeHead(200).end()
    })
  })

  beforeAll(async () => {
    collector.listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const { port } = collector.address() as AddressInfo
    const empty = await createEmpty()
    drop = async () => void (await empty.drop())
    gateway = await startGateway({
      ...empty.env,
      SAMPLE_DATA: 'true',
      LOG_LEVEL: 'info',
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seoul',
      OTEL_SERVICE_NAME: 'catalog-under-test',
    })
    gateway.child.stderr?.setEncoding('utf8').on('data', (text: string) => logged.push(text))
    metricsUrl = /Metrics at (\S+)/.exec(gateway.printed)?.[1] ?? ''
    const { stdout } = await runCatalog(empty.env, 'keys', 'create', '--json', '--name', 'operations')
    key = JSON.parse(stdout)

    const authorization = `Bearer ${key.key}`
    const get = async (path: string, headers: Record<string, string> = { authorization }) =>
      (await fetch(gateway.url + path, { headers })).text()
    await get(LIST, { authorization, 'x-request-id': 'of-the-list' })
    lists = 1
    // On a busy machine, the heartbeat of the change feed may be late. The gateway then does not use its cache.
    const hit = async () => {
      await get(LIST)
      lists += 1
      expect(await readMetrics()).toContain(ONE_HIT)
    }
    await vi.waitFor(hit, { timeout: 180_000 })
    await get('/v1/datasets?secret=in-the-url', {})
    await get('/nowhere')
    await get('/readyz')
    await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify({ query: 'query Landmarks { datasets { total } }', operationName: 'Landmarks' }),
    })
  })
  afterAll(async () => {
    await gateway.stop()
    collector.close()
    await drop()
  })

  test('counts requests, statements, cache lookups and connections', async () => {
    const metrics = await readMetrics()
    const items =
      'http_request_duration_seconds_count{method="GET",route="/v1/datasets/{datasetId}/items",status="200"}'
    expect(metrics).toContain(`${items} ${lists}\n`)
    expect(metrics).toContain('{method="GET",route="/v1/datasets",status="401"} 1\n')
    expect(metrics).toContain('{method="POST",route="/graphql",status="200"} 1\n')
    expect(metrics).toContain('{method="GET",route="unknown",status="404"} 1\n')
    expect(metrics).toMatch(/sql_statement_duration_seconds_count\{outcome="ok"\} [1-9]/)
    expect(metrics).toContain(ONE_HIT)
    // All requests for the list except one, and the GraphQL request.
    expect(metrics).toContain(`response_cache_lookups_total{result="miss"} ${lists}\n`)
    expect(metrics).toMatch(/process_resident_memory_bytes [1-9]/)
    for (const secret of [key.key, 'in-the-url']) expect(metrics).not.toContain(secret)
    // The gateway closes a connection that is idle for ten seconds. /readyz opens one.
    const afterStatement = async () => {
      await fetch(`${gateway.url}/readyz`)
      return readMetrics()
    }
    await expect.poll(afterStatement).toMatch(/sql_connections\{state="idle"\} [1-9]/)
  })

  test('serves metrics only on a separate port, and nothing else there', async () => {
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404)
    expect((await fetch(new URL('/v1/datasets', metricsUrl))).status).toBe(404)
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404)
  })

  test('logs a line of JSON for each request except probes, and sends its traces, metrics and log before it exits', async () => {
    const closed = once(gateway.child, 'close')
    expect(await gateway.stop()).toBe(0)
    // The last lines may arrive after the process has ended.
    await closed
    const lines = logged
      .join('')
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
    const requests = lines.filter(({ msg }) => msg === 'request')
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(requests[0]).toEqual({
      level: 'info',
      time,
      requestId: 'of-the-list',
      method: 'GET',
      route: '/v1/datasets/{datasetId}/items',
      status: 200,
      durationMs: expect.any(Number),
      keyId: key.id,
      key: 'operations',
      dataset: 'seoul-landmarks',
      items: expect.any(Number),
      msg: 'request',
    })
    expect(requests.map(({ route, status }) => `${route} ${status}`)).toEqual([
      ...Array.from({ length: lists }, () => '/v1/datasets/{datasetId}/items 200'),
      '/v1/datasets 401',
      'unknown 404',
      '/graphql 200',
      'unknown 404',
    ])
    for (const secret of [key.key, 'in-the-url']) expect(logged.join('')).not.toContain(secret)

    const traceId = Buffer.from(TRACE_ID, 'hex')
    const expected = {
      '/v1/traces': ['POST /graphql', 'graphql query', 'Landmarks', 'sql', 'SELECT', traceId],
      '/v1/metrics': ['http_request_duration_seconds', '/v1/datasets/{datasetId}/items', 'process_cpu_seconds_total'],
      '/v1/logs': ['request', 'of-the-list', 'durationMs', '/graphql', traceId],
    }
    expect(new Set(sent.map(({ url }) => url))).toEqual(new Set(Object.keys(expected)))
    expect(new Set(sent.map(({ tenant }) => tenant))).toEqual(new Set(['seoul']))
    for (const [path, texts] of Object.entries(expected)) {
      const body = Buffer.concat(sent.flatMap(({ url, body }) => (url === path ? body : [])))
      for (const text of ['catalog-under-test', ...texts]) expect(body.includes(text), `${path}: ${text}`).toBe(true)
      for (const secret of [key.key, 'in-the-url']) expect(body.includes(secret)).toBe(false)
    }
  })
})

test.each([
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of silent, fatal, error, warn, info, debug, trace'],
  [{ METRICS_PORT: '-1' }, 'METRICS_PORT must be a whole number from 0 to 65535'],
  [{ STATEMENT_TIMEOUT_MS: '60001' }, 'STATEMENT_TIMEOUT_MS must be a whole number from 1 to 60000'],
  [{ WORKERS: '0' }, 'WORKERS must be a whole number from 1 to 1000'],
  [{ WORKERS: '5', DATABASE_POOL_SIZE: '4' }, 'WORKERS must be at most DATABASE_POOL_SIZE, which is 4'],
  [{ WORKERS: '3', MAX_REQUESTS_IN_FLIGHT: '2' }, 'WORKERS must be at most MAX_REQUESTS_IN_FLIGHT, which is 2'],
])('%o is refused', (env: Record<string, string>, message) => {
  expect(() => readConfig(env)).toThrow(message)
})

test('each wrong variable is refused in a line, also one that is wrong only beside another', async () => {
  const { code, stderr } = await runCatalog(
    { LOG_LEVEL: 'x', WORKERS: '9', DATABASE_POOL_SIZE: '8', MAX_REQUESTS_IN_FLIGHT: '5' },
    'serve',
  )
  expect([code, stderr.split('\n')]).toEqual([
    1,
    [
      'catalog: LOG_LEVEL must be one of silent, fatal, error, warn, info, debug, trace',
      'WORKERS must be at most DATABASE_POOL_SIZE, which is 8',
      '',
    ],
  ])
})
