import { setTimeout as sleep } from 'node:timers/promises'
import { KeyUsage } from '../auth/key-usage.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/database.ts'
import { messageOf } from '../errors.ts'
import { readTrustedDocuments } from '../graphql/operation/documents.ts'
import { startTracing } from '../tracing.ts'
import { Readiness } from './http.ts'
import {
  announceFirstStart,
  cannotListen,
  listenForMetrics,
  type Output,
  prepareDatabase,
  stopSignal,
} from './lifecycle.ts'
import { startupBanner } from './startup-banner.ts'
import { openLog } from './telemetry/log.ts'
import { openMetrics } from './telemetry/metrics.ts'

/**
 * Starts to listen in this process, migrates the database as soon as it can be reached, and serves until SIGTERM or SIGINT. Then
 * it completes the requests in flight.
 * @throws `OPERATION_FAILED` when the gateway can't start
 */
export async function serve(config: Config, output: Output): Promise<void> {
  const { stopped, isStopped } = stopSignal()
  const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
  // Everything that was opened is closed in reverse order, also after an error.
  const opened = new AsyncDisposableStack()
  try {
    const { log, flush } = openLog(config.logLevel)
    opened.defer(flush)
    if (config.tracing) opened.defer(await startTracing(config.tracing))
    const metrics = config.metricsPort === undefined ? undefined : openMetrics()
    announceFirstStart(config, output)
    const opening = openDatabase(config.database, {
      share: false,
      report: output.warn,
      observe: metrics?.countStatement,
      replicaUrls: config.replicaUrls,
    })
    // Most modules load while the embedded database starts in its thread.
    const [database, { createApp }] = await Promise.all([opening, import('./app.ts')])
    opened.defer(database.close)
    const keyUsage = new KeyUsage(database.prisma)
    opened.defer(keyUsage.writeRegularly((error) => log.warn(`The use of keys can't be recorded: ${messageOf(error)}`)))
    const readiness = new Readiness()
    const app = await createApp({ ...config, database, log, metrics, trustedDocuments, readiness, keyUsage })
    opened.defer(() => app.close())

    const url = await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
      throw cannotListen(config, error)
    })
    if (metrics) opened.defer(await listenForMetrics(metrics, config, output))
    const prepared = await prepareDatabase(database, { config, url, stopped, isStopped }, output)
    if (prepared) {
      readiness.state = 'ready'
      for (const line of startupBanner(url, prepared.sampleKey, config.baseMap !== undefined)) output.print(line)
    }
    await stopped
    readiness.state = 'stopping'
    await sleep(config.shutdownDelayMs)
  } finally {
    await opened.disposeAsync()
  }
}
