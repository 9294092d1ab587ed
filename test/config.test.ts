import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'

test.each([
  ['1', 1],
  ['2', 1],
  ['3', 1],
])('with %s connections there is one worker by default, because each has at least two', (size, workers) => {
  const config = readConfig({ DATABASE_URL: 'postgresql://127.0.0.1/catalog', DATABASE_POOL_SIZE: size })
  expect(config.workers).toBe(workers)
})

test('by default each worker has at least two connections', () => {
  const { workers, database } = readConfig({ DATABASE_URL: 'postgresql://127.0.0.1/catalog' })
  expect(database.poolSize).toBeGreaterThanOrEqual(2 * workers)
})

test('the embedded database has one worker', () => {
  expect(readConfig({}).workers).toBe(1)
})

test('variables of psql without DATABASE_URL have a warning, because the embedded database is used', () => {
  const env = { PGHOST: '10.0.0.5', PGPORT: '', PGDATABASE: 'catalog' }
  const warning = 'Without DATABASE_URL the embedded database is used, whatever PGHOST, PGDATABASE may say'
  expect(readConfig(env).warning).toBe(warning)
  expect(readConfig({ ...env, DATABASE_URL: 'postgresql://127.0.0.1/catalog' }).warning).toBeUndefined()
})

test.each([
  ['https://*.example.com', 'https://*.example.com has a *; name each origin, such as https://maps.example'],
  ['https://app.example,null', 'null is sent by all pages without an origin, such as files; serve the page'],
  [
    'https://app.example/x',
    'https://app.example/x has more than a scheme, a host and a port; write https://app.example',
  ],
])('CORS_ORIGINS=%s is refused with what is wrong and what to write', (value, problem) => {
  expect(() => readConfig({ CORS_ORIGINS: value })).toThrow(
    `CORS_ORIGINS must be a comma-separated list of origins, or *: ${problem}`,
  )
})

test('CORS_ORIGINS takes what --origin takes, or * for all', () => {
  const value = 'HTTPS://app.example/, tauri://localhost, *'
  expect(readConfig({ CORS_ORIGINS: value }).corsOrigins).toEqual(['https://app.example', 'tauri://localhost', '*'])
})

test('settings of OpenTelemetry that are set for a whole cluster stop nothing, and each that is ignored is a warning', () => {
  const { telemetry, hasMetrics } = readConfig({
    OTEL_SDK_DISABLED: 'FALSE',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
    OTEL_METRIC_EXPORT_INTERVAL: '5',
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_TRACES_EXPORTER: ' Zipkin, OTLP ',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://localhost:14250',
    OTEL_PROPAGATORS: 'b3,xray',
  })
  const { warnings, ...settings } = telemetry
  const traces = { exporter: 'otlp', sampler: 'parentbased_always_on', samplerArgument: 1 }
  expect(settings).toEqual({ traces, metrics: { intervalMs: 60_000 }, logs: true, timeoutMs: 2_000 })
  expect(hasMetrics).toBe(true)
  expect(warnings.map((line) => line.split(' is ignored: ')[0]?.split('=')[0]).sort()).toEqual([
    'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    'OTEL_METRICS_EXPORTER',
    'OTEL_METRIC_EXPORT_INTERVAL',
    'OTEL_TRACES_EXPORTER',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ])
})

test.each(['true', 'TRUE', 'True', ' true '])('OTEL_SDK_DISABLED=%s turns OpenTelemetry off', (text) => {
  const { telemetry } = readConfig({ OTEL_SDK_DISABLED: text, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })
  expect(telemetry).toMatchObject({ traces: undefined, metrics: undefined, logs: false, warnings: [] })
})

test.each([
  ['otlp,console', 'otlp'],
  ['CONSOLE', 'console'],
])('of OTEL_TRACES_EXPORTER=%s the gateway uses %s', (text, exporter) => {
  expect(readConfig({ OTEL_TRACES_EXPORTER: text }).telemetry.traces?.exporter).toBe(exporter)
})
