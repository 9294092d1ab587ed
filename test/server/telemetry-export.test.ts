import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DataPointType } from '@opentelemetry/sdk-metrics'
import { AggregatorRegistry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openLogExport } from '../../src/gateway/telemetry/log-export.ts'
import { sendMetrics, toMetricData } from '../../src/gateway/telemetry/metric-export.ts'
import { openMetrics } from '../../src/gateway/telemetry/metrics.ts'

/*
 * Metrics and logs for OpenTelemetry, against a collector that takes them, refuses them or is away. operations.isolated.test.ts has the
 * whole gateway.
 */

let status = 200
const bodies: Buffer[] = []
const reports: string[] = []
const report = (message: string) => void reports.push(message)
const collector = createServer((request, response) => {
  void request.toArray().then((chunks) => {
    bodies.push(Buffer.concat(chunks))
    response.writeHead(status).end()
  })
})

beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
})
beforeEach(() => {
  status = 200
  bodies.length = 0
  reports.length = 0
  const { port } = collector.address() as AddressInfo
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`)
})
afterAll(() => {
  vi.unstubAllEnvs()
  collector.close()
  collector.closeAllConnections()
})

function countIn(text: string): number {
  return Buffer.concat(bodies).toString('latin1').split(text).length - 1
}

test('every metric of /metrics is sent, under its name', async () => {
  const metrics = openMetrics()
  await sendMetrics(metrics.values, { intervalMs: 86_400_000, timeoutMs: 5_000, report })()
  const names = [...(await metrics.print()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
  expect(names).toContain('http_request_duration_seconds')
  expect(names.filter((name) => countIn(name) === 0)).toEqual([])
})

test('counters and histograms count as in Prometheus, also those of several workers', async () => {
  const worker = openMetrics()
  const request = { method: 'GET', route: '/', status: 200, refusal: undefined }
  for (const durationMs of [0.4, 2, 2, 60_000]) worker.countRequest({ ...request, durationMs })
  worker.countRequest({ ...request, status: 503, durationMs: 0.4, refusal: 'starting' })
  const values = await worker.values()
  const added = await AggregatorRegistry.aggregate([values, values]).getMetricsAsJSON()
  for (const [metrics, workers] of [[values, 1] as const, [added, 2] as const]) {
    const data = toMetricData(metrics, { startMs: 1_500, endMs: 2_250 })
    const find = (name: string) => data.find(({ descriptor }) => descriptor.name === name)
    expect(find('requests_refused_total')).toMatchObject({
      isMonotonic: true,
      dataPoints: [{ startTime: [1, 5e8], endTime: [2, 2.5e8], attributes: { reason: 'starting' }, value: workers }],
    })
    expect(find('process_resident_memory_bytes')?.dataPointType).toBe(DataPointType.GAUGE)
    const [found, failed, ...others] = find('http_request_duration_seconds')?.dataPoints ?? []
    const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    const counts = [1, 0, 2, ...Array.from({ length: 11 }, () => 0), 1].map((count) => count * workers)
    expect(found).toMatchObject({
      attributes: { method: 'GET', route: '/', status: 200 },
      value: { buckets: { boundaries: bounds, counts }, count: 4 * workers, sum: expect.closeTo(60.0044 * workers) },
    })
    expect(failed).toMatchObject({ attributes: { status: 503 }, value: { count: workers } })
    expect(others).toEqual([])
  }
})

test('a line of the log is sent with its level, its fields and its error', async () => {
  const { send, close } = openLogExport({ timeoutMs: 5_000, report })
  const err = { type: 'TypeError', message: 'no such thing', stack: 'TypeError: no such thing\n  at x.ts' }
  send(JSON.stringify({ level: 'error', time: '2026-01-01T00:00:00.000Z', requestId: 'r-1', err, msg: 'it fails' }))
  send(JSON.stringify({ level: 40, time: 1_767_225_600_000, msg: 'on a terminal' }))
  await close()
  const texts = ['error', 'it fails', 'requestId', 'r-1', 'exception.stacktrace', err.stack, 'warn', 'on a terminal']
  expect(texts.filter((text) => countIn(text) === 0)).toEqual([])
  expect(reports).toEqual([])
})

test('lines that the collector does not take in time are dropped', async () => {
  const { send, close } = openLogExport({ timeoutMs: 5_000, report })
  for (let line = 0; line < 5_000; line += 1) send('{"level":"info","time":0,"msg":"a-line"}')
  await close()
  expect(countIn('a-line')).toBe(2 * 2048)
})

test('a collector that refuses is said once, and once more after it took something', async () => {
  status = 400
  const stop = sendMetrics(openMetrics().values, { intervalMs: 100, timeoutMs: 5_000, report })
  const message = "OpenTelemetry metrics can't be sent and are lost: Bad Request"
  const requests = (count: number) => expect.poll(() => bodies.length, { timeout: 60_000 }).toBeGreaterThan(count)
  await requests(2)
  expect(reports).toEqual([message])
  status = 200
  await requests(bodies.length + 1)
  status = 400
  await requests(bodies.length + 2)
  await stop()
  expect(reports).toEqual([message, message])
})

test('a collector that is away does not hold back a stop', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1')
  const { send, close } = openLogExport({ timeoutMs: 500, report })
  send('{"level":"info","time":0,"msg":"lost"}')
  await close()
  expect(reports).toEqual(["OpenTelemetry logs can't be sent and are lost: connect ECONNREFUSED 127.0.0.1:1"])
})

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

test.each([
  [{}, []],
  [ENDPOINT, ['traces', 'metrics', 'logs']],
  [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }, ['traces']],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector/metrics' }, ['metrics']],
  [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector/logs' }, ['logs']],
  [{ OTEL_LOGS_EXPORTER: 'otlp' }, ['logs']],
  [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }, []],
])('%o sends %o', (env: Record<string, string>, signals: string[]) => {
  const { telemetry, hasMetrics } = readConfig(env)
  const { traces, metrics, logs } = telemetry
  expect(Object.entries({ traces, metrics, logs }).flatMap(([signal, isOn]) => (isOn ? signal : []))).toEqual(signals)
  expect(hasMetrics).toBe(signals.includes('metrics'))
})
