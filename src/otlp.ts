import type { ExportResult } from '@opentelemetry/core'
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import type { IExporterMetricsHelper, ISerializer } from '@opentelemetry/otlp-transformer'
import * as resources from '@opentelemetry/resources'
import { VERSION } from './config/version.ts'
import { messageOf } from './errors/errors.ts'

/*
 * What traces, metrics and logs have in common: the exporter and the resource. These modules are loaded only if the OTEL_*
 * variables turn one of them on. The packages `exporter-*-otlp-proto` have these lines once for each signal.
 */

export interface ExporterOptions {
  /** The longest time for one batch, with its further attempts. */
  timeoutMs: number
  /** Called with a message for the operator when batches begin to fail, and not again before one has arrived. */
  report: (message: string) => void
}

/**
 * Opens an exporter for OTLP over HTTP. It reads its endpoint and its headers from the OTEL_* variables. A batch that can't be sent is lost.
 * @param serializer and `helper` are those of the signal
 */
export function openExporter<Items>(
  signal: 'traces' | 'metrics' | 'logs',
  [serializer, helper]: [ISerializer<Items, unknown>, IExporterMetricsHelper<Items>],
  { timeoutMs, report }: ExporterOptions,
): OTLPExporterBase<Items> {
  const headers = { 'Content-Type': 'application/x-protobuf' }
  const path = `v1/${signal}`
  const options = convertLegacyHttpOptions({ timeoutMillis: timeoutMs }, signal.toUpperCase(), path, headers)
  const exporter = new OTLPExporterBase(createOtlpHttpExportDelegate(options, serializer, signal, helper, undefined))
  const send = exporter.export.bind(exporter)
  let isFailing = false
  exporter.export = (items, onEnd) =>
    send(items, (result: ExportResult) => {
      const { error } = result
      if (error && !isFailing) report(`OpenTelemetry ${signal} can't be sent and are lost: ${messageOf(error)}`)
      isFailing = error !== undefined
      onEnd(result)
    })
  return exporter
}

/** Describes this process. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the rest. */
export function describeProcess(): resources.Resource {
  const detectors = [resources.serviceInstanceIdDetector, resources.envDetector]
  return resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': 'dataset-catalog', 'service.version': VERSION }))
    .merge(resources.detectResources({ detectors }))
}
