import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { KeyUsage } from '../auth/key-usage.ts'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { isTransient } from '../database/unavailable.ts'
import { messageOf, operationFailed } from '../errors.ts'
import { readTrustedDocuments } from '../graphql/http/trusted-documents.ts'
import { loadSampleData } from '../sample/load.ts'
import { startTracing } from '../tracing.ts'
import { createApp } from './app.ts'
import { Readiness } from './readiness.ts'
import { startupBanner } from './startup-banner.ts'
import { openLog } from './telemetry/log.ts'
import { type Metrics, openMetrics, serveMetrics } from './telemetry/metrics.ts'

/** The pause between attempts to reach a database that is away. */
const RETRY_PAUSE_MS = 500

/**
 * Starts to listen, migrates the database as soon as it can be reached, and serves until SIGTERM or SIGINT. Then it completes
 * the requests in flight.
 * @param print is called with lines for the operator
 * @param warn is called with warnings for the operator
 * @throws `OPERATION_FAILED` when the gateway can't start
 */
export async function serve(
  config: Config,
  print: (line: string) => void,
  warn: (line: string) => void,
): Promise<void> {
  const { stopped, isStopped } = stopSignal()
  const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
  // Everything that was opened is closed in reverse order, also after an error.
  const opened = new AsyncDisposableStack()
  try {
    const { log, flush } = openLog(config.logLevel)
    opened.defer(flush)
    if (config.tracing) opened.defer(await startTracing(config.tracing))
    const metrics = config.metricsPort === undefined ? undefined : openMetrics()
    const observe = metrics?.countStatement
    if (isFirstStart(config)) print('Creating the database. This takes about ten seconds ...')
    const database = await openDatabase(config.database, {
      share: false,
      report: warn,
      observe,
      replicaUrls: config.database.kind === 'postgres' ? config.replicaUrls : [],
    })
    opened.defer(database.close)
    const keyUsage = new KeyUsage(database.prisma)
    opened.defer(keyUsage.writeRegularly((error) => log.warn(`The use of keys can't be recorded: ${messageOf(error)}`)))
    const readiness = new Readiness()
    const app = await createApp({ ...config, database, log, metrics, trustedDocuments, readiness, keyUsage })
    opened.defer(() => app.close())

    const url = await listen(app, config)
    if (metrics) opened.defer(await listenForMetrics(metrics, config, print))
    const prepared = await waitFor(() => prepare(database, config, url, print), isStopped, warn)
    if (prepared) {
      readiness.state = 'ready'
      for (const line of startupBanner(url, prepared.sampleKey)) print(line)
    }
    await stopped
    readiness.state = 'stopping'
    await sleep(config.shutdownDelayMs)
  } finally {
    await opened.disposeAsync()
  }
}

/** Whether the embedded database has yet to be created. */
function isFirstStart({ database }: Config): boolean {
  return database.kind === 'embedded' && !existsSync(join(database.dataDir, 'postgres'))
}

async function prepare(
  database: Database,
  config: Config,
  url: string,
  print: (line: string) => void,
): Promise<{ sampleKey: string | undefined }> {
  await database.withSession((session) => migrate(session))
  return { sampleKey: config.sampleData ? await loadSampleData(database, url, print) : undefined }
}

/** Repeats an attempt while the database is away, until the process is asked to stop. Then the result is undefined. */
async function waitFor<Result>(
  attempt: () => Promise<Result>,
  isStopped: () => boolean,
  warn: (line: string) => void,
): Promise<Result | undefined> {
  let hasWarned = false
  while (!isStopped()) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error)) throw error
      if (!hasWarned) warn(`${messageOf(error)}; waiting for it`)
      hasWarned = true
      await sleep(RETRY_PAUSE_MS)
    }
  }
  return undefined
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw operationFailed(`HOST ${host}, PORT ${port} can't be listened on: ${messageOf(error)}`, error)
  }
}

/** @returns a function that stops the metrics server */
async function listenForMetrics(
  metrics: Metrics,
  { host, metricsPort: port = 0 }: Config,
  print: (line: string) => void,
): Promise<() => void> {
  try {
    const served = await serveMetrics(metrics, { host, port })
    print(`Metrics at http://${host}:${served.port}/metrics`)
    return served.close
  } catch (error) {
    throw operationFailed(`HOST ${host}, METRICS_PORT ${port} can't be listened on: ${messageOf(error)}`, error)
  }
}

function stopSignal() {
  let isStopped = false
  const stopped = new Promise<void>((resolve) => {
    const stop = () => {
      isStopped = true
      resolve()
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
  return { stopped, isStopped: () => isStopped }
}
