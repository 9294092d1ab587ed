import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ClientBase } from 'pg'
import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors.ts'
import { checkColumns } from './check-columns.ts'
import { type CodeLabel, mergeCodeLabels, readCodeLabels } from './code-labels.ts'
import { removeBadRows } from './load/cross-row-checks.ts'
import { findDatasetId } from './load/dataset-id.ts'
import { findLargeRemoval, LargeRemoval, type Removal } from './load/large-removal.ts'
import { type MergeCounts, mergeDataset, mergeItems, planItems, touchDataset } from './load/merge.ts'
import { type ImportProgress, stageFiles } from './load/stage-files.ts'
import { createStaging, indexStaging } from './load/staging.ts'
import { type ItemFile, type ManifestDataset, readManifest } from './manifest.ts'
import { collectProblems, type ImportProblem, ProblemGroups, type RowProblems } from './row-problems.ts'

export { type ImportProblem, type ImportProgress, ProblemGroups, type Removal }

export interface ImportOptions {
  /** Whether to keep items that are not in the files. */
  keepMissing: boolean
  /** Whether to import the good rows and report the bad ones. If false, one bad row stops the import. */
  skipInvalid: boolean
  /** Only report and count; the import changes nothing. */
  dryRun?: boolean
  /**
   * Asked before an import that removes more than a tenth of the items of a dataset, or all of them. False stops the import.
   * Without it every removal is allowed.
   */
  confirmRemovals?: (removal: Removal) => Promise<boolean>
  now?: Date
  onPhase?: (phase: ImportPhase) => void
  onProgress?: (progress: ImportProgress) => void
  onWarning?: (warning: ImportProblem) => void
  onSkipped?: (skipped: ImportProblem) => void
}

/** What the import does after it has read the rows. */
export type ImportPhase = 'checking' | 'merging'

export interface ImportSummary extends MergeCounts {
  datasetId: string
  slug: string
  skipped: number
}

/** After at least this number of changed items, the import runs VACUUM and ANALYZE. */
const MANY_CHANGES = 1_000

/**
 * Imports the dataset of a manifest, all or nothing. First it writes the rows into a staging table, so that memory does not grow
 * with the files. Then one transaction checks the rows against each other and the database, and merges them.
 * @returns the numbers of changed and skipped items
 * @throws `OPERATION_FAILED` with the bad rows by their reason, or with another reason. Then nothing is changed.
 */
export async function importManifest(
  database: Database,
  manifestPath: string,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { dataset, files, labels: labelSources } = await readManifest(manifestPath)
  if (dataset.visibility === 'paid' && dataset.accessTier === null) {
    const reason = 'a paid dataset without an accessTier is open only to keys with a grant'
    options.onWarning?.({ file: basename(manifestPath), line: 1, reason })
  }
  await checkColumns(files, options.skipInvalid)
  const labels = await readCodeLabels(labelSources)
  const bytesTotal = await totalSize(files)
  return database.withSession(async (session) => {
    const datasetId = await findDatasetId(session, dataset)
    const table = await createStaging(session)
    const { now = new Date() } = options
    const problems = collectProblems(files, options)
    const load: Load = { database, session, table, datasetId, now, dataset, labels, options, problems }
    try {
      await stageFiles({ ...load, files, bytesTotal, ...options })
      options.onPhase?.('checking')
      const counts = await loadOrAsk(load)
      if (options.dryRun && options.confirmRemovals && findLargeRemoval(dataset.slug, counts)) {
        const reason =
          'the import would ask before it removes so many items; without a terminal it needs --allow-removals'
        options.onWarning?.({ file: basename(manifestPath), line: 1, reason })
      }
      return { datasetId, slug: dataset.slug, ...counts, skipped: load.problems.count }
    } finally {
      // Without a connection this fails too. The error of the import says why it was lost.
      await session.query(`DROP TABLE IF EXISTS ${table}`).catch(() => {})
    }
  })
}

interface Load {
  database: Database
  session: ClientBase
  table: string
  datasetId: string
  now: Date
  dataset: ManifestDataset
  labels: readonly CodeLabel[]
  options: ImportOptions
  problems: RowProblems
}

/** Loads the staged rows. The question about removals is asked between two attempts, so that nobody waits for the answer. */
async function loadOrAsk(load: Load): Promise<MergeCounts> {
  const { confirmRemovals, dryRun } = load.options
  const mustAsk = confirmRemovals !== undefined && !dryRun
  try {
    return await attempt(load, !mustAsk)
  } catch (error) {
    if (!(error instanceof LargeRemoval) || !(await confirmRemovals?.(error.removal))) throw error
    return attempt(load, true)
  }
}

/** Does everything that needs the session for a long time. @throws LargeRemoval unless removals are allowed */
async function attempt(load: Load, allowsRemovals: boolean): Promise<MergeCounts> {
  const { database, session, table, options } = load
  const work = async () => {
    await indexStaging(session, table)
    const counts = await loadStaged(load, allowsRemovals)
    if (!options.dryRun) await updateStatistics(session, counts)
    return counts
  }
  return database.withReadersOnCopy(session, await countRows(load), work)
}

/** Returns the number of staged rows and of items in the database, which the import compares. */
async function countRows({ session, table, datasetId }: Load): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM ${table})::integer
            + coalesce((SELECT n FROM item_counts WHERE dataset_id = $1 AND list = 'all'), 0) AS count`,
    [datasetId],
  )
  return rows[0]?.count ?? 0
}

/** Checks, compares and merges the staged rows in one transaction. @throws LargeRemoval unless removals are allowed */
async function loadStaged(load: Load, allowsRemovals: boolean): Promise<MergeCounts> {
  const { session, table, datasetId, dataset, problems, options } = load
  return inTransaction(session, async () => {
    // Imports of the same dataset run one after the other.
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended('catalog import ' || $1, 0))`, [dataset.slug])
    if ((await findDatasetId(session, dataset)) !== datasetId) {
      throw operationFailed(`The dataset ${dataset.slug} was changed by another import; try again`)
    }
    const bad = await removeBadRows(session, table, datasetId, options.keepMissing)
    if (!options.skipInvalid) problems.addAll(bad)
    problems.throwUnlessSkipped()
    const counts = await planItems(load, options.keepMissing)
    const largeRemoval = findLargeRemoval(dataset.slug, counts)
    if (largeRemoval && !allowsRemovals) throw largeRemoval
    if (options.skipInvalid) problems.addAll(bad)
    if (!options.dryRun) await merge(load, counts)
    return counts
  })
}

/** Returns the size of all files in bytes. A missing file counts as 0, because reading it later fails with a better message. */
async function totalSize(files: readonly ItemFile[]): Promise<number> {
  const sizes = files.map(({ path }) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

async function merge(load: Load, counts: MergeCounts): Promise<void> {
  const { session, datasetId, dataset, labels, options } = load
  options.onPhase?.('merging')
  const datasetChanged = await mergeDataset(load, dataset)
  await mergeItems(load, counts)
  const labelsChanged = await mergeCodeLabels(session, datasetId, labels)
  const itemsChanged = counts.created + counts.updated + counts.removed > 0
  if ((itemsChanged || labelsChanged) && !datasetChanged && dataset.updatedAt === undefined) await touchDataset(load)
}

/** The planner needs new statistics, and index-only scans need a new visibility map. */
async function updateStatistics(session: ClientBase, { created, updated, removed }: MergeCounts): Promise<void> {
  if (created + updated + removed >= MANY_CHANGES)
    await session.query('VACUUM (ANALYZE) datasets, items, images, item_counts, cube_counts, tile_counts')
}
