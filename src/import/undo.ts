import { DatabaseError } from 'pg'
import { operationFailed } from '../errors/errors.ts'
import { type DatasetDocument, findLastEntry, type KnownDataset, type UndoEntry } from '../history/entries.ts'
import { type Difference, findDifferences } from '../history/item-changes.ts'
import type { Change, ChangeCounts, Origin } from '../history/record.ts'
import { type SqlSession, sql } from '../sql.ts'
import { deleteDataset } from './change-dataset.ts'
import { withDatasetLocked } from './dataset-lock.ts'
import { afterOf, checkUnchanged, stageEntry } from './entry-items.ts'
import { type AllowedChanges, FAR_METRES, findLargeChanges, requireAllowed } from './large-change.ts'
import { findMoved, load, type MergeCounts } from './merge.ts'
import { createStaging, dropStaging, type Staged } from './staging.ts'

interface UndoOptions extends Origin {
  /** Whether to overwrite changes that others have made since, for example with psql. */
  overwrite: boolean
  /** What it may do to many items; by default everything. */
  allowed?: AllowedChanges
}

const ALL: AllowedChanges = { removals: Number.POSITIVE_INFINITY, moves: Number.POSITIVE_INFINITY }

export interface UndoSummary extends ChangeCounts {
  datasetId: string
  /** The slug after the undo. */
  slug: string
  /** The entry that was undone. */
  undone: string
  /** The entry that holds again, because the undone one had undone it; otherwise null. */
  redone: string | null
  /** The members of the dataset that the entry had changed, with the value of now as `after`. */
  dataset: Record<string, Difference>
  /** The grants that came back with a removed dataset. */
  grants: number
  /** Whether the dataset exists now. */
  exists: boolean
}

/**
 * Puts a dataset back into the state before the newest entry of its history, in one transaction. This is an entry too, so it can be undone.
 * @throws LargeChangeStopped if more items change than are allowed; `OPERATION_FAILED` with the changes that others have made since, unless
 * they may be overwritten, or with another reason
 */
export async function undoLastEntry(
  session: SqlSession,
  { id, slug }: KnownDataset,
  { overwrite, allowed = ALL, command, undoDays }: UndoOptions,
): Promise<UndoSummary> {
  const last = await findUndoableEntry(session, id, slug)
  const use = last.datasetBefore === null ? 'remove' : 'change'
  return withDatasetLocked(session, { id, slug, use }, async () => {
    const entry = await findUndoableEntry(session, id, slug)
    if (entry.id !== last.id) throw operationFailed(`The dataset ${slug} was changed meanwhile; nothing was undone`)
    const staged = { session, datasetId: id, table: await createStaging(session) }
    await stageEntry(staged, entry.id)
    const exists = await checkUnchanged(staged, entry, overwrite)
    const change = { action: 'undo', origin: { command, undoDays }, undoneId: entry.id } as const
    const { datasetBefore } = entry
    const review = (counts: MergeCounts) => requireFew(staged, slug, counts, allowed)
    const counts = datasetBefore
      ? await restore(staged, datasetBefore, { exists, change, review }).catch(explainConflict(slug))
      : await removeCreated(staged, change, review)
    await dropStaging(session, staged.table)
    const { id: undone, undoneId: redone, datasetAfter } = entry
    const { updatedAt: _, ...members } = findDifferences(datasetAfter ?? {}, datasetBefore ?? {})
    return {
      datasetId: id,
      slug: datasetBefore?.slug ?? slug,
      undone,
      redone,
      exists: use === 'change',
      dataset: members,
      ...counts,
    }
  })
}

async function findUndoableEntry(session: SqlSession, id: string, slug: string): Promise<UndoEntry> {
  const entry = await findLastEntry(session, id)
  if (!entry) throw operationFailed(`The dataset ${slug} has no history`)
  if (!entry.isStored) {
    throw operationFailed(
      `The last change of the dataset ${slug}, entry ${entry.id}, can't be undone: it is older than UNDO_DAYS, UNDO_DAYS was 0, or it was copied from another catalog`,
    )
  }
  return entry
}

/** @throws LargeChangeStopped for a change of more items than are allowed. Only the items of the entry are staged. */
async function requireFew(staged: Staged, slug: string, counts: MergeCounts, allowed: AllowedChanges): Promise<void> {
  const total = await countItems(staged)
  const { moved } = await findMoved(staged, counts, { metres: FAR_METRES, farMetres: Number.POSITIVE_INFINITY })
  const { updated, removed } = counts
  const all = { updated, removed, unchanged: total - updated - removed }
  requireAllowed(findLargeChanges({ by: 'undo', slug }, all, moved), allowed)
}

async function countItems({ session, datasetId }: Staged): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM items WHERE dataset_id = $1`,
    [datasetId],
  )
  return rows[0]?.count ?? 0
}

type UndoChange = Pick<Change, 'action' | 'origin' | 'undoneId'>
type Review = (counts: MergeCounts) => Promise<void>

/** Removes a dataset that the entry created. */
async function removeCreated(staged: Staged, change: UndoChange, review: Review) {
  const { session, datasetId } = staged
  await review({ created: 0, updated: 0, unchanged: 0, removed: await countItems(staged) })
  return { ...(await deleteDataset({ session, datasetId, ...change })), grants: 0 }
}

/** Gives a dataset the state before an entry: it loads the staged items, and removes those that the entry created. */
async function restore(
  staged: Staged,
  before: DatasetDocument,
  { exists, change, review }: { exists: boolean; change: UndoChange; review: Review },
): Promise<ChangeCounts & { grants: number }> {
  const { session, datasetId, table } = staged
  const { rowCount } = await session.query(sql`SELECT FROM datasets WHERE slug = $1 AND id <> $2`, [
    before.slug,
    datasetId,
  ])
  if (rowCount !== 0)
    throw operationFailed(`Another dataset has the slug ${before.slug} now; give it another one first`)
  const state = { ...staged, exists, row: before, labels: before.labels, change }
  const isRemoved = sql`i.id IN (SELECT id FROM ${afterOf(table)})`
  const { unchanged, ...counts } = await load(state, isRemoved, async (planned) => {
    await review(planned)
    return new Date()
  })
  const grants = exists ? 0 : await restoreGrants(session, before)
  // So that a conflict is known here.
  await session.query(sql`SET CONSTRAINTS ALL IMMEDIATE`)
  return { ...counts, grants }
}

/** Returns the number of grants that are back. A grant of a key that was deleted since is lost with its key. */
async function restoreGrants(session: SqlSession, { grants }: DatasetDocument): Promise<number> {
  const { rowCount } = await session.query(
    sql`INSERT INTO grants
     SELECT r.* FROM jsonb_populate_recordset(NULL::grants, $1) AS r WHERE EXISTS (SELECT FROM api_keys AS k WHERE k.id = r.api_key_id)`,
    [JSON.stringify(grants)],
  )
  return rowCount ?? 0
}

/** SQLSTATE class 23: integrity constraint violation. */
function explainConflict(slug: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DatabaseError) || !error.code?.startsWith('23')) throw error
    throw operationFailed(
      `The dataset ${slug} can't go back, because it conflicts with later changes: ${error.detail ?? error.message}`,
      error,
    )
  }
}
