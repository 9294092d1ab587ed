import { z } from 'zod'

/*
 * The settings of OpenTelemetry. They are often set for a whole cluster, also for programs that can do more. So a value that is not known or not
 * supported is ignored with a warning, as the specification says
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#enum).
 */

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** The settings of traces. */
export interface TracingConfig {
  exporter: 'otlp' | 'console'
  sampler: (typeof SAMPLERS)[number]
  /** The share of traces that `traceidratio` samples, from 0 to 1. */
  samplerArgument: number
}

/** What is sent to OpenTelemetry, and what is not. */
export interface TelemetryConfig {
  traces: TracingConfig | undefined
  metrics: { intervalMs: number } | undefined
  logs: boolean
  /** The longest time for one batch. */
  timeoutMs: number
  /** A line for each value that is ignored. */
  warnings: readonly string[]
}

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.preprocess((text) => String(text).trim().toLowerCase(), z.enum(words, `it must be one of ${words.join(', ')}`))
const number = (minimum: number, maximum: number) =>
  z.coerce
    .number(`it must be a number from ${minimum} to ${maximum}`)
    .min(minimum, `it must be at least ${minimum}`)
    .max(maximum, `it must be at most ${maximum}`)
const url = z.url({ protocol: /^https?$/, error: 'it must be a URL such as http://collector:4318' })
const EXPORTERS = { TRACES: ['otlp', 'console', 'none'], METRICS: ['otlp', 'none'], LOGS: ['otlp', 'none'] } as const

/** Reads the settings. A signal is sent only if its exporter or an endpoint for it is given. OpenTelemetry itself would send each to localhost. */
export function readTelemetry(given: Readonly<Record<string, unknown>>): TelemetryConfig {
  const warnings: string[] = []
  const warn = (name: string, problem: string) => warnings.push(`${name}=${given[name]} is ignored: ${problem}`)
  const read = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined => {
    if (given[name] === undefined) return undefined
    const { data, error } = schema.safeParse(given[name])
    if (error) warn(name, error.issues[0]?.message ?? 'it is not known')
    return data
  }
  /** The first supported one of a list of exporters. */
  const exporterNamed = <Name extends string>(name: string, supported: readonly Name[]): Name | undefined => {
    const names = String(given[name] ?? '')
      .split(',')
      .flatMap((word) => word.trim().toLowerCase() || [])
    const exporter = supported.find((each) => names[0] === each) ?? supported.find((each) => names.includes(each))
    if (names.some((word) => word !== exporter)) warn(name, `of ${supported.join(', ')} it may name one`)
    return exporter
  }
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  const isDisabled = read('OTEL_SDK_DISABLED', oneOf(['true', 'false'])) === 'true'
  read('OTEL_EXPORTER_OTLP_PROTOCOL', oneOf(['http/protobuf']))
  const exporterOf = <Signal extends keyof typeof EXPORTERS>(signal: Signal) => {
    const exporter = exporterNamed<(typeof EXPORTERS)[Signal][number]>(`OTEL_${signal}_EXPORTER`, EXPORTERS[signal])
    const endpoint = read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, url) ?? common
    if (isDisabled || exporter === 'none') return undefined
    return exporter ?? (endpoint === undefined ? undefined : 'otlp')
  }
  const traces = exporterOf('TRACES')
  const metrics = exporterOf('METRICS')
  const sampler = read('OTEL_TRACES_SAMPLER', oneOf(SAMPLERS)) ?? 'parentbased_always_on'
  const samplerArgument = read('OTEL_TRACES_SAMPLER_ARG', number(0, 1)) ?? 1
  const intervalMs = read('OTEL_METRIC_EXPORT_INTERVAL', number(100, 86_400_000)) ?? 60_000
  return {
    traces: traces === undefined || traces === 'none' ? undefined : { exporter: traces, sampler, samplerArgument },
    metrics: metrics && { intervalMs },
    logs: exporterOf('LOGS') !== undefined,
    timeoutMs: read('OTEL_EXPORTER_OTLP_TIMEOUT', number(1, MAX_TIMEOUT_MS)) ?? 2_000,
    warnings,
  }
}

/** As other waits (config.ts). */
const MAX_TIMEOUT_MS = 60_000
