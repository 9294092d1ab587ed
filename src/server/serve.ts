import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { KeyUsage } from '../auth/key-usage.ts'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { isAway } from '../database/unavailable.ts'
import { messageOf, operationFailed } from '../errors.ts'
import { readTrustedDocuments } from '../graphql/http/trusted-documents.ts'
import { loadSampleData } from '../sample/load.ts'
import { startTracing } from '../tracing.ts'
import { createApp } from './app.ts'
import { Readiness } from './readiness.ts'
import { startupBanner } from './startup-banner.ts'
import { openLog } from './telemetry/log.ts'
import { type Metrics, openMetrics, serveMetrics } from './telemetry/metrics.ts'

/** How long to wait before a database that is away is tried again. */
const RETRY_MS = 500

/**
 * Listens, migrates the database as soon as it is there, serves until SIGTERM or SIGINT, and finishes the requests in flight.
 * @param print is given the lines for the operator.
 * @param warn is given those on what is not as it should be.
 * @throws `OPERATION_FAILED` when it can't start.
 */
export async function serve(
  config: Config,
  print: (line: string) => void,
  warn: (line: string) => void,
): Promise<void> {
  const { stopped, isStopped } = stopSignal()
  const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
  // Undone in the opposite order, whatever happens.
  const opened = new AsyncDisposableStack()
  try {
    const { log, flush } = openLog(config.logLevel)
    opened.defer(flush)
    if (config.tracing) opened.defer(await startTracing(config.tracing))
    const metrics = config.metricsPort === undefined ? undefined : openMetrics()
    const observe = metrics?.countStatement
    const database = await openDatabase(config.database, {
      share: false,
      report: warn,
      observe,
      replicaUrls: config.database.kind === 'postgres' ? config.replicaUrls : [],
    })
    opened.defer(database.close)
    const keyUsage = new KeyUsage(database.prisma)
    opened.defer(keyUsage.writeRegularly((error) => log.warn(`The use of keys can't be noted: ${messageOf(error)}`)))
    const readiness = new Readiness()
    const app = await createApp({ ...config, database, log, metrics, trustedDocuments, readiness, keyUsage })
    opened.defer(() => app.close())

    const url = await listen(app, config)
    if (metrics) opened.defer(await listenForMetrics(metrics, config, print))
    const prepared = await waitFor(() => prepare(database, config), isStopped, warn)
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

async function prepare(database: Database, config: Config): Promise<{ sampleKey: string | undefined }> {
  await database.withSession((session) => migrate(session))
  return { sampleKey: config.sampleData ? await loadSampleData(database) : undefined }
}

/** Does what needs the database, again and again while that is away; gives up when the process is to stop. */
async function waitFor<Result>(
  attempt: () => Promise<Result>,
  isStopped: () => boolean,
  warn: (line: string) => void,
): Promise<Result | undefined> {
  let isToldOf = false
  while (!isStopped()) {
    try {
      return await attempt()
    } catch (error) {
      if (!isAway(error)) throw error
      if (!isToldOf) warn(`${messageOf(error)}; waiting for it`)
      isToldOf = true
      await sleep(RETRY_MS)
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

/** @returns the way to stop */
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
