import type { FastifyInstance } from 'fastify'
import { KeyUsage } from '../../auth/key-usage.ts'
import type { Config } from '../../config.ts'
import { openDatabase } from '../../database/database.ts'
import { messageOf } from '../../errors.ts'
import { readTrustedDocuments } from '../../graphql/operation/documents.ts'
import { startTracing } from '../../tracing.ts'
import { createApp } from '../app.ts'
import { Readiness } from '../http.ts'
import { openLog } from '../telemetry/log.ts'
import { type Metrics, openMetrics } from '../telemetry/metrics.ts'
import { GivenConnections } from './connections.ts'
import type { ToWorker } from './messages.ts'
import { PrimaryChannel } from './primary-channel.ts'
import { configOfWorker } from './shares.ts'

type Start = Extract<ToWorker, { type: 'start' }>

/** Serves the connections that the primary process accepts, until it says to stop. Ends at once if the primary ends. */
export async function serveAsWorker(wholeConfig: Config): Promise<void> {
  // A terminal and systemd send their signals to all processes. The primary decides when its workers stop.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  const starting = Promise.withResolvers<Start>()
  const stopping = Promise.withResolvers<void>()
  const readiness = new Readiness()
  const metrics = wholeConfig.metricsPort === undefined ? undefined : openMetrics()
  let connections: GivenConnections | undefined
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
        connections?.serve(message.id, socket)
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
    const app = await openApp(config, { embeddedUrl, channel, readiness, metrics }, opened)
    connections = new GivenConnections(app, channel)
    await app.ready()
    channel.send({ type: 'ready' })
    await stopping.promise
  } finally {
    await opened.disposeAsync()
    // The channel to the primary would keep the process alive.
    process.channel?.unref()
  }
}

interface WorkerParts {
  embeddedUrl: string | undefined
  channel: PrimaryChannel
  readiness: Readiness
  metrics: Metrics | undefined
}

/** Creates the application of a worker. What must be closed is added to `opened`. */
async function openApp(
  config: Config,
  { embeddedUrl, channel, readiness, metrics }: WorkerParts,
  opened: AsyncDisposableStack,
): Promise<FastifyInstance> {
  const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
  const { log, flush } = openLog(config.logLevel, process.pid)
  opened.defer(flush)
  if (config.tracing) opened.defer(await startTracing(config.tracing))
  const { replicaUrls } = config
  const observe = metrics?.countStatement
  const { changeFeed } = channel
  const database = await openDatabase(config.database, { share: true, embeddedUrl, observe, replicaUrls, changeFeed })
  opened.defer(database.close)
  const keyUsage = new KeyUsage(database.prisma)
  opened.defer(keyUsage.writeRegularly((error) => log.warn(`The use of keys can't be recorded: ${messageOf(error)}`)))
  const shared = channel.shared()
  const app = await createApp({ ...config, database, log, metrics, trustedDocuments, readiness, keyUsage, shared })
  opened.defer(() => app.close())
  return app
}
