import { setTimeout as sleep } from 'node:timers/promises'
import { checkPublicKey } from '../auth/public-key.ts'
import type { Config } from '../config/config.ts'
import { PROCESS_ENDS_MS } from '../config/stop-times.ts'
import { urlOf } from '../config/url.ts'
import { isTransient } from '../database/client.ts'
import { findClockFault } from '../database/clock.ts'
import { type Database, databaseExists } from '../database/database.ts'
import { followMigrations, migrate } from '../database/migrate.ts'
import { renewStatistics } from '../database/statistics.ts'
import { checkSubscriptions } from '../database/subscriptions.ts'
import { announceUrl } from '../embedded/embedded.ts'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { type Metrics, serveMetrics } from '../gateway/telemetry/metrics.ts'
import { loadSampleData } from '../sample/load.ts'

/* The steps of start and stop that a single process and a primary process share. */

/** Functions that are called with lines for the operator. */
export interface Output {
  print: (line: string) => void
  /** Called with warnings, for the log. */
  warn: (line: string) => void
}

/** The pause between attempts to reach a database that is away. */
const RETRY_PAUSE_MS = 500
/** A process without open connections ends before. */
const EXIT_PAUSE_MS = 100

/** Whether the process has been asked to stop. `stopped` resolves at the first SIGTERM or SIGINT. */
export function stopSignal(): { stopped: Promise<void>; isStopped: () => boolean } {
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

/** Prints that the start takes some seconds, and which folder it makes, if the embedded database does not exist yet. */
export function announceFirstStart({ database }: Config, print: Output['print']): void {
  if (database.kind === 'postgres' || databaseExists(database)) return
  print(`Creating the database in ${database.dataDir} ...`)
}

/**
 * Migrates the database as soon as it can be reached, and loads the sample data if the configuration asks for it.
 * @param url of the gateway
 * @returns the sample key if there is a new one; undefined if the process was asked to stop before the database was prepared
 */
export async function prepareDatabase(
  database: Database,
  { config, url, stopped, isStopped }: { config: Config; url: string } & ReturnType<typeof stopSignal>,
  { print, warn }: Output,
): Promise<{ sampleKey: string | undefined } | undefined> {
  const { publicKey } = config
  let hasWarned = false
  while (!isStopped()) {
    try {
      await database.withSession(async (session) => {
        // A statement may wait for another gateway that migrates, or for a server that does not answer.
        void stopped.then(() => session.end())
        followMigrations(session, print)
        await migrate(session)
        const clockFault = await findClockFault(session)
        if (clockFault !== undefined) warn(`${clockFault}; set both by NTP`)
        const { isOk, found } = await checkSubscriptions(session)
        if (!isOk) warn(`${found}; npx catalog doctor says what to do`)
        // It has no autovacuum, and an older version or psql may have filled tables.
        if (config.database.kind === 'embedded') await renewStatistics(session)
      })
      if (config.database.kind === 'embedded') await announceUrl(config.database.dataDir, url)
      const sampleKey = config.sampleData ? await loadSampleData(database, url, print) : undefined
      const warning = publicKey === undefined ? undefined : await checkPublicKey(database.prisma, publicKey)
      if (warning !== undefined) warn(warning)
      return { sampleKey }
    } catch (error) {
      if (!isTransient(error)) throw error
      if (!hasWarned && !isStopped()) warn(`${messageOf(error)}; waiting for it`)
      hasWarned = true
      await sleep(RETRY_PAUSE_MS)
    }
  }
  return undefined
}

/**
 * Closes what was opened, in reverse order. A connection to a server that does not answer may never close; then the process ends without it.
 */
export async function closeAll(opened: AsyncDisposableStack, print: Output['print']): Promise<void> {
  const late = sleep(PROCESS_ENDS_MS, 'late', { ref: false })
  if ((await Promise.race([opened.disposeAsync(), late])) === 'late')
    print(`After ${PROCESS_ENDS_MS / 1000} seconds not everything is closed; the use of keys may be missing`)
  // After the error of a start has been printed and has set the exit code.
  setTimeout(() => process.exit(), EXIT_PAUSE_MS).unref()
}

/** The error for an address that can't be listened on. `setting` has its port. */
export function cannotListen({ host, port }: Pick<Config, 'host' | 'port'>, error: unknown, setting = 'PORT'): Error {
  const isUsed = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  const other = port < 65_535 ? port + 1 : 4_000
  const used = `${setting} ${port} is in use by another program; choose another port, for example ${setting}=${other}`
  const message = isUsed ? used : `HOST ${host}, ${setting} ${port} can't be listened on: ${messageOf(error)}`
  return operationFailed(message, error)
}

/**
 * Serves the metrics on their port, if there is one.
 * @returns a function that stops it
 */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'print'>,
  { host, metricsPort: port }: Config,
  { print }: Output,
): Promise<() => void> {
  if (port === undefined) return () => {}
  try {
    const served = await serveMetrics(metrics, { host, port })
    print(`Metrics at ${urlOf({ address: host, port: served.port })}/metrics`)
    return served.close
  } catch (error) {
    throw cannotListen({ host, port }, error, 'METRICS_PORT')
  }
}
