import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Database } from '../../database/database.ts'
import { isCancelled, isUnavailable } from '../../database/unavailable.ts'
import type { Access } from '../access.ts'
import { Catalog } from '../catalog.ts'
import { storedTotals } from '../sql/counts.ts'
import { FeatureCounts } from '../sql/features.ts'
import { OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import { createBatchers } from '../sql/statement-batcher.ts'
import { createDatasetCache } from './dataset-cache.ts'
import { createLoaders } from './loaders.ts'
import { ReadLog } from './read-log.ts'

/** A result, and the log of what it depends on. */
export interface SnapshotResult<Result> {
  result: Result
  readLog: ReadLog
}

/** Runs `read` on one snapshot of the catalog. It runs again if data changed meanwhile. */
export type ReadCatalog = <Result>(
  read: (catalog: Catalog) => Promise<Result> | Result,
) => Promise<SnapshotResult<Result>>

/** Returns a function that reads what an API key may access. `now` decides which grants have expired. */
export type SnapshotReader = (access: Access, now: Date) => ReadCatalog

/** The number of snapshots read from the primary and from replicas since the start. */
export interface ReadCounts {
  primary: number
  replica: number
}

export interface SnapshotReaderOptions {
  /** Whether to read without optimizations: in a transaction, with counted totals, without caches or batches. For tests. */
  isReference?: boolean
}

const SNAPSHOT_TIMEOUT_MS = 20_000

/**
 * Creates a reader. It reads from the replicas in turn while they are up to date with the change feed, and otherwise from the
 * primary. If a replica fails, it reads again from the primary. One snapshot comes from one server.
 */
export function createSnapshotReader(
  { prisma, sql, replicas }: Pick<Database, 'prisma' | 'sql' | 'replicas'>,
  changeFeed: ChangeFeed,
  options: SnapshotReaderOptions = {},
): SnapshotReader & { reads: ReadCounts } {
  const primary = createServerReader({ prisma, sql }, changeFeed, options)
  const replicaReaders = replicas.map((replica) => {
    const isUpToDate = () => replica.hasReplayed(changeFeed.position())
    // A result may be cached only if the replica was up to date when the read began.
    const replicaFeed: ChangeFeed = { ...changeFeed, latest: () => (isUpToDate() ? changeFeed.latest() : undefined) }
    return { replica, isUpToDate, read: createServerReader(replica, replicaFeed, options) }
  })
  const reads = { primary: 0, replica: 0 }

  const reader: SnapshotReader = (access, now) => async (read) => {
    const next = replicaReaders.find(({ isUpToDate }) => isUpToDate())
    if (next) {
      // Round robin.
      replicaReaders.push(...replicaReaders.splice(replicaReaders.indexOf(next), 1))
      const { failures } = next.replica
      const attempt = next.read(access, now)(read)
      const isLost = await attempt.then(() => false, isUnavailable)
      // A GraphQL read returns its errors and does not throw them, so the replica's count of failed statements decides too.
      if (!isLost && next.replica.failures === failures) {
        reads.replica += 1
        return attempt
      }
    }
    reads.primary += 1
    return primary(access, now)(read)
  }
  return Object.assign(reader, { reads })
}

/**
 * Reads snapshots from one server: all statements of a read see the same state of the database. A transaction takes three more
 * round trips. So the first attempt runs without one, and then checks the read log. If data changed meanwhile, the read runs
 * again in a transaction.
 */
function createServerReader(
  { prisma, sql }: Pick<Database, 'prisma' | 'sql'>,
  changeFeed: ChangeFeed,
  { isReference = false }: SnapshotReaderOptions,
): SnapshotReader {
  const datasetCache = createDatasetCache(changeFeed)
  const bookmarks = new OffsetBookmarks()
  const featureCounts = new FeatureCounts()
  const batchers = createBatchers(sql, storedTotals)
  const isolation = {
    isolationLevel: 'RepeatableRead',
    timeout: SNAPSHOT_TIMEOUT_MS,
    maxWait: SNAPSHOT_TIMEOUT_MS,
  } as const

  return (access, now) => async (read) => {
    if (!isReference) {
      const readLog = new ReadLog(access, now)
      const catalog = new Catalog(
        createLoaders({ prisma, sql, readLog, datasetCache, bookmarks, featureCounts, batchers }),
        readLog,
      )
      const attempt = (async () => read(catalog))()
      // A concurrent change may have caused the error. If the read is consistent, the error is thrown below.
      await attempt.catch((error: unknown) => {
        if (isCancelled(error)) throw error
      })
      if (await readLog.isConsistent(prisma)) return { result: await attempt, readLog }
    }
    return prisma.$transaction(async (snapshot) => {
      const readLog = new ReadLog(access, now)
      const catalog = new Catalog(createLoaders({ prisma: snapshot, readLog, isReference }), readLog)
      return { result: await read(catalog), readLog }
    }, isolation)
  }
}
