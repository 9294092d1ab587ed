import { stat } from 'node:fs/promises'
import type { ClientBase } from 'pg'
import { v5 as uuidV5 } from 'uuid'
import type { Database } from '../database/database.ts'
import { operationFailed } from '../errors.ts'
import { removeBadRows } from './load/cross-row-checks.ts'
import { type MergeCounts, mergeDataset, mergeItems, touchDataset } from './load/merge.ts'
import { type ImportProgress, stageFiles } from './load/stage-files.ts'
import { createStaging, indexStaging } from './load/staging.ts'
import { type ItemFile, type ManifestDataset, readManifest } from './manifest.ts'
import { collectProblems, type ImportProblem } from './row-problems.ts'

export type { ImportProblem, ImportProgress }

export interface ImportOptions {
  /** Whether to keep items that are not in the files. */
  keepMissing: boolean
  /** Whether to import the good rows and report the bad ones. If false, one bad row stops the import. */
  skipInvalid: boolean
  now?: Date
  onProgress?: (progress: ImportProgress) => void
  onWarning?: (warning: ImportProblem) => void
  onSkipped?: (skipped: ImportProblem) => void
}

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
 * @throws `OPERATION_FAILED` with a line for each bad row, or with another reason. Then nothing is changed.
 */
export async function importManifest(
  database: Database,
  manifestPath: string,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { dataset, files } = await readManifest(manifestPath)
  const bytesTotal = await totalSize(files)
  return database.withSession(async (session) => {
    const datasetId = await findDatasetId(session, dataset)
    const table = await createStaging(session)
    try {
      const problems = collectProblems(files, options)
      await stageFiles({ session, table, datasetId, files, bytesTotal, problems, ...options })
      await indexStaging(session, table)
      const counts = await inTransaction(session, dataset.slug, async () => {
        if ((await findDatasetId(session, dataset)) !== datasetId) {
          throw operationFailed(`The dataset ${dataset.slug} was changed by another import; try again`)
        }
        problems.addAll(await removeBadRows(session, table, datasetId, options.keepMissing))
        problems.throwUnlessSkipped()
        return merge(session, table, dataset, datasetId, options)
      })
      await updateStatistics(session, counts)
      return { datasetId, slug: dataset.slug, ...counts, skipped: problems.count }
    } finally {
      await session.query(`DROP TABLE IF EXISTS ${table}`)
    }
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

/** Returns the UUID of the dataset: from the database (by slug), or else from the manifest, or else derived from the slug. */
async function findDatasetId(session: ClientBase, { id, slug }: ManifestDataset): Promise<string> {
  const { rows } = await session.query<{ id: string; slug: string }>(
    'SELECT id, slug FROM datasets WHERE slug = $1 OR id = $2',
    [slug, id],
  )
  const known = rows.find((row) => row.slug === slug)
  if (known && id !== undefined && known.id !== id) {
    throw operationFailed(`The dataset ${slug} has the id ${known.id}, and the manifest says ${id}`)
  }
  const other = rows.find((row) => row.slug !== slug)
  if (other) throw operationFailed(`The id ${other.id} belongs to the dataset ${other.slug}`)
  return known?.id ?? id ?? uuidV5(slug, uuidV5.URL)
}

async function merge(
  session: ClientBase,
  table: string,
  dataset: ManifestDataset,
  datasetId: string,
  { keepMissing, now = new Date() }: ImportOptions,
): Promise<MergeCounts> {
  const work = { session, table, datasetId, now }
  const datasetChanged = await mergeDataset(work, dataset)
  const counts = await mergeItems(work, keepMissing)
  const itemsChanged = counts.created + counts.updated + counts.removed > 0
  if (itemsChanged && !datasetChanged && dataset.updatedAt === undefined) await touchDataset(work)
  return counts
}

/** Runs `work` in a transaction. A lock makes imports of the same dataset run one after the other. */
async function inTransaction<Result>(session: ClientBase, slug: string, work: () => Promise<Result>): Promise<Result> {
  await session.query('BEGIN')
  try {
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended('catalog import ' || $1, 0))`, [slug])
    const result = await work()
    await session.query('COMMIT')
    return result
  } catch (error) {
    await session.query('ROLLBACK')
    throw error
  }
}

/** The planner needs new statistics, and index-only scans need a new visibility map. */
async function updateStatistics(session: ClientBase, { created, updated, removed }: MergeCounts): Promise<void> {
  if (created + updated + removed >= MANY_CHANGES) await session.query('VACUUM (ANALYZE) datasets, items, images')
}
