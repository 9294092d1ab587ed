import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { Readiness } from '../gateway/readiness.ts'
import { openMetrics } from '../gateway/telemetry/metrics.ts'
import { openTelemetry } from '../gateway/telemetry/telemetry.ts'
import { readTrustedDocuments } from '../graphql/operation/documents.ts'
import {
  announceFirstStart,
  cannotListen,
  closeAll,
  listenForMetrics,
  type Output,
  prepareDatabase,
  stopSignal,
} from './lifecycle.ts'
import { openGateway } from './open-gateway.ts'
import { startupBanner } from './startup-banner.ts'

/**
 * Starts to listen in this process, migrates the database as soon as it can be reached, and serves until SIGTERM or SIGINT. Then
 * it completes the requests in flight.
 * @throws `OPERATION_FAILED` when the gateway can't start
 */
export async function serve(config: Config, print: Output['print']): Promise<void> {
  const { stopped, isStopped } = stopSignal()
  const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
  // Everything that was opened is closed in reverse order, also after an error.
  const opened = new AsyncDisposableStack()
  try {
    const metrics = config.hasMetrics ? openMetrics() : undefined
    announceFirstStart(config, print)
    const { log, sendMetrics } = await openTelemetry(config, { tracing: true }, opened)
    const output = { print, warn: (line: string) => log.warn(line) }
    for (const line of [config.warning ?? [], config.telemetry.warnings].flat()) output.warn(line)
    const readiness = new Readiness()
    const openOptions = { share: false, report: output.warn }
    const { database, app } = await openGateway(
      config,
      { log, trustedDocuments, metrics, readiness, forgetsChanges: true },
      openOptions,
      opened,
    )
    const url = await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
      throw cannotListen(config, error)
    })
    if (metrics) {
      opened.defer(await listenForMetrics(metrics, config, output))
      await sendMetrics(metrics)
    }
    const prepared = await prepareDatabase(database, { config, url, stopped, isStopped }, output)
    if (prepared) {
      readiness.state = 'ready'
      for (const line of startupBanner(url, prepared.sampleKey, config)) output.print(line)
    }
    await stopped
    readiness.state = 'stopping'
    await sleep(config.shutdownDelayMs)
  } finally {
    await closeAll(opened, print)
  }
}
