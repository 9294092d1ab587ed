import { type ChangeFeed, silentChangeFeed } from '../../database/change-feed.ts'
import type { Database } from '../../database/database.ts'
import { isCancelled, isUnavailable } from '../../database/unavailable.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import type { Access } from '../access.ts'
import { Catalog } from '../catalog.ts'
import { countedTotals, storedTotals } from '../sql/items.ts'
import { OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import { batchStatements } from '../sql/statement-batcher.ts'
import { createDatasetCache } from './dataset-cache.ts'
import { createLoaders } from './loaders.ts'
import { ReadLog } from './read-log.ts'

/** What was read, and how: on what the answer depends. */
export interface SnapshotResult<Result> {
  result: Result
  readLog: ReadLog
}

/** Reads from the catalog as it is at one moment. */
export type ReadCatalog = <Result>(
  read: (catalog: Catalog) => Promise<Result> | Result,
) => Promise<SnapshotResult<Result>>

/** Gives the way for one API key to read, at a time that its grants are measured by. */
export type SnapshotReader = (access: Access, now: Date) => ReadCatalog

/** How many readings went where, since the start. */
export interface Reads {
  primary: number
  replica: number
}

/** Ways to be fast, each of which can be switched off (config.ts). */
export interface SnapshotReaderOptions {
  keepRecords: boolean
  optimisticReads: boolean
  storedTotals: boolean
  pageMarks: boolean
  nearbyCubes: boolean
  sharedStatements: boolean
}

const SNAPSHOT_TIMEOUT_MS = 20_000
const SNAPSHOT_WAIT_MS = 5_000

/**
 * Reads from replicas in turn, as long as they are up to date with what was heard of, and otherwise from the primary; also what a
 * replica fails at. All of one reading comes from one server.
 */
export function createSnapshotReader(
  { prisma, replicas }: Pick<Database, 'prisma' | 'replicas'>,
  changeFeed: ChangeFeed,
  options: SnapshotReaderOptions,
): SnapshotReader & { reads: Reads } {
  const primary = createReaderOf(prisma, changeFeed, options)
  const copies = replicas.map((replica) => {
    const isUpToDate = () => replica.isUpTo(changeFeed.position())
    // What is read is only kept if the replica had all that was heard of when that began.
    const seen: ChangeFeed = { ...changeFeed, now: () => (isUpToDate() ? changeFeed.now() : undefined) }
    return { replica, isUpToDate, read: createReaderOf(replica.prisma, seen, options) }
  })
  const reads = { primary: 0, replica: 0 }

  const reader: SnapshotReader = (access, now) => async (read) => {
    const copy = copies.find(({ isUpToDate }) => isUpToDate())
    if (copy) {
      // Next time it is another's turn.
      copies.push(...copies.splice(copies.indexOf(copy), 1))
      const { failures } = copy.replica
      const answer = copy.read(access, now)(read)
      const isLost = await answer.then(() => false, isUnavailable)
      // Whether it was thrown or stands in a GraphQL result: what failed there may do here.
      if (!isLost && copy.replica.failures === failures) {
        reads.replica += 1
        return answer
      }
    }
    reads.primary += 1
    return primary(access, now)(read)
  }
  return Object.assign(reader, { reads })
}

/**
 * All of a reading's statements see the same state of the database, so that no answer has one half from before an import and
 * the other from after it. A transaction's snapshot would cost three statements more for each answer; so a reading is
 * tried without one first, and done again in one where something changed in its midst.
 */
function createReaderOf(prisma: PrismaClient, changeFeed: ChangeFeed, options: SnapshotReaderOptions): SnapshotReader {
  const kept = createDatasetCache(options.keepRecords ? changeFeed : silentChangeFeed)
  const bookmarks = options.pageMarks ? new OffsetBookmarks() : undefined
  const ways = { totals: options.storedTotals ? storedTotals : countedTotals, nearbyCubes: options.nearbyCubes }
  const batchedFetch = options.sharedStatements ? batchStatements(prisma, ways.totals) : undefined
  const isolation = {
    isolationLevel: 'RepeatableRead',
    timeout: SNAPSHOT_TIMEOUT_MS,
    maxWait: SNAPSHOT_WAIT_MS,
  } as const

  return (access, now) => async (read) => {
    if (options.optimisticReads) {
      const readLog = new ReadLog(access, now)
      const catalog = new Catalog(createLoaders({ prisma, readLog, kept, bookmarks, batchedFetch, ...ways }), readLog)
      const attempt = (async () => read(catalog))()
      // What it threw may be due to what changed; if not, it is thrown below.
      await attempt.catch((error: unknown) => {
        if (isCancelled(error)) throw error
      })
      if (await readLog.isConsistent(prisma)) return { result: await attempt, readLog }
    }
    return prisma.$transaction(async (snapshot) => {
      const readLog = new ReadLog(access, now)
      const catalog = new Catalog(createLoaders({ prisma: snapshot, readLog, ...ways }), readLog)
      return { result: await read(catalog), readLog }
    }, isolation)
  }
}
