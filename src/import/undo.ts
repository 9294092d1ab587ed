import { DatabaseError } from 'pg'
import { operationFailed } from '../errors/errors.ts'
import { type DatasetDocument, findLastEntry, type KnownDataset, type UndoEntry } from '../history/entries.ts'
import { type Difference, findDifferences } from '../history/item-changes.ts'
import type { Change, ChangeCounts, Origin } from '../history/record.ts'
import { type SqlSession, sql } from '../sql.ts'
import { deleteDataset } from './change-dataset.ts'
import { withDatasetLocked } from './dataset-lock.ts'
import { afterOf, checkUnchanged, stageEntry } from './entry-items.ts'
import { load } from './merge.ts'
import { createStaging, dropStaging, type Staged } from './staging.ts'

interface UndoOptions extends Origin {
  /** Whether to overwrite changes that others have made since, for example with psql. */
  overwrite: boolean
}

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
 * @throws `OPERATION_FAILED` with the changes that others have made since, unless they may be overwritten, or with another reason
 */
export async function undoLastEntry(
  session: SqlSession,
  { id, slug }: KnownDataset,
  { overwrite, command, undoDays }: UndoOptions,
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
    const counts = datasetBefore
      ? await restore(staged, datasetBefore, exists, change).catch(explainConflict(slug))
      : { ...(await deleteDataset({ session, datasetId: id, ...change })), grants: 0 }
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

/** Gives a dataset the state before an entry: it loads the staged items, and removes those that the entry created. */
async function restore(
  staged: Staged,
  before: DatasetDocument,
  exists: boolean,
  change: Pick<Change, 'action' | 'origin' | 'undoneId'>,
): Promise<ChangeCounts & { grants: number }> {
  const { session, datasetId, table } = staged
  const { rowCount } = await session.query(sql`SELECT FROM datasets WHERE slug = $1 AND id <> $2`, [
    before.slug,
    datasetId,
  ])
  if (rowCount !== 0)
    throw operationFailed(`Another dataset has the slug ${before.slug} now; give it another one first`)
  const state = { ...staged, exists, row: before, labels: before.labels, change }
  const { unchanged, ...counts } = await load(state, sql`i.id IN (SELECT id FROM ${afterOf(table)})`)
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
