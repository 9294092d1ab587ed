import { basename } from 'node:path'
import type { Database } from '../database/database.ts'
import { renewStatistics } from '../database/statistics.ts'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors/errors.ts'
import type { DatasetChanges } from '../history/item-changes.ts'
import { DEFAULT_ORIGIN, type Origin } from '../history/record.ts'
import type { CodeLabel } from '../rows/field-schemas.ts'
import { readLabels } from '../rows/labels.ts'
import { columnsOf, type Manifest, readManifest } from '../rows/manifest.ts'
import type { RowItem } from '../rows/parse-item.ts'
import type { FileProblem } from '../rows/problem.ts'
import { type SqlSession, sql } from '../sql.ts'
import { findDataset } from './change-dataset.ts'
import { removeBadRows } from './cross-row-checks.ts'
import { withDatasetLocked } from './dataset-lock.ts'
import {
  type AllowedChanges,
  askBetween,
  describeQuestion,
  type LargeChange,
  type Questions,
  reviewChanges,
} from './large-change.ts'
import { findSameImport, readSources, type Sources, statFiles, storeLastImport } from './last-import.ts'
import { load, type MergeCounts, readPlannedChanges } from './merge.ts'
import { type ImportProgress, RowProblems, stageFiles } from './stage-files.ts'
import { createStaging, dropStaging, indexStaging, type Staged, whereKept } from './staging.ts'

export type { DatasetChanges, ImportProgress, LargeChange }

export interface ImportOptions {
  /** Whether to keep items that are not in the files. */
  keepMissing: boolean
  /** Whether to import the good rows and report the bad ones. If false, one bad row stops the import. */
  skipInvalid: boolean
  /** Only report and count; the import changes nothing. */
  dryRun?: boolean
  /** Whether a copy of a dataset of another catalog becomes a dataset of its own. Without it the import is refused. */
  detach?: boolean
  /** Asked before a large change of a kind (large-change.ts). False stops the import. A kind without a question is allowed. */
  confirm?: Questions
  /** Called before the merge. Only the plan of a dry run has items. */
  onPlan?: (plan: DatasetChanges) => void
  /** A dry run finds this number of examples of each kind of change; all by default. */
  examples?: number
  /** The time of changed items; by default that of the merge. */
  now?: Date
  /** For the history of the dataset. */
  origin?: Origin
  /** Called at the beginning of a phase. */
  onPhase?: (phase: ImportPhase) => void
  onProgress?: (progress: ImportProgress) => void
  /** Called with the number of each good row of all files. */
  onItem?: (row: number, item: RowItem) => void
  onWarning?: (warning: FileProblem) => void
  onSkipped?: (skipped: FileProblem) => void
}

/** The part of the import after it has read the rows. It changes nothing until `committing`. */
export type ImportPhase = 'checking' | 'comparing' | 'merging' | 'committing' | 'analyzing'

export interface ImportSummary extends MergeCounts {
  datasetId: string
  slug: string
  skipped: number
  /** The number of skipped rows that name no item. If there are any, nothing was removed. */
  unidentified: number
}

/** What the steps of one import share. */
interface Import extends Staged {
  manifest: Manifest
  labels: readonly CodeLabel[]
  options: ImportOptions
  problems: RowProblems
  warn: (reason: string) => void
}

/**
 * Imports the dataset of a manifest, all or nothing. First it writes the rows into a staging table, so that memory does not grow
 * with the files. Then one transaction checks the rows against each other and the database, and merges them. It reads no rows if they
 * were imported before, and nothing has changed the dataset since.
 * @returns the numbers of changed and skipped items
 * @throws `OPERATION_FAILED` with the bad rows by their reason, or with another reason. Then nothing is changed.
 */
export async function importManifest(
  database: Database,
  manifestPath: string,
  options: ImportOptions,
): Promise<ImportSummary> {
  const manifest = await readManifest(manifestPath)
  const { dataset, files } = manifest
  const warn = (reason: string) => options.onWarning?.({ file: basename(manifestPath), reason })
  if (dataset.visibility === 'paid' && dataset.accessTier === null) {
    warn('a paid dataset without an accessTier is open only to keys with a grant')
  }
  const labels = await readLabels(manifest.labels, options.onWarning)
  const paths = [
    ...new Set([manifestPath, ...[...files, ...manifest.labels].flatMap((each) => ('path' in each ? each.path : []))]),
  ]
  return database.withSession(async (session) => {
    const { slug } = dataset
    const { id: datasetId } = await findDataset(session, dataset)
    if (!options.detach) await refuseMirror(session, datasetId, slug)
    const { bytes, state } = await statFiles(paths)
    const sources = await readSources(paths, options)
    const unchanged = options.detach ? undefined : await findSameImport(session, datasetId, sources.digest)
    if (unchanged !== undefined)
      return { datasetId, slug, created: 0, updated: 0, unchanged, removed: 0, skipped: 0, unidentified: 0 }
    const problems = new RowProblems(files, options)
    const table = await createStaging(session)
    const job = { session, table, datasetId, manifest, labels, options, problems, warn }
    try {
      await stageFiles({ ...job, files, bytesTotal: bytes })
      options.onPhase?.('checking')
      // The files may have changed while they were read.
      const isSame = state === (await statFiles(paths)).state
      const read = isSame ? sources : { ...(await readSources(paths, options)), digest: undefined }
      const questions = (!options.dryRun && options.confirm) || {}
      const counts = await askBetween(questions, (allowed) => loadStaged(database, job, read, allowed))
      const { count: skipped, unidentified } = problems
      return { datasetId, slug, ...counts, skipped, unidentified }
    } finally {
      // Without a connection this fails too. The error of the import says why it was lost.
      await dropStaging(session, table).catch(() => {})
    }
  })
}

