import type { SqlReader } from '../../database/sql-reader.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Totals } from '../sql/counts.ts'
import type { FeatureCounts } from '../sql/features.ts'
import type { OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import type { Batchers } from '../sql/statement-batcher.ts'
import type { DatasetCache } from './dataset-cache.ts'
import type { ReadLog } from './read-log.ts'

export interface LoaderOptions {
  prisma: Prisma.TransactionClient
  /** Sends statements by themselves. By default, Prisma sends them, which it must in a transaction. */
  sql?: SqlReader
  /** Logs every statement, and the revision of every dataset that the request reads. */
  readLog: ReadLog
  /** Without a cache, each request reads its datasets from the database. */
  datasetCache?: DatasetCache | undefined
  /** Without bookmarks, a deep page walks its whole offset. */
  bookmarks?: OffsetBookmarks | undefined
  /** Without counts, as in a transaction, each page of features counts the selected items, and reads its parts in turn. */
  featureCounts?: FeatureCounts | undefined
  /** Requests with the same batchers share statements. By default, the request shares them with no other. */
  batchers?: Batchers | undefined
  /** Whether to count totals and search all points, instead of using the stored counts. For tests. */
  isReference?: boolean
}

/** Logs a statement, and returns the clients that can send it. */
export type Send = (options?: { returnsRevision: boolean }) => { prisma: Prisma.TransactionClient; sql: SqlReader }

/** The options with their defaults. */
export interface LoaderContext extends LoaderOptions {
  sql: SqlReader
  send: Send
  totals: Totals
  batchers: Batchers
  isReference: boolean
}
