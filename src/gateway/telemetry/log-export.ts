import { type Attributes, SeverityNumber } from '@opentelemetry/api'
import { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { pino } from 'pino'
import { describeProcess, type ExporterOptions, openExporter } from '../../otlp.ts'

/** A line of the log. Its further fields become the attributes of the record. */
interface Line extends Attributes {
  /** Its name, or the number of pino on a terminal. */
  level: string | number
  time: string | number
  msg?: string
  err?: { type?: string; message?: string; stack?: string }
}

const SEVERITIES: Readonly<Record<string, SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
}

/** More lines that wait are dropped. One batch has all of them, so that a stop sends at most two. */
const MAX_WAITING = 2048

/**
 * Opens the export of the log.
 * @returns `send`, which takes a line while its request is in the active context, and so finds its trace; and `close`, which sends the
 * waiting lines
 */
export function openLogExport(options: ExporterOptions): { send: (line: string) => void; close: () => Promise<void> } {
  const exporter = openExporter('logs', [ProtobufLogsSerializer, LogsExporterMetricsHelper], options)
  const batches = { exporter, maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_WAITING }
  const processors = [new BatchLogRecordProcessor(batches)]
  const provider = new LoggerProvider({ resource: describeProcess(), processors })
  const logger = provider.getLogger('dataset-catalog')
  const send = (text: string) => {
    const line: Line = JSON.parse(text)
    const { level, time, msg, err, ...attributes } = line
    const severityText = (typeof level === 'number' ? pino.levels.labels[level] : level) ?? ''
    logger.emit({
      timestamp: new Date(time),
      severityText,
      severityNumber: SEVERITIES[severityText] ?? SeverityNumber.UNSPECIFIED,
      body: msg ?? '',
      attributes,
      exception: err && { name: err.type, message: err.message, stack: err.stack },
    })
  }
  return { send, close: () => provider.shutdown() }
}
