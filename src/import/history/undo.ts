import { DatabaseError } from 'pg'
import { operationFailed } from '../../errors.ts'
import { type SqlSession, sql } from '../../sql.ts'
import { lockAllRows, withDatasetLocked } from '../load/dataset-lock.ts'
import { applyBefore } from './apply-before.ts'
import { describeChangesSince } from './changed-since.ts'
import { readStoredColumns } from './columns.ts'
import { findLastEntry, type KnownDataset, type UndoEntry } from './entries.ts'
import { type ChangeCounts, type Origin, recordChange } from './record.ts'

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
  options: UndoOptions,
): Promise<UndoSummary> {
  const last = await findUndoableEntry(session, id, slug)
  const removesDataset = last.datasetBefore === null
  const use = removesDataset ? 'remove' : 'change'
  return withDatasetLocked(session, { id, slug, use }, async () => {
    const entry = await findUndoableEntry(session, id, slug)
    if (entry.id !== last.id) throw operationFailed(`The dataset ${slug} was changed meanwhile; nothing was undone`)
    await unpackItems(session, entry)
    await refuseChanges(session, entry, options)
    await lockAllRows(session, id)
    const touched = removesDataset
      ? sql`SELECT id FROM items WHERE dataset_id = $2`
      : sql`SELECT id FROM undo_before UNION ALL SELECT id FROM undo_after`
    const { command, undoDays } = options
    const origin = { command, undoDays }
    const counts = await recordChange(
      { session, datasetId: id, action: 'undo', origin, undoneId: entry.id, touched, removesDataset },
      () => applyBefore(session, entry).catch(explainConflict(slug)),
    )
    const newSlug = entry.datasetBefore === null ? slug : String(entry.datasetBefore.slug)
    return { datasetId: id, slug: newSlug, undone: entry.id, exists: !removesDataset, ...counts }
  })
}

async function findUndoableEntry(session: SqlSession, id: string, slug: string): Promise<UndoEntry> {
  const entry = await findLastEntry(session, id)
  if (!entry) throw operationFailed(`The dataset ${slug} has no history`)
  if (!entry.canUndo) {
    throw operationFailed(
      `The last change of the dataset ${slug}, entry ${entry.id}, can't be undone: it is older than UNDO_DAYS, UNDO_DAYS was 0, or it was copied from another catalog`,
    )
  }
  return entry
}

/** Writes the items of an entry into temporary tables, which end with the transaction. */
async function unpackItems(session: SqlSession, { id }: UndoEntry): Promise<void> {
  await session.query(sql`
    CREATE TEMPORARY TABLE undo_before (id uuid PRIMARY KEY, document jsonb NOT NULL) ON COMMIT DROP;
    CREATE TEMPORARY TABLE undo_after (id uuid PRIMARY KEY, hash bigint NOT NULL) ON COMMIT DROP`)
  await session.query(
    sql`INSERT INTO undo_before SELECT (line::jsonb ->> 'id')::uuid, line::jsonb
       FROM history_parts CROSS JOIN string_to_table(content, E'\\n') AS line WHERE entry_id = $1 AND kind = 'before'`,
    [id],
  )
  await session.query(
    sql`INSERT INTO undo_after SELECT split_part(line, ' ', 1)::uuid, split_part(line, ' ', 2)::bigint
       FROM history_parts CROSS JOIN string_to_table(content, E'\\n') AS line WHERE entry_id = $1 AND kind = 'after'`,
    [id],
  )
  await session.query(sql`ANALYZE undo_before, undo_after`)
}

async function refuseChanges(session: SqlSession, entry: UndoEntry, { overwrite }: UndoOptions): Promise<void> {
  const { rowCount } = await session.query(sql`SELECT FROM datasets WHERE id = $1`, [entry.datasetId])
  // The entry has only the items that it changed.
  if (rowCount === 0 && entry.datasetAfter !== null) {
    throw operationFailed(
      `Others have removed the dataset ${entry.slug}, and its items are not in the history; import it again`,
    )
  }
  const changes = overwrite ? [] : await describeChangesSince(session, entry, await readStoredColumns(session))
  if (changes.length === 0) return
  const headline = `Others have changed the dataset ${entry.slug} since entry ${entry.id}; nothing was undone; to overwrite their changes, add --overwrite`
  throw operationFailed([headline, ...changes])
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
