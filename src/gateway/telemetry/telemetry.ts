import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { startTracing } from '../../tracing.ts'
import { openLog } from './log.ts'
import type { Metrics } from './metrics.ts'

/** The log of a process, and what it sends to OpenTelemetry. */
export interface Telemetry {
  log: Logger
  /** Sends these metrics regularly, if the configuration asks for it. */
  sendMetrics: (metrics: Pick<Metrics, 'values'>) => Promise<void>
}

/**
 * Opens the log, and starts the traces and the export of the log that the configuration asks for. When `opened` is closed, what waits is
 * sent.
 * @param pid of a process that is one of several, for the lines of its log
 */
export async function openTelemetry(
  { logLevel, telemetry }: Config,
  { pid, tracing }: { pid?: number; tracing: boolean },
  opened: AsyncDisposableStack,
): Promise<Telemetry> {
  const options = { timeoutMs: telemetry.timeoutMs, report: (message: string) => log.warn(message) }
  // The SDK is loaded only where it is needed.
  const logExport = telemetry.logs ? (await import('./log-export.ts')).openLogExport(options) : undefined
  const { log, flush } = openLog(logLevel, pid, logExport?.send)
  const closing: (() => Promise<void>)[] = logExport ? [logExport.close] : []
  logWarnings(log)
  // At the same time, because each waits if nobody answers it.
  opened.defer(async () => {
    await Promise.allSettled(closing.map((close) => close()))
    flush()
  })
  if (tracing && telemetry.traces) closing.push(await startTracing(telemetry.traces, options))
  const { metrics: intervals } = telemetry
  return {
    log,
    sendMetrics: async (metrics) => {
      if (!intervals) return
      const { sendMetrics } = await import('./metric-export.ts')
      closing.push(sendMetrics(metrics.values, { ...options, ...intervals }))
    },
  }
}

/** Node itself writes its warnings to stderr as text, between the lines of JSON. */
function logWarnings(log: Logger): void {
  process.removeAllListeners('warning')
  // Node's own listener, which leaves these out as the command asks for, is gone.
  process.on('warning', ({ name, message }) => name === 'ExperimentalWarning' || log.warn(`${name}: ${message}`))
}
