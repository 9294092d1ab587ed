import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { TracingConfig } from './config.ts'

/*
 * Traces (OpenTelemetry): a span for each request, GraphQL operation and SQL statement, where the standard OTEL_* variables ask
 * for them. Without those nothing of it is loaded, and nothing is measured.
 */

const tracer = trace.getTracer('dataset-catalog')
let isOn = false

/** Whether there is tracing. */
export function isTracing(): boolean {
  return isOn
}

/**
 * Begins to trace. The exporter reads where to send spans from the variables itself.
 * @returns the way to send what there is, and end
 */
export async function startTracing({
  exporter,
  sampler,
  samplerArgument,
}: TracingConfig): Promise<() => Promise<void>> {
  // Half a second of loading, for those alone who want it.
  const [sdk, { AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
  ])
  const roots = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(samplerArgument),
  }
  const [, isParentBased, root] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(sampler) ?? []
  const rootSampler = Object.entries(roots).find(([name]) => name === root)?.[1]() ?? new sdk.AlwaysOnSampler()
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'dataset-catalog' }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: isParentBased ? new sdk.ParentBasedSampler({ root: rootSampler }) : rootSampler,
    spanProcessors: [
      exporter === 'console'
        ? new sdk.SimpleSpanProcessor({ exporter: new sdk.ConsoleSpanExporter() })
        : new sdk.BatchSpanProcessor({
            exporter: new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(),
          }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  isOn = true
  return () => provider.shutdown()
}

/** Runs something within a span of its own, where there is tracing. */
export function inSpan<Result>(name: string, options: SpanOptions, run: () => Promise<Result>): Promise<Result> {
  if (!isOn) return run()
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await run()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (error instanceof Error) span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** A request's span: within it runs what the request causes, and with its end the request's. */
export interface RequestSpan {
  enter: (run: () => void) => void
  end: (status: number) => void
}

/** Begins the span of a request, as a part of the trace that its headers name; undefined where there is no tracing. */
export function startRequestSpan(
  method: string,
  route: string,
  headers: Readonly<Record<string, unknown>>,
): RequestSpan | undefined {
  if (!isOn) return undefined
  const parent: Context = propagation.extract(ROOT_CONTEXT, headers)
  const span = tracer.startSpan(
    `${method} ${route}`,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
    parent,
  )
  return {
    enter: (run) => context.with(trace.setSpan(parent, span), run),
    end: (status) => {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}
