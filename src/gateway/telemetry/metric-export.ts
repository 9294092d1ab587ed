import { type HrTime, ValueType } from '@opentelemetry/api'
import { MetricsExporterMetricsHelper, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { describeProcess, type ExporterOptions, openExporter } from '../../otlp.ts'
import type { MetricValues } from './metrics.ts'

type Metric = MetricValues[number]
type Values = (Metric['values'][number] & { metricName?: string })[]

/**
 * Sends the metrics of /metrics every `intervalMs`, with the same names.
 * @param read returns their values
 * @returns a function that sends them once more, and stops
 */
export function sendMetrics(
  read: () => Promise<MetricValues>,
  { intervalMs, ...options }: ExporterOptions & { intervalMs: number },
): () => Promise<void> {
  const resource = describeProcess()
  const startMs = Date.now()
  const collect = async () => {
    const metrics = toMetricData(await read(), { startMs, endMs: Date.now() })
    return {
      resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'dataset-catalog' }, metrics }] },
      errors: [],
    }
  }
  const reader = new PeriodicExportingMetricReader({
    exporter: openExporter('metrics', [ProtobufMetricsSerializer, MetricsExporterMetricsHelper], options),
    exportIntervalMillis: intervalMs,
    metricProducers: [{ collect }],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return () => provider.shutdown()
}

/** Returns metrics of Prometheus in the model of OpenTelemetry. Counters and histograms count since `startMs`. */
export function toMetricData(metrics: MetricValues, { startMs, endMs }: { startMs: number; endMs: number }) {
  const times = { startTime: toHrTime(startMs), endTime: toHrTime(endMs) }
  return metrics.map(({ name, help, type, values }): MetricData => {
    const common = {
      descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    }
    const points = () => values.map(({ value, labels }) => ({ ...times, attributes: labels, value }))
    // Its type says that it is a number, but it is a word.
    switch (String(type)) {
      case 'histogram':
        return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(values, times) }
      case 'counter':
        return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }
      default:
        return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }
    }
  })
}

/** Prometheus counts in each bucket what is at most its bound; OpenTelemetry only what is above the bound before. */
function toHistograms(values: Values, times: { startTime: HrTime; endTime: HrTime }): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le, ...others } }) => JSON.stringify(others))
  return [...series].map(([labels, group]) => {
    const of = (part: string) => group.filter(({ metricName }) => metricName?.endsWith(part))
    const buckets = of('_bucket')
    return {
      ...times,
      attributes: JSON.parse(labels),
      value: {
        buckets: {
          // The last bucket is that of all values.
          boundaries: buckets.slice(0, -1).map(({ labels: { le } }) => Number(le)),
          counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
        },
        sum: of('_sum')[0]?.value ?? 0,
        count: of('_count')[0]?.value ?? 0,
      },
    }
  })
}

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6]
}
