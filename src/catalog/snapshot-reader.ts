import { currentCancellation } from '../database/cancellation.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { isCancelled, isConflict, isFailure } from '../database/client.ts'
import type { Database } from '../database/database.ts'
import type { SqlReader } from '../database/sql-reader.ts'
import type { Prisma } from '../generated/prisma/client.ts'
import type { ApiKey, DatasetGrant } from './access.ts'
import { Catalog } from './catalog.ts'
import { cacheDatasetList, type DatasetList, readDatasetList } from './snapshot/dataset-list.ts'
import { createLoaders } from './snapshot/loaders.ts'
import { ReadLog, type ReadSource, Statements } from './snapshot/read-log.ts'
import { cacheFeatureCounts } from './sql/features.ts'
import { OffsetBookmarks } from './sql/offset-bookmarks.ts'
import { cacheTextTotals } from './sql/search.ts'
import { createBatchers } from './sql/statement-batcher.ts'

/** A result, and the log of its dependencies. */
interface SnapshotResult<Result> {
  result: Result
  readLog: ReadLog
}

type Read<Result> = (catalog: Catalog) => Promise<Result> | Result

/** Runs `read` on one state of the catalog and of the API key. It runs again if one of them has changed during the run. */
export type ReadCatalog = <Result>(read: Read<Result>) => Promise<SnapshotResult<Result>>

/** An API key, and the time that decides which of its grants have expired. */
export interface CallerAccess {
  key: ApiKey
  now: Date
}

/**
 * Returns what the key may access now, or in the state that a snapshot has.
 * @throws if the key does not work any more
 */
type Identify = (snapshot?: SqlReader) => Promise<CallerAccess>

/** Returns a function that reads what an API key may access. */
export type SnapshotReader = (caller: CallerAccess, identify: Identify) => ReadCatalog

/** A read that has ended: `result` has its result or its error. */
interface Ended<Result> {
  result: Promise<Result>
  readLog: ReadLog
}

/** Reads from one server without a transaction. Returns undefined if the catalog has changed during the read. */
type ServerReader = <Result>(caller: CallerAccess, read: Read<Result>) => Promise<Ended<Result> | undefined>

/** The number of snapshots read from the primary and from replicas since the start. */
export interface ReadCounts {
  primary: number
  replica: number
}

const SNAPSHOT_TIMEOUT_MS = 20_000
/** The longest time of a timer of Node. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** The number of times that a transaction begins, if concurrent changes make it fail. */
const MAX_TRANSACTIONS = 3

/**
 * Creates a reader. It reads from the replicas in turn while they are up to date with the change feed, and otherwise from the
 * primary. If a replica fails, it reads again from the primary. One snapshot comes from one server.
 *
 * All statements of a read see the same state of the catalog and of the key. A transaction takes three more round trips. So the first
 * attempt runs without one. If the catalog or the key has changed during it, the read runs again in a transaction.
 */
export function createSnapshotReader(
  { prisma, sql, replicas }: Pick<Database, 'prisma' | 'sql' | 'replicas'>,
  changeFeed: ChangeFeed,
): SnapshotReader & { reads: ReadCounts } {
  const readFromPrimary = createServerReader({ prisma, sql }, changeFeed)
  const replicaReaders = replicas.map((replica) => {
    const isUpToDate = () => replica.hasReplayed(changeFeed.position())
    // A result may be cached only if the replica was up to date when the read began.
    const replicaFeed: ChangeFeed = { ...changeFeed, latest: () => (isUpToDate() ? changeFeed.latest() : undefined) }
    return { isUpToDate, read: createServerReader(replica, replicaFeed) }
  })
  const reads = { primary: 0, replica: 0 }

  const readFromServer: ServerReader = async (caller, read) => {
    const next = replicaReaders.find(({ isUpToDate }) => isUpToDate())
    if (next) {
      // Round robin.
      replicaReaders.push(...replicaReaders.splice(replicaReaders.indexOf(next), 1))
      const attempt = next.read(caller, read)
      const hasFailed = await attempt.then((ended) => ended?.readLog.hasFailed, isFailure)
      if (!hasFailed) {
        reads.replica += 1
        return attempt
      }
    }
    reads.primary += 1
    return readFromPrimary(caller, read)
  }
  const readInTransaction = <Result>(identify: Identify, read: Read<Result>) =>
    inSnapshot(prisma, async (snapshot) => {
      const server = {
        prisma: snapshot,
        reader: snapshot,
        batchers: createBatchers(snapshot),
      }
      return run(read, await identify(snapshot), await readDatasetList(snapshot), server)
    })

  const reader: SnapshotReader = (caller, identify) => async (read) => {
    // While the feed may miss changes, nothing says whether the key has changed.
    const attempt = changeFeed.latest() === undefined ? undefined : await readFromServer(caller, read)
    const isCurrent = attempt && hasSameRights(caller, await identify())
    if (isCurrent) return { result: await attempt.result, readLog: attempt.readLog }
    const { result, readLog } = await readInTransaction(identify, read)
    // A cached response goes to keys whose changes were announced.
    await changeFeed.announced()
    return { result: await result, readLog }
  }
  return Object.assign(reader, { reads })
}

/**
 * Whether a key has had the same rights from the first lookup to the second. Only an unchanged key is the same object of the cache.
 * A key with equal rights may have had others between two lookups.
 */
function hasSameRights(first: CallerAccess, second: CallerAccess): boolean {
  const isSameThen = ({ expiresAt }: DatasetGrant) =>
    expiresAt === null || expiresAt <= first.now || expiresAt > second.now
  return second.key === first.key && second.key.grants.every(isSameThen)
}

/** Creates a reader that verifies by the read log that its statements saw one state. */
function createServerReader({ prisma, sql }: Pick<Database, 'prisma' | 'sql'>, changeFeed: ChangeFeed): ServerReader {
  const currentList = cacheDatasetList(prisma, changeFeed)
  const server: ReadSource = {
    prisma,
    reader: sql,
    batchers: createBatchers(sql),
    bookmarks: new OffsetBookmarks(changeFeed),
    featureCounts: cacheFeatureCounts(changeFeed),
    textTotals: cacheTextTotals(changeFeed),
  }
  return async (caller, read) => {
    const ended = await run(read, caller, await currentList(), server)
    return ended.readLog.isOneState ? ended : undefined
  }
}

async function run<Result>(
  read: Read<Result>,
  { key, now }: CallerAccess,
  list: DatasetList,
  server: ReadSource,
): Promise<Ended<Result>> {
  const readLog = new ReadLog(list, key, now)
  const loaders = createLoaders({ statements: new Statements(server, readLog), readLog })
  const result = (async () => read(new Catalog(list, loaders, readLog)))()
  // A concurrent change may have caused an error. If the result is one state, the reader throws the error.
  await result.catch((error: unknown) => {
    if (isCancelled(error)) throw error
  })
  return { result, readLog }
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
      LOCK TABLE items, images, code_labels, datasets, item_counts, tile_counts, tile_category_counts IN ACCESS SHARE MODE`
    return read(snapshot)
  }
  // A response that has begun waits for its turn as long as it must.
  const maxWait = currentCancellation()?.isStreaming ? LONGEST_WAIT_MS : SNAPSHOT_TIMEOUT_MS
  const options = { timeout: SNAPSHOT_TIMEOUT_MS, maxWait }
  try {
    return await prisma.$transaction(run, { isolationLevel: 'RepeatableRead', ...options })
  } catch (error) {
    if (!isConflict(error) || remaining === 0) throw error
    return inSnapshot(prisma, read, remaining - 1)
  }
}
