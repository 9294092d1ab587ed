import type { ChangeFeed } from '../database/change-feed.ts'
import { isCancelled, isConflict, isUnavailable } from '../database/connection.ts'
import type { Database } from '../database/database.ts'
import type { Prisma } from '../generated/prisma/client.ts'
import type { Access } from './access.ts'
import { Catalog } from './catalog.ts'
import { createLoaders } from './snapshot/loaders.ts'
import {
  cacheDatasetList,
  type DatasetList,
  decidesAlike,
  ReadLog,
  readDatasetList,
  type Server,
  Statements,
} from './snapshot/read-log.ts'
import { cacheFeatureCounts } from './sql/features.ts'
import { countedTotals, storedTotals } from './sql/item-list.ts'
import { OffsetBookmarks } from './sql/offset-bookmarks.ts'
import { createBatchers } from './sql/statement-batcher.ts'

/** A result, and the log of what it depends on. */
interface SnapshotResult<Result> {
  result: Result
  readLog: ReadLog
}

type Read<Result> = (catalog: Catalog) => Promise<Result> | Result

/** Runs `read` on one state of the catalog and of the API key. It runs again if one of them changed meanwhile. */
export type ReadCatalog = <Result>(read: Read<Result>) => Promise<SnapshotResult<Result>>

/** What an API key may access, and the time that decides which grants have expired. */
export interface CallerAccess {
  key: Access
  now: Date
}

/**
 * Returns a function that reads what an API key may access.
 * @param identify returns what the key may access now. It throws if the key does not work any more.
 */
export type SnapshotReader = (caller: CallerAccess, identify: () => Promise<CallerAccess>) => ReadCatalog

/** A read that has ended: `result` has its result or its error. */
interface Ended<Result> {
  result: Promise<Result>
  readLog: ReadLog
}

/** Reads from one server with the access of a caller. */
type ServerReader = <Result>(caller: CallerAccess, read: Read<Result>) => Promise<Ended<Result>>

/** The number of snapshots read from the primary and from replicas since the start. */
export interface ReadCounts {
  primary: number
  replica: number
}

interface SnapshotReaderOptions {
  /** Whether to read without optimizations: in a transaction, with counted totals, without caches or batches. For tests. */
  isReference?: boolean
}

const SNAPSHOT_TIMEOUT_MS = 20_000

/** The number of times that a transaction begins, if concurrent changes make it fail. */
const MAX_TRANSACTIONS = 3

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

  const readFromServer: ServerReader = async (caller, read) => {
    const next = replicaReaders.find(({ isUpToDate }) => isUpToDate())
    if (next) {
      // Round robin.
      replicaReaders.push(...replicaReaders.splice(replicaReaders.indexOf(next), 1))
      const { failures } = next.replica
      const attempt = next.read(caller, read)
      const isLost = await attempt.then(({ result }) => result).then(() => false, isUnavailable)
      // A GraphQL read returns its errors and does not throw them, so the replica's count of failed statements decides too.
      if (!isLost && next.replica.failures === failures) {
        reads.replica += 1
        return attempt
      }
    }
    reads.primary += 1
    return primary(caller, read)
  }

  const reader: SnapshotReader = (caller, identify) => async (read) => {
    const { result, readLog } = await readFromServer(caller, read)
    // The catalog may have changed after the key. So the key of before the read must decide as the key of after the read does.
    const current = await identify()
    if (!decidesAlike(readLog.dependencies.decisions, current.key, current.now)) return reader(current, identify)(read)
    return { result: await result, readLog }
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
): ServerReader {
  const currentList = cacheDatasetList(prisma, changeFeed)
  const server: Server = {
    prisma,
    sql,
    batchers: createBatchers(sql, storedTotals),
    totals: storedTotals,
    bookmarks: new OffsetBookmarks(changeFeed),
    featureCounts: cacheFeatureCounts(changeFeed),
  }

  const run = async <Result>(
    read: Read<Result>,
    { key, now }: CallerAccess,
    list: DatasetList,
    server: Server,
  ): Promise<Ended<Result>> => {
    const readLog = new ReadLog(list, key, now)
    const loaders = createLoaders({ statements: new Statements(server, readLog), readLog, isReference })
    const result = (async () => read(new Catalog(list, loaders, readLog)))()
    // A concurrent change may have caused an error. If the result is one state, the reader throws the error.
    await result.catch((error: unknown) => {
      if (isCancelled(error)) throw error
    })
    return { result, readLog }
  }
  const readInTransaction: ServerReader = (caller, read) =>
    inSnapshot(prisma, async (snapshot) => {
      const totals = isReference ? countedTotals : storedTotals
      const server = { prisma: snapshot, sql: snapshot, batchers: createBatchers(snapshot, totals), totals }
      return run(read, caller, await readDatasetList(snapshot), server)
    })

  return async (caller, read) => {
    if (isReference) return readInTransaction(caller, read)
    const ended = await run(read, caller, await currentList(), server)
    return (await ended.readLog.isOneState(prisma)) ? ended : readInTransaction(caller, read)
  }
}

/**
 * Runs `read` in a transaction that sees one state of the database. The locks come before the snapshot. Without them, a TRUNCATE
 * that commits between two statements would make the table empty for this snapshot too.
 */
async function inSnapshot<Result>(
  prisma: Database['prisma'],
  read: (snapshot: Prisma.TransactionClient) => Promise<Result>,
  remaining = MAX_TRANSACTIONS - 1,
): Promise<Result> {
  const run = async (snapshot: Prisma.TransactionClient) => {
    await snapshot.$executeRaw`
      LOCK TABLE items, images, code_labels, datasets, item_counts, cube_counts, tile_counts IN ACCESS SHARE MODE`
    return read(snapshot)
  }
  const options = { timeout: SNAPSHOT_TIMEOUT_MS, maxWait: SNAPSHOT_TIMEOUT_MS }
  try {
    return await prisma.$transaction(run, { isolationLevel: 'RepeatableRead', ...options })
  } catch (error) {
    if (!isConflict(error) || remaining === 0) throw error
    return inSnapshot(prisma, read, remaining - 1)
  }
}
