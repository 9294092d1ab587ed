import { setTimeout as sleep } from 'node:timers/promises'
import { openRateLimits } from '../auth/rate-limit.ts'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../database/database.ts'
import { openMetrics } from '../gateway/telemetry/metrics.ts'
import { openTelemetry } from '../gateway/telemetry/telemetry.ts'
import {
  announceFirstStart,
  closeAll,
  listenForMetrics,
  type Output,
  prepareDatabase,
  stopSignal,
} from '../server/lifecycle.ts'
import { startupBanner } from '../server/startup-banner.ts'
import { Primary } from './primary.ts'

/**
 * Serves one port with several worker processes until SIGTERM or SIGINT. This process migrates the database, follows its
 * changes, accepts the connections, and keeps the counts that the workers share.
 * @throws `OPERATION_FAILED` when the gateway can't start, or its workers end again and again
 */
export async function serveWithWorkers(config: Config, print: Output['print']): Promise<void> {
  const { stopped, isStopped } = stopSignal()
  await checkTrustedDocuments(config)
  // Everything that was opened is closed in reverse order, also after an error.
  const opened = new AsyncDisposableStack()
  try {
    const { log, sendMetrics } = await openTelemetry(config, { pid: process.pid, tracing: false }, opened)
    const report = (message: string) => log.warn(message)
    const metrics = config.hasMetrics ? openMetrics() : undefined
    announceFirstStart(config, print)
    const output = { print, warn: report }
    for (const line of [config.warning ?? [], config.telemetry.warnings].flat()) report(line)
    const database = await openDatabase(
      // The workers have the other connections.
      { ...config.database, poolSize: 1 },
      {
        share: false,
        report,
        observe: metrics?.countStatement,
        tracksPosition: config.replicaUrls.length > 0,
      },
    )
    opened.defer(database.close)
    const rateLimits = openRateLimits({ ...config.limits, report })
    opened.defer(() => rateLimits.close())
    const primary = new Primary(config, { database, rateLimits, metrics, report })
    opened.defer(() => primary.close())
    const unlessFailed = <Result>(work: Promise<Result>) => Promise.race([work, primary.workers.failure])

    const url = await primary.listen()
    if (primary.metrics) {
      opened.defer(await listenForMetrics(primary.metrics, config, output))
      await sendMetrics(primary.metrics)
    }
    const prepared = await unlessFailed(prepareDatabase(database, { config, url, stopped, isStopped }, output))
    if (prepared) {
      primary.setReadiness('ready')
      await unlessFailed(Promise.race([primary.workers.whenReady, stopped]))
      for (const line of startupBanner(url, prepared.sampleKey, config)) output.print(line)
    }
    await unlessFailed(stopped)
    primary.setReadiness('stopping')
    await sleep(config.shutdownDelayMs)
  } finally {
    await closeAll(opened, print)
  }
}

/** @throws `OPERATION_FAILED`, before each worker does */
async function checkTrustedDocuments({ trustedDocuments }: Config): Promise<void> {
  if (trustedDocuments === undefined) return
  // Loaded only here, because this process does not execute documents.
  const { readTrustedDocuments } = await import('../graphql/operation/documents.ts')
  await readTrustedDocuments(trustedDocuments)
}
