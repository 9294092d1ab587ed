import type { Changes } from '../database/changes.ts'
import { isCancelled } from '../database/unavailable.ts'
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

/** Ways to be fast, each of which can be switched off (config.ts). */
export interface ReaderOptions {
  optimisticReads: boolean
  keptTotals: boolean
  pageMarks: boolean
  nearbyCubes: boolean
  sharedStatements: boolean
}

const SNAPSHOT_TIMEOUT_MS = 20_000
const SNAPSHOT_WAIT_MS = 5_000

/**
 * All of a reading's statements see the same state of the database, so that no answer has one half from before an import and
 * the other from after it. A transaction's snapshot would cost three statements more for each answer; so a reading is
 * tried without one first, and done again in one where something changed in its midst.
 */
export function createCatalogReader(prisma: PrismaClient, changes: Changes, options: ReaderOptions): CatalogReader {
  const kept = keepDatasets(changes)
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
