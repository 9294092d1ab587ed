import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Database } from '../database/database.ts'
import { renewStatistics } from '../database/statistics.ts'
import { operationFailed } from '../errors/errors.ts'
import type { DatasetChanges } from '../history/item-changes.ts'
import { DEFAULT_ORIGIN, type Origin } from '../history/record.ts'
import type { LabelSource } from '../rows/code-label.ts'
import { readLabels } from '../rows/labels.ts'
import type { ItemFile } from '../rows/manifest.ts'
import type { RowItem } from '../rows/parse-item.ts'
import { type FileProblem, ProblemList } from '../rows/problem.ts'
import { readManifest } from '../rows/read-manifest.ts'
import { sql } from '../sql.ts'
import { warnOfUnusedLabels } from './code-labels.ts'
import { describeLargeChange, type LargeChange, type LargeChangeKind, LargeChangeStopped } from './large-change.ts'
import { describeFiles, digestImport, findSameImport } from './last-import.ts'
import { type AllowedChanges, findDataset, type Load, type LoadPhase, loadStaged } from './load-staged.ts'
import type { MergeCounts } from './merge.ts'
import { RowProblems } from './row-problems.ts'
import { type ImportProgress, stageFiles } from './stage-files.ts'
import { createStaging, dropStaging, indexStaging } from './staging.ts'

export type { DatasetChanges, ImportProgress, LargeChange }

export interface ImportOptions {
  /** Whether to keep items that are not in the files. */
  keepMissing: boolean
  /** Whether to import the good rows and report the bad ones. If false, one bad row stops the import. */
  skipInvalid: boolean
  /** Only report and count; the import changes nothing. */
  dryRun?: boolean
  /** Asked before a large change of a kind (large-change.ts). False stops the import. A kind without a question is allowed. */
  confirm?: Partial<Record<LargeChangeKind, (change: LargeChange) => Promise<boolean>>>
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

/** The part of the import after it has read the rows. */
export type ImportPhase = LoadPhase | 'analyzing'

export interface ImportSummary extends MergeCounts {
  datasetId: string
  slug: string
  skipped: number
  /** The number of skipped rows that name no item. If there are any, nothing was removed. */
  unidentified: number
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
  const { dataset, files, labels: labelSources } = await readManifest(manifestPath)
  const paths = [manifestPath, ...pathsOf(files, labelSources)]
  const warn = (reason: string) => options.onWarning?.({ file: basename(manifestPath), reason })
  if (dataset.visibility === 'paid' && dataset.accessTier === null) {
    warn('a paid dataset without an accessTier is open only to keys with a grant')
  }
  const labels = await readAllLabels(labelSources, options)
  const bytesTotal = await totalSize(files)
  return database.withSession(async (session) => {
    const { id: datasetId } = await findDataset(session, dataset)
    // A file that can't be read fails with a better message when its rows are read.
    const readDigest = () => describeFiles(paths).then((sources) => digestImport(sources, options))
    const digest = options.dryRun ? undefined : await readDigest().catch(() => undefined)
    const unchanged = digest === undefined ? undefined : await findSameImport(session, datasetId, digest)
    if (unchanged !== undefined) {
      const none = { created: 0, updated: 0, removed: 0, skipped: 0, unidentified: 0 }
      return { datasetId, slug: dataset.slug, ...none, unchanged }
    }
    const table = await createStaging(session)
    const problems = new RowProblems(files, options)
    const staging = { session, table, datasetId, dataset, labels, options, problems }
    try {
      await stageFiles({ ...staging, files, bytesTotal })
      options.onPhase?.('checking')
      await warnOfUnusedLabels(session, table, labels, warn)
      const sources = options.dryRun ? [] : await describeFiles(paths)
      // The files may have changed while they were read.
      const isDigested = digest === digestImport(sources, options)
      const { now, origin = DEFAULT_ORIGIN } = options
      const { unidentified } = problems
      const keepMissing = options.keepMissing || unidentified > 0
      const load = { ...staging, now, origin, sources, digest: isDigested ? digest : undefined, keepMissing }
      const { largeChanges, ...counts } = await loadOrAsk(database, load)
      if (options.dryRun) warnOfQuestions(manifestPath, largeChanges, options)
      return { datasetId, slug: dataset.slug, ...counts, skipped: problems.count, unidentified }
    } finally {
      // Without a connection this fails too. The error of the import says why it was lost.
      await dropStaging(session, table).catch(() => {})
    }
  })
}

/** @throws `OPERATION_FAILED` with the bad rows of the files of labels: they name no item that could stay */
async function readAllLabels(sources: readonly LabelSource[], { onWarning }: ImportOptions) {
  const bad = new ProblemList()
  const labels = await readLabels(sources, (problem) => {
    if (problem.warns === undefined) bad.add(problem)
    else onWarning?.(problem)
  })
  if (bad.count > 0) throw operationFailed(bad.describe())
  return labels
}

/** Warns of the questions that the import would ask. */
function warnOfQuestions(
  manifestPath: string,
  largeChanges: readonly LargeChange[],
  { confirm, onWarning }: ImportOptions,
): void {
  for (const change of largeChanges.filter(({ kind }) => confirm?.[kind])) {
    const would = `the import would ${describeLargeChange(change)}, and asks before`
    const reason = `${would}; without a terminal it needs --allow-${change.kind}`
    onWarning?.({ file: basename(manifestPath), reason })
  }
}

/** The changes that are allowed before a question. */
function allowedBefore({ confirm, dryRun }: Asking['options']): AllowedChanges {
  const allowed = (kind: LargeChangeKind) => (confirm?.[kind] && !dryRun ? 0 : Number.POSITIVE_INFINITY)
  return { removals: allowed('removals'), moves: allowed('moves') }
}

type Asking = Load & { options: Pick<ImportOptions, 'confirm' | 'dryRun' | 'onPhase'> }

/**
 * Loads the staged rows. The question about a large change is asked between two attempts, so that nobody waits for the answer. It is
 * asked again if the next attempt would change more items than the answer allowed.
 */
async function loadOrAsk(database: Database, load: Asking) {
  const allowed = allowedBefore(load.options)
  for (;;) {
    try {
      return await attempt(database, load, allowed)
    } catch (error) {
      if (!(error instanceof LargeChangeStopped)) throw error
      const { kind, count } = error.change
      if (!(await load.options.confirm?.[kind]?.(error.change))) throw error
      allowed[kind] = count
    }
  }
}

/** Does everything that needs the session for a long time. @throws LargeChangeStopped if more is needed than is allowed */
async function attempt(database: Database, load: Asking, allowed: AllowedChanges) {
  const { session, table, options } = load
  const work = async () => {
    await indexStaging(session, table)
    const counts = await loadStaged(load, allowed)
    if (!options.dryRun) await renewStatistics(session, () => options.onPhase?.('analyzing'))
    return counts
  }
  return database.withReadersOnCopy(session, await countRows(load), work)
}

/** Returns the number of staged rows and of items in the database, which the import compares. */
async function countRows({ session, table, datasetId }: Load): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    sql`SELECT (SELECT count(*) FROM ${table})::integer
            + coalesce((SELECT n FROM item_counts WHERE dataset_id = $1 AND list = 'all'), 0) AS count`,
    [datasetId],
  )
  return rows[0]?.count ?? 0
}

function pathsOf(files: readonly ItemFile[], labels: readonly LabelSource[]): string[] {
  return [...new Set([...files, ...labels].flatMap((source) => ('path' in source ? source.path : [])))]
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
