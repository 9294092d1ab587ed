import { v5 as uuidV5 } from 'uuid'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors/errors.ts'
import type { DatasetChanges } from '../history/item-changes.ts'
import type { Origin, SourceFile } from '../history/record.ts'
import type { CodeLabel } from '../rows/code-label.ts'
import { columnsOf } from '../rows/dataset-fields.ts'
import type { ManifestDataset } from '../rows/manifest.ts'
import { type SqlSession, sql } from '../sql.ts'
import { removeBadRows } from './cross-row-checks.ts'
import { withDatasetLocked } from './dataset-lock.ts'
import {
  FAR_METRES,
  findLargeChanges,
  type LargeChange,
  type LargeChangeKind,
  LargeChangeStopped,
  WARNED_METRES,
} from './large-change.ts'
import { storeLastImport } from './last-import.ts'
import { findMoved, type MergeCounts, mergeStaged, planItems } from './merge.ts'
import { readPlannedChanges } from './planned-changes.ts'
import type { RowProblems } from './row-problems.ts'
import type { Staged } from './staging.ts'
import { whereKept } from './staging.ts'

/** The part of a load. It changes nothing until `committing`. */
export type LoadPhase = 'checking' | 'comparing' | 'merging' | 'committing'

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
    onPhase?: (phase: LoadPhase) => void
    onPlan?: (plan: DatasetChanges) => void
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
  const { bad, far, counts, largeChanges } = options.dryRun
    ? await inTransaction(session, work, { keeps: false })
    : await withDatasetLocked(session, { id: datasetId, slug: dataset.slug, use: 'change' }, work)
  if (options.skipInvalid) for (const row of bad) problems.add(row)
  for (const { file, line, name, metres } of far) {
    const reason = 'the place moves by more than 100 km; check its coordinates'
    problems.add({ file, line, reason, value: `${name}, ${Math.round(metres / 1000)} km`, warns: 'warning' })
  }
  return { ...counts, largeChanges }
}

async function checkAndMerge(load: Load, allowed: AllowedChanges) {
  const { session, datasetId, dataset, digest, problems, options } = load
  const { id, exists } = await findDataset(session, dataset)
  if (id !== datasetId) {
    throw operationFailed(`Another session gave the dataset ${dataset.slug} another id; nothing was changed; try again`)
  }
  const bad = await removeBadRows({ ...load, skipInvalid: options.skipInvalid })
  if (!options.skipInvalid) for (const row of bad) problems.add(row)
  problems.throwUnlessSkipped()
  options.onPhase?.('comparing')
  const counts = await planItems(load, load.keepMissing ? sql`false` : sql`NOT ${whereKept(load.table)}`)
  if (problems.part !== undefined && counts.removed > 0) {
    const missing = `the dataset ${dataset.slug} has ${counts.removed} items that it lacks`
    throw operationFailed(`${problems.part}; ${missing}; nothing was changed; to keep them, add --keep-missing`)
  }
  const { moved, far } = await findMoved(load, counts, { metres: FAR_METRES, farMetres: WARNED_METRES })
  const largeChanges = findLargeChanges(dataset.slug, counts, moved)
  const tooLarge = largeChanges.find(({ kind, count }) => count > allowed[kind])
  if (tooLarge) throw new LargeChangeStopped(tooLarge)
  // Without a dry run, nobody needs each item.
  options.onPlan?.(await readPlannedChanges(load, options.dryRun ? options.examples : 0))
  if (!options.dryRun) await merge(load, exists, counts)
  // Another import reports the problems again. `problems` gets skipped rows only when the transaction has ended, because it may begin again.
  const hasProblems = bad.length + problems.count + problems.warnings > 0
  if (digest !== undefined && !hasProblems) await storeLastImport(session, datasetId, digest)
  if (!options.dryRun) options.onPhase?.('committing')
  return { bad, far, counts, largeChanges }
}

async function merge(load: Load, exists: boolean, counts: MergeCounts): Promise<void> {
  const { origin, sources, options } = load
  options.onPhase?.('merging')
  // Readers see the change when it commits, which is soon. The rows were read long before.
  const now = load.now ?? new Date()
  const change = { action: 'import', origin, files: sources } as const
  await mergeStaged({ ...load, now, exists, row: columnsOf(load.dataset), change }, counts)
}

/**
 * Returns the UUID of the dataset: from the database (by slug), or else from the manifest, or else derived from the slug. Also
 * returns whether the database has the dataset.
 * @throws `OPERATION_FAILED` if another dataset has the UUID
 */
export async function findDataset(
  session: SqlSession,
  { id, slug }: ManifestDataset,
): Promise<{ id: string; exists: boolean }> {
  const newId = id ?? uuidV5(slug, uuidV5.URL)
  const { rows } = await session.query<{ id: string; slug: string }>(
    sql`SELECT id, slug FROM datasets WHERE slug = $1 OR id = $2`,
    [slug, newId],
  )
  const known = rows.find((row) => row.slug === slug)
  if (known && id !== undefined && known.id !== id) {
    throw operationFailed(`The dataset ${slug} has the id ${known.id}, and the manifest says ${id}`)
  }
  if (known) return { id: known.id, exists: true }
  const [other] = rows
  if (!other) return { id: newId, exists: false }
  if (id !== undefined) throw operationFailed(`The id ${other.id} belongs to the dataset ${other.slug}`)
  throw operationFailed(
    `The dataset ${slug} was renamed: its slug is now ${other.slug}. Set dataset.slug to it, or give another dataset.id`,
  )
}
