import type { Config } from '../config/config.ts'
import { Readiness } from '../gateway/readiness.ts'
import { openMetrics } from '../gateway/telemetry/metrics.ts'
import { openTelemetry } from '../gateway/telemetry/telemetry.ts'
import { readTrustedDocuments } from '../graphql/operation/documents.ts'
import { openGateway } from '../server/open-gateway.ts'
import { serveGiven } from './connections.ts'
import type { ToWorker } from './messages.ts'
import { PrimaryChannel } from './primary-channel.ts'

type Start = Extract<ToWorker, { type: 'start' }>

/** Serves the connections that the primary process accepts, until it says to stop. Ends at once if the primary ends. */
export async function serveAsWorker(wholeConfig: Config): Promise<void> {
  // A terminal and systemd send their signals to all processes. The primary decides when its workers stop.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  const starting = Promise.withResolvers<Start>()
  const stopping = Promise.withResolvers<void>()
  const readiness = new Readiness()
  const metrics = wholeConfig.hasMetrics ? openMetrics() : undefined
  let serve: ReturnType<typeof serveGiven> | undefined
  const channel = new PrimaryChannel((message, socket) => {
    switch (message.type) {
      case 'start':
        starting.resolve(message)
        readiness.state = message.readiness
        break
      case 'readiness':
        readiness.state = message.readiness
        break
      case 'connection':
        serve?.(message.id, socket)
        break
      case 'readMetrics':
        void metrics?.values().then((values) => channel.send({ type: 'metrics', values }))
        break
      case 'stop':
        stopping.resolve()
    }
  })
  // Everything that was opened is closed in reverse order, also after an error.
  const opened = new AsyncDisposableStack()
  try {
    const { index, embeddedUrl } = await starting.promise
    const config = configOfWorker(wholeConfig, index)
    const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
    const { log } = await openTelemetry(config, { pid: process.pid, tracing: true }, opened)
    const parts = { log, trustedDocuments, metrics, readiness, shared: channel.shared(), forgetsChanges: index === 0 }
    // One of the workers reports for the gateway which replicas are lost.
    const report = index === 0 ? (line: string) => log.warn(line) : undefined
    const openOptions = { share: true, embeddedUrl, changeFeed: channel.changeFeed, report }
    const { app } = await openGateway(config, parts, openOptions, opened)
    serve = serveGiven(app, channel)
    await app.ready()
    channel.send({ type: 'ready' })
    await stopping.promise
  } finally {
    await opened.disposeAsync()
    // The primary may send them to OpenTelemetry after this process has ended.
    if (metrics) channel.send({ type: 'metrics', values: await metrics.values() })
    // The channel to the primary would keep the process alive.
    process.channel?.unref()
  }
}

/**
 * The configuration of one worker. A limit for all workers together is divided among them, into whole numbers that differ by at most 1.
 * @param index of the worker, from 0
 */
function configOfWorker(config: Config, index: number): Config {
  const { database, limits, workers } = config
  const share = (total: number) => Math.floor(total / workers) + (index < total % workers ? 1 : 0)
  return {
    ...config,
    database: { ...database, poolSize: share(database.poolSize) },
    limits: { ...limits, maxInFlight: share(limits.maxInFlight), unreadBytes: share(limits.unreadBytes) },
    responseCacheBytes: share(config.responseCacheBytes),
  }
}