/** @throws `OPERATION_FAILED` if the dataset is a copy, whose next state would replace what is imported */
async function refuseMirror(session: SqlSession, datasetId: string, slug: string): Promise<void> {
  const { rows } = await session.query<{ origin: string }>(sql`SELECT origin FROM mirrors WHERE dataset_id = $1`, [
    datasetId,
  ])
  for (const { origin } of rows)
    throw operationFailed(`The dataset ${slug} is a copy from ${origin}; with --detach it becomes a dataset of its own`)
}

/**
 * Loads the staged rows, in one transaction. The dataset is locked, so the merge does what was compared.
 * @throws LargeChangeStopped if more is needed than is allowed; `OPERATION_FAILED` with the bad rows, or if other sessions are in the way
 */
async function loadStaged(database: Database, job: Import, sources: Sources, allowed: AllowedChanges) {
  const { session, table, datasetId, manifest, options, problems } = job
  const { id, slug } = { id: datasetId, slug: manifest.dataset.slug }
  const work = () => checkAndMerge(job, sources, allowed)
  return database.withReadersOnCopy(session, await countRows(job), async () => {
    await indexStaging(session, table)
    const { bad, far, counts } = options.dryRun
      ? await inTransaction(session, work, { keeps: false })
      : await withDatasetLocked(session, { id, slug, use: 'change' }, work)
    if (options.skipInvalid) for (const row of bad) problems.add(row)
    for (const { file, line, name, metres } of far) {
      const reason = 'the place moves by more than 100 km; check its coordinates'
      problems.add({ file, line, reason, value: `${name}, ${Math.round(metres / 1000)} km`, warns: 'warning' })
    }
    if (!options.dryRun) await renewStatistics(session, () => options.onPhase?.('analyzing'))
    return counts
  })
}

async function checkAndMerge(job: Import, sources: Sources, allowed: AllowedChanges) {
  const { session, datasetId, table, manifest, labels, problems, options, warn } = job
  const { dataset } = manifest
  const { dryRun, origin = DEFAULT_ORIGIN } = options
  const { id, exists } = await findDataset(session, dataset)
  if (id !== datasetId) {
    throw operationFailed(`Another session gave the dataset ${dataset.slug} another id; nothing was changed; try again`)
  }
  const keepMissing = options.keepMissing || problems.unidentified > 0
  const bad = await removeBadRows({ ...job, keepMissing, skipInvalid: options.skipInvalid })
  if (!options.skipInvalid) for (const row of bad) problems.add(row)
  problems.throwUnlessSkipped()
  options.onPhase?.('comparing')
  const change = { action: 'import', origin, files: sources.files } as const
  const state = { session, table, datasetId, exists, row: columnsOf(dataset), labels, change }
  let far: Awaited<ReturnType<typeof reviewChanges>>['far'] = []
  const review = async (counts: MergeCounts) => {
    problems.throwIfPart(dataset.slug, counts.removed)
    const reviewed = await reviewChanges(job, { by: 'import', slug: dataset.slug }, counts, allowed)
    far = reviewed.far
    for (const change of dryRun ? reviewed.changes : [])
      if (options.confirm?.[change.kind]) warn(describeQuestion(change))
    // Without a dry run, nobody needs each item.
    options.onPlan?.(await readPlannedChanges(state, dryRun ? options.examples : 0))
    if (dryRun) return undefined
    options.onPhase?.('merging')
    // Readers see the change when it commits, which is soon. The rows were read long before.
    return options.now ?? new Date()
  }
  if (options.detach) await session.query(sql`DELETE FROM mirrors WHERE dataset_id = $1`, [datasetId])
  const counts = await load(state, keepMissing ? sql`false` : sql`NOT ${whereKept(table)}`, review)
  // Another import reports the problems again. `problems` gets skipped rows only when the transaction has ended, because it may begin again.
  const hasProblems = bad.length + problems.count + problems.warnings > 0
  if (sources.digest !== undefined && !hasProblems) await storeLastImport(session, datasetId, sources.digest)
  if (!dryRun) options.onPhase?.('committing')
  return { bad, far, counts }
}

/** Returns the number of staged rows and of items in the database, which the import compares. */
async function countRows({ session, table, datasetId }: Staged): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    sql`SELECT (SELECT count(*) FROM ${table})::integer
            + coalesce((SELECT n FROM item_counts WHERE dataset_id = $1 AND list = 'all'), 0) AS count`,
    [datasetId],
  )
  return rows[0]?.count ?? 0
}
