import { stat } from 'node:fs/promises'
import type { ClientBase } from 'pg'
import { v5 as uuidV5 } from 'uuid'
import type { Database } from '../database/database.ts'
import { operationFailed } from '../errors.ts'
import { removeBadRows } from './load/checks.ts'
import { type MergeCounts, mergeDataset, mergeItems, touchDataset } from './load/merge.ts'
import { type ImportProgress, stageFiles } from './load/stage-files.ts'
import { createStaging, indexStaging } from './load/staging.ts'
import { type ItemFile, type ManifestDataset, readManifest } from './manifest.ts'
import { type ImportProblem, problemList } from './problems.ts'

export type { ImportProblem, ImportProgress }

export interface ImportOptions {
  /** Keep items that the files no longer have. */
  keepMissing: boolean
  /** Load the good rows and tell of the bad ones, instead of nothing at all. */
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

/** After so many changes the planner's figures, and what index-only scans may skip, are worth renewing. */
const MANY_CHANGES = 1_000

/**
 * Loads a manifest's dataset, all or nothing. Rows are staged as they are read, so that memory does not grow with the
 * files; then one transaction checks them against each other and what is there, and makes the difference.
 * @throws `OPERATION_FAILED` with a line for each bad row, or for what else is wrong; then nothing is changed.
 */
export async function importManifest(
  database: Database,
  manifestPath: string,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { dataset, files } = await readManifest(manifestPath)
  const bytesTotal = await totalSize(files)
  return database.withSession(async (session) => {
    const datasetId = await identify(session, dataset)
    const table = await createStaging(session)
    try {
      const problems = problemList(files, options)
      await stageFiles({ session, table, datasetId, files, bytesTotal, problems, ...options })
      await indexStaging(session, table)
      const counts = await inTransaction(session, dataset.slug, async () => {
        if ((await identify(session, dataset)) !== datasetId) {
          throw operationFailed(`The dataset ${dataset.slug} was changed by another import; try again`)
        }
        problems.addAll(await removeBadRows(session, table, datasetId, options.keepMissing))
        problems.throwUnlessSkipped()
        return merge(session, table, dataset, datasetId, options)
      })
      await renewStatistics(session, counts)
      return { datasetId, slug: dataset.slug, ...counts, skipped: problems.count }
    } finally {
      await session.query(`DROP TABLE IF EXISTS ${table}`)
    }
  })
}

/** Bytes on the disk, for the progress; a file that is not there is told of when its turn comes. */
async function totalSize(files: readonly ItemFile[]): Promise<number> {
  const sizes = files.map(({ path }) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The UUID of the dataset: that of the slug in the database, or the manifest's, or made of the slug. */
async function identify(session: ClientBase, { id, slug }: ManifestDataset): Promise<string> {
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

/** Runs `work` in a transaction, and imports of one dataset one after the other. */
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

async function renewStatistics(session: ClientBase, { created, updated, removed }: MergeCounts): Promise<void> {
  if (created + updated + removed >= MANY_CHANGES) await session.query('VACUUM (ANALYZE) datasets, items, images')
}
