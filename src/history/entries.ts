import { operationFailed } from '../errors/errors.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { itemDocument, readStoredColumns, type StoredColumns } from './columns.ts'
import { type DatasetChanges, findDifferences, readItemChanges } from './item-changes.ts'
import type { Action, ChangeCounts, SourceFile } from './record.ts'

/** An entry of the history, as a list shows it. */
export interface HistoryEntry extends ChangeCounts {
  id: string
  datasetId: string
  /** Slug of the dataset after the change, or before its removal. */
  slug: string
  at: Date
  action: Action
  command: string
  files: SourceFile[]
  /** The entry that this one undid. */
  undoneId: string | null
  /** Whether the data that an undo needs is still stored. */
  isStored: boolean
  /** Whether an undo of the dataset undoes this entry: it is the newest one. */
  canUndo: boolean
}

/** The meaning of a code of a field. */
export type Label = Record<'field' | 'code' | 'label', string>

/** The row of a dataset with its labels, as a JSON object with the names of its columns. */
export interface DatasetDocument extends Record<string, unknown> {
  slug: string
  labels: Label[]
}

/** An entry with the data that an undo needs, except for the items. */
export interface UndoEntry extends HistoryEntry {
  revision: string | null
  datasetBefore: DatasetDocument | null
  datasetAfter: DatasetDocument | null
  columns: StoredColumns | null
}

const HEAD = sql`id, dataset_id AS "datasetId", slug, at, action, command, files, undone_id AS "undoneId",
  created, updated, removed, can_undo AS "isStored",
  can_undo AND id = (SELECT max(id) FROM history_entries AS e WHERE e.dataset_id = history_entries.dataset_id) AS "canUndo"`
const WHOLE = sql`${HEAD}, revision, dataset_before AS "datasetBefore", dataset_after AS "datasetAfter", columns`

/** Returns the entries of one dataset or of all, the newest first. */
export async function listHistory(session: SqlSession, datasetId?: string): Promise<HistoryEntry[]> {
  const { rows } = await session.query<HistoryEntry>(
    sql`SELECT ${HEAD} FROM history_entries WHERE $1::uuid IS NULL OR dataset_id = $1 ORDER BY id DESC`,
    [datasetId ?? null],
  )
  return rows
}

/** Returns an entry. @throws `OPERATION_FAILED` if there is none */
export async function findEntry(session: SqlSession, id: string): Promise<UndoEntry> {
  const { rows } = /^\d{1,18}$/.test(id)
    ? await session.query<UndoEntry>(sql`SELECT ${WHOLE} FROM history_entries WHERE id = $1`, [id])
    : { rows: [] }
  const [entry] = rows
  if (!entry) throw operationFailed(`There is no entry ${id}; list the entries with: npx catalog history`)
  return entry
}

/**
 * Returns the newest entry of a dataset, and locks it until the transaction ends: no other change deletes the data that an undo needs.
 */
export async function findLastEntry(session: SqlSession, datasetId: string): Promise<UndoEntry | undefined> {
  const { rows } = await session.query<UndoEntry>(
    sql`SELECT ${WHOLE} FROM history_entries WHERE dataset_id = $1 ORDER BY id DESC LIMIT 1 FOR UPDATE`,
    [datasetId],
  )
  return rows[0]
}

/** A dataset that has a history, and may have been removed. */
export interface KnownDataset {
  id: string
  slug: string
  exists: boolean
}

/**
 * Finds a dataset by its slug or id, also one that was removed. Returns undefined if there is none and was none, or if it was renamed.
 */
export async function findKnownDataset(session: SqlSession, text: string): Promise<KnownDataset | undefined> {
  const { rows } = await session.query<{ id: string; slug: string; current: string | null }>(
    sql`SELECT id, slug, slug AS current FROM datasets WHERE slug = $1 OR id::text = lower($1)
      UNION ALL
     (SELECT e.dataset_id, e.slug, d.slug FROM history_entries AS e LEFT JOIN datasets AS d ON d.id = e.dataset_id
       WHERE e.slug = $1 OR e.dataset_id::text = lower($1) ORDER BY e.id DESC LIMIT 1)
      LIMIT 1`,
    [text],
  )
  const [found] = rows
  if (!found) return undefined
  const { id, slug, current } = found
  return current === null || current === slug ? { id, slug, exists: current !== null } : undefined
}

/** SQL for the lines of all entries. Each is an item before the change, or the id and the hash of one after it (record.ts). */
export const PART_LINES = sql`(
  SELECT entry_id, kind, line FROM history_parts CROSS JOIN string_to_table(content, E'\\n') AS line)`

/**
 * A later entry has the item as this entry left it. Without a later entry, the dataset still has this item, unless others have removed it.
 */
const CHANGED = (document: SqlText) => sql`
  WITH before AS (
    SELECT (line::jsonb ->> 'id')::uuid AS id, line::jsonb AS document FROM ${PART_LINES} AS p WHERE entry_id = $2 AND kind = 'before'
  ), after AS (
    SELECT split_part(line, ' ', 1)::uuid AS id FROM ${PART_LINES} AS p WHERE entry_id = $2 AND kind = 'after'
  ), later AS (
    SELECT DISTINCT ON (line::jsonb ->> 'id') (line::jsonb ->> 'id')::uuid AS id, line::jsonb AS document
      FROM history_entries AS e JOIN ${PART_LINES} AS p ON p.entry_id = e.id AND p.kind = 'before'
     WHERE e.dataset_id = $3 AND e.id > $2 ORDER BY line::jsonb ->> 'id', e.id
  )
  SELECT id, before.document AS before,
         CASE WHEN after.id IS NOT NULL THEN coalesce(later.document, i.document, '{}') END AS after,
         CASE WHEN before.id IS NULL THEN 'created' WHEN after.id IS NULL THEN 'removed' ELSE 'updated' END AS change
    FROM before FULL JOIN after USING (id) LEFT JOIN later USING (id)
    LEFT JOIN LATERAL (SELECT i.id, ${document} AS document FROM items AS i WHERE i.id = coalesce(after.id, before.id) AND i.dataset_id = $3) AS i
      USING (id)`

/** Returns what an entry changed, with at most `limit` items of each kind, or all. */
export async function readEntryChanges(session: SqlSession, entry: UndoEntry, limit?: number): Promise<DatasetChanges> {
  const columns = await readStoredColumns(session)
  const changed = CHANGED(sql`${itemDocument(columns)}::jsonb`)
  const { id, datasetId, datasetBefore, datasetAfter } = entry
  return {
    dataset: datasetBefore && datasetAfter ? findDifferences(datasetBefore, datasetAfter) : {},
    items: await readItemChanges(session, changed, [limit ?? null, id, datasetId]),
  }
}
