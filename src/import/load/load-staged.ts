import type { ClientBase } from 'pg'
import { inTransaction } from '../../database/transaction.ts'
import { operationFailed } from '../../errors.ts'
import { type CodeLabel, mergeCodeLabels } from '../code-labels.ts'
import { type Origin, recordChange, type SourceFile } from '../history/record.ts'
import type { ManifestDataset } from '../manifest.ts'
import type { RowProblems } from '../row-problems.ts'
import { type BadRow, removeBadRows } from './cross-row-checks.ts'
import { lockChangedRows, withDatasetLocked } from './dataset-lock.ts'
import { findDataset } from './find-dataset.ts'
import { findLargeRemoval } from './large-removal.ts'
import { type MergeCounts, mergeDataset, mergeItems, planItems, touchDataset, touchedItems } from './merge.ts'

/** Staged rows, and what to do with them. */
export interface Load {
  session: ClientBase
  /** The staging table. */
  table: string
  /** The UUID that the dataset had when the rows were staged. Ids of items are derived from it. */
  datasetId: string
  /** The time of changed items; by default that of the merge. */
  now: Date | undefined
  dataset: ManifestDataset
  labels: readonly CodeLabel[]
  origin: Origin
  sources: readonly SourceFile[]
  problems: RowProblems
  /** Whether all items stay that the files lack. */
  keepMissing: boolean
  options: {
    skipInvalid: boolean
    dryRun?: boolean
    onPhase?: (phase: 'merging') => void
  }
}

/**
 * Checks, compares and merges the staged rows in one transaction. All of it happens while the dataset is locked, so the merge
 * does what was compared.
 * @param allowedRemovals is the number of items that a large removal may have
 * @throws LargeRemoval if it has more; `OPERATION_FAILED` with the bad rows, or if other sessions are in the way
 */
export async function loadStaged(load: Load, allowedRemovals: number): Promise<MergeCounts> {
  const { session, datasetId, dataset, problems, options } = load
  const work = () => checkAndMerge(load, allowedRemovals)
  const { bad, counts } = options.dryRun
    ? await inTransaction(session, work)
    : await withDatasetLocked(session, { id: datasetId, slug: dataset.slug, use: 'change' }, work)
  if (options.skipInvalid) problems.addAll(bad)
  return counts
}

async function checkAndMerge(load: Load, allowedRemovals: number): Promise<{ bad: BadRow[]; counts: MergeCounts }> {
  const { session, datasetId, dataset, problems, options } = load
  const { id, exists } = await findDataset(session, dataset)
  if (id !== datasetId) {
    throw operationFailed(`Another session gave the dataset ${dataset.slug} another id; nothing was changed; try again`)
  }
  const bad = await removeBadRows({ ...load, skipInvalid: options.skipInvalid })
  if (!options.skipInvalid) problems.addAll(bad)
  problems.throwUnlessSkipped()
  const counts = await planItems(load, load.keepMissing)
  const largeRemoval = findLargeRemoval(dataset.slug, counts)
  if (largeRemoval && counts.removed > allowedRemovals) throw largeRemoval
  if (!options.dryRun) await merge(load, counts, exists)
  return { bad, counts }
}

async function merge(load: Load, counts: MergeCounts, exists: boolean): Promise<void> {
  const { session, table, datasetId, dataset, labels, origin, sources, options } = load
  options.onPhase?.('merging')
  const removes = counts.removed > 0
  await lockChangedRows(session, table, { datasetId, removes })
  // Readers see the change when it commits, which is soon. The rows were read long before.
  const merging = { session, table, datasetId, now: load.now ?? new Date() }
  const change = {
    session,
    datasetId,
    action: 'import' as const,
    origin,
    files: sources,
    touched: touchedItems(table, removes),
  }
  await recordChange(change, async () => {
    const datasetChanged = await mergeDataset(merging, dataset, exists)
    await mergeItems(merging, counts)
    const labelsChanged = await mergeCodeLabels(session, datasetId, labels)
    const itemsChanged = counts.created + counts.updated + counts.removed > 0
    if ((itemsChanged || labelsChanged) && !datasetChanged && dataset.updatedAt === undefined)
      await touchDataset(merging)
    return counts
  })
}
