import type { FastifyInstance } from 'fastify'
import { KeyUsage } from '../auth/key-usage.ts'
import { forgetRegularly } from '../changes/retention.ts'
import type { Config } from '../config/config.ts'
import { type Database, type OpenOptions, openDatabase } from '../database/database.ts'
import { messageOf } from '../errors/errors.ts'
import type { Readiness } from '../gateway/readiness.ts'
import type { Metrics } from '../gateway/telemetry/metrics.ts'
import type { Telemetry } from '../gateway/telemetry/telemetry.ts'
import type { TrustedDocuments } from '../graphql/operation/documents.ts'
import type { Shared } from './app.ts'

interface Parts {
  log: Telemetry['log']
  trustedDocuments: TrustedDocuments | undefined
  metrics: Metrics | undefined
  readiness: Readiness
  /** Without it this process serves its port alone. */
  shared?: Shared
  /** Whether this process deletes old changes, as one of all workers does. */
  forgetsChanges: boolean
}

/**
 * Opens what a gateway process needs: the database and the application, which does not listen yet. What must be closed
 * is added to `opened`.
 * @throws `OPERATION_FAILED` if a part can't be opened
 */
export async function openGateway(
  config: Config,
  parts: Parts,
  openOptions: OpenOptions,
  opened: AsyncDisposableStack,
): Promise<{ database: Database; app: FastifyInstance }> {
  const { log } = parts
  const observe = parts.metrics?.countStatement
  const opening = openDatabase(config.database, { ...openOptions, observe, replicaUrls: config.replicaUrls })
  // Most modules load while the embedded database starts in its thread.
  const [database, { createApp }] = await Promise.all([opening, import('./app.ts')])
  opened.defer(database.close)
  const keyUsage = new KeyUsage(database.prisma)
  opened.defer(keyUsage.writeRegularly((error) => log.warn(`The use of keys can't be recorded: ${messageOf(error)}`)))
  const reportOld = (error: unknown) => log.warn(`Old changes can't be deleted: ${messageOf(error)}`)
  if (parts.forgetsChanges) opened.defer(forgetRegularly(database, config.feedRetentionDays, reportOld))
  const app = await createApp({ ...config, ...parts, database, keyUsage })
  opened.defer(() => app.close())
  return { database, app }
}
