import { type Changes, unheardChanges } from '../database/changes.ts'
import type { Database } from '../database/database.ts'
import { isCancelled, isUnavailable } from '../database/unavailable.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import type { Access } from './access.ts'
import { Catalog } from './catalog.ts'
import { keepDatasets } from './datasets.ts'
import { countedTotals, keptTotals } from './items.ts'
import { PageMarks } from './page-marks.ts'
import { Reading } from './reading.ts'
import { createSources } from './sources.ts'
import { poolWindows } from './window-pool.ts'

/** What was read, and how: on what the answer depends. */
export interface CatalogAnswer<Result> {
  result: Result
  reading: Reading
}

/** Reads from the catalog as it is at one moment. */
export type ReadCatalog = <Result>(
  read: (catalog: Catalog) => Promise<Result> | Result,
) => Promise<CatalogAnswer<Result>>

/** Gives the way for one API key to read, at a time that its grants are measured by. */
export type CatalogReader = (access: Access, now: Date) => ReadCatalog

/** How many readings went where, since the start. */
export interface Reads {
  primary: number
  replica: number
}

/** Ways to be fast, each of which can be switched off (config.ts). */
export interface ReaderOptions {
  keepRecords: boolean
  optimisticReads: boolean
  keptTotals: boolean
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
export function createCatalogReader(
  { prisma, replicas }: Pick<Database, 'prisma' | 'replicas'>,
  changes: Changes,
  options: ReaderOptions,
): CatalogReader & { reads: Reads } {
  const primary = createServerReader(prisma, changes, options)
  const copies = replicas.map((replica) => {
    const isUpToDate = () => replica.isUpTo(changes.position())
    // What is read is only kept if the replica had all that was heard of when that began.
    const seen: Changes = { ...changes, now: () => (isUpToDate() ? changes.now() : undefined) }
    return { replica, isUpToDate, read: createServerReader(replica.prisma, seen, options) }
  })
  const reads = { primary: 0, replica: 0 }

  const reader: CatalogReader = (access, now) => async (read) => {
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
function createServerReader(prisma: PrismaClient, changes: Changes, options: ReaderOptions): CatalogReader {
  const kept = keepDatasets(options.keepRecords ? changes : unheardChanges)
  const marks = options.pageMarks ? new PageMarks() : undefined
  const ways = { totals: options.keptTotals ? keptTotals : countedTotals, nearbyCubes: options.nearbyCubes }
  const pooled = options.sharedStatements ? poolWindows(prisma, ways.totals) : undefined
  const isolation = {
    isolationLevel: 'RepeatableRead',
    timeout: SNAPSHOT_TIMEOUT_MS,
    maxWait: SNAPSHOT_WAIT_MS,
  } as const

  return (access, now) => async (read) => {
    if (options.optimisticReads) {
      const reading = new Reading(access, now)
      const catalog = new Catalog(createSources({ prisma, reading, kept, marks, pooled, ...ways }), reading)
      const attempt = (async () => read(catalog))()
      // What it threw may be due to what changed; if not, it is thrown below.
      await attempt.catch((error: unknown) => {
        if (isCancelled(error)) throw error
      })
      if (await reading.isOfOneMoment(prisma)) return { result: await attempt, reading }
    }
    return prisma.$transaction(async (snapshot) => {
      const reading = new Reading(access, now)
      const catalog = new Catalog(createSources({ prisma: snapshot, reading, ...ways }), reading)
      return { result: await read(catalog), reading }
    }, isolation)
  }
}
