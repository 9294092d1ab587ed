import { inTransaction } from '../../database/transaction.ts'
import { operationFailed } from '../../errors.ts'
import { sql } from '../../sql.ts'
import { type CodeLabel, mergeCodeLabels } from '../code-labels.ts'
import { type Origin, recordChange, type SourceFile } from '../history/record.ts'
import type { ManifestDataset } from '../manifest.ts'
import type { RowProblems } from '../row-problems.ts'
import { removeBadRows } from './cross-row-checks.ts'
import { lockChangedRows, withDatasetLocked } from './dataset-lock.ts'
import { findDataset } from './find-dataset.ts'
import {
  FAR_METRES,
  findLargeChanges,
  type LargeChange,
  type LargeChangeKind,
  LargeChangeStopped,
} from './large-change.ts'
import { storeLastImport } from './last-import.ts'
import { changesOf, countMoved, type MergeCounts, mergeDataset, mergeItems, planItems, touchDataset } from './merge.ts'
import { type PlannedChanges, readPlannedChanges } from './planned-changes.ts'
import type { Staged } from './staging.ts'

/** The part of a load. */
export type LoadPhase = 'checking' | 'comparing' | 'merging' | 'counting'

/** Staged rows, and what to do with them. */
export interface Load extends Staged {
  /** The time of changed items; by default that of the merge. */
  now: Date | undefined
  dataset: ManifestDataset
  labels: readonly CodeLabel[]
  origin: Origin
  sources: readonly SourceFile[]
  /** What decides about the result (last-import.ts); undefined if it is not known. */
  digest: string | undefined
  problems: RowProblems
  /** Whether all items stay that the files lack. */
  keepMissing: boolean
  options: {
    skipInvalid: boolean
    dryRun?: boolean
    /** A dry run finds this number of examples of each kind of change; all by default. */
    examples?: number
    onPhase?: (phase: LoadPhase, share?: number) => void
    onPlan?: (plan: PlannedChanges) => void
  }
}

/** The numbers of items that a large change of each kind may have. */
export type AllowedChanges = Record<LargeChangeKind, number>

/**
 * Checks, compares and merges the staged rows in one transaction. All of it happens while the dataset is locked, so the merge
 * does what was compared.
 * @throws LargeChangeStopped if one has more items than are allowed; `OPERATION_FAILED` with the bad rows, or if other sessions are in
 * the way
 */
export async function loadStaged(
  load: Load,
  allowed: AllowedChanges,
): Promise<MergeCounts & { largeChanges: LargeChange[] }> {
  const { session, datasetId, dataset, problems, options } = load
  const work = () => checkAndMerge(load, allowed)
  const { bad, counts, largeChanges } = options.dryRun
    ? await inTransaction(session, work)
    : await withDatasetLocked(session, { id: datasetId, slug: dataset.slug, use: 'change' }, work)
  if (options.skipInvalid) problems.addAll(bad)
  return { ...counts, largeChanges }
}

async function checkAndMerge(load: Load, allowed: AllowedChanges) {
  const { session, datasetId, dataset, problems, options } = load
  const { id, exists } = await findDataset(session, dataset)
  if (id !== datasetId) {
    throw operationFailed(`Another session gave the dataset ${dataset.slug} another id; nothing was changed; try again`)
  }
  const bad = await removeBadRows({ ...load, skipInvalid: options.skipInvalid })
  if (!options.skipInvalid) problems.addAll(bad)
  problems.throwUnlessSkipped()
  options.onPhase?.('comparing')
  const counts = await planItems(load, load.keepMissing)
  const largeChanges = findLargeChanges(dataset.slug, counts, await countMoved(load, counts, FAR_METRES))
  const tooLarge = largeChanges.find(({ kind, count }) => count > allowed[kind])
  if (tooLarge) throw new LargeChangeStopped(tooLarge)
  if (options.dryRun) options.onPlan?.(await readPlannedChanges(load, options.examples))
  else await merge(load, { counts, exists, hasBadRows: bad.length > 0 })
  return { bad, counts, largeChanges }
}

/** What was found before the merge. */
interface Compared {
  counts: MergeCounts
  /** Whether the dataset exists. */
  exists: boolean
  /** Whether rows were skipped that conflict with others. `problems` gets them when the transaction has ended, because it may begin again. */
  hasBadRows: boolean
}

async function merge(load: Load, { counts, exists, hasBadRows }: Compared): Promise<void> {
  const { session, table, datasetId, dataset, labels, origin, sources, digest, problems, options } = load
  options.onPhase?.('merging')
  const changes = changesOf(table)
  await lockChangedRows(session, changes, datasetId)
  // Readers see the change when it commits, which is soon. The rows were read long before.
  const merging = { session, table, datasetId, now: load.now ?? new Date() }
  const change = {
    session,
    datasetId,
    action: 'import' as const,
    origin,
    files: sources,
    touched: sql`SELECT id FROM ${changes}`,
  }
  await recordChange(change, async () => {
    const datasetChanged = await mergeDataset(merging, dataset, exists)
    await mergeItems(merging, counts, (share) => options.onPhase?.(share < 1 ? 'merging' : 'counting', share))
    const labelsChanged = await mergeCodeLabels(session, datasetId, labels)
    const itemsChanged = counts.created + counts.updated + counts.removed > 0
    if ((itemsChanged || labelsChanged) && !datasetChanged && dataset.updatedAt === undefined)
      await touchDataset(merging)
    return counts
  })
  // Another import reports the problems again.
  const hasProblems = hasBadRows || problems.count + problems.warnings > 0
  if (digest !== undefined && !hasProblems) await storeLastImport(session, datasetId, digest)
}
