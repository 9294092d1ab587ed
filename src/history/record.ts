import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { datasetDocument, itemDocument, itemHash, readStoredColumns, type StoredColumns } from './columns.ts'

/** Who changes a dataset, and how long the change can be undone. */
export interface Origin {
  /** The command line, for people. */
  command: string
  /** With 0, changes can't be undone. */
  undoDays: number
}

/** The origin of changes that no command made. */
export const DEFAULT_ORIGIN: Origin = { command: '', undoDays: 30 }

/** A file of an import. */
export interface SourceFile {
  name: string
  /** Bytes. */
  size: number
  sha256: string
}

export type Action = 'import' | 'update' | 'remove' | 'undo'

/** A change of a dataset that is about to happen. */
export interface Change {
  session: SqlSession
  datasetId: string
  action: Action
  origin: Origin
  files?: readonly SourceFile[]
  undoneId?: string
  /** SQL condition: the change creates, updates or removes the item `i` of the dataset. */
  touched?: SqlText
  /** Whether the change removes the dataset. Its grants go with it. */
  removesDataset?: boolean
}

/** Numbers of items. */
export interface ChangeCounts {
  created: number
  updated: number
  removed: number
}

/** A text of many items has about this number of characters. */
const PART_CHARACTERS = 1_000_000

/**
 * Makes a change of a dataset, and adds it to the history of the dataset. The caller has a transaction and the dataset locked. A change
 * that changes nothing is no entry.
 */
export async function recordChange<Counts extends ChangeCounts>(
  change: Change,
  apply: () => Promise<Counts>,
): Promise<Counts> {
  const { session, touched, origin } = change
  const columns = await readStoredColumns(session)
  const kept = touched !== undefined && origin.undoDays > 0 ? { ...change, touched } : undefined
  const id = await insertEntry(change, columns)
  if (kept) await insertPart(kept, id, sql`before`, sql`(${itemDocument(columns)})::text`)
  const counts = await apply()
  if (kept) await insertPart(kept, id, sql`after`, sql`i.id || ' ' || ${itemHash(columns)}`)
  await completeEntry(change, id, counts, columns)
  await forgetOldEntries(session, origin.undoDays)
  return counts
}

const GRANTS = sql`jsonb_build_object('grants', coalesce(
  (SELECT jsonb_agg(to_jsonb(g) ORDER BY g.api_key_id) FROM grants AS g WHERE g.dataset_id = d.id), '[]'))`

async function insertEntry(change: Change, columns: StoredColumns): Promise<string> {
  const { session, datasetId, action, origin, files = [], undoneId, removesDataset } = change
  const document = sql`${datasetDocument(columns)} ${removesDataset ? sql`|| ${GRANTS}` : sql``}`
  const { rows } = await session.query<{ id: string }>(
    sql`INSERT INTO history_entries (dataset_id, slug, at, action, command, files, undone_id, can_undo, columns,
                                  created, updated, removed, dataset_before)
     SELECT $1, coalesce(d.slug, ''), clock_timestamp(), $2, $3, $4, $5, $6, $7, 0, 0, 0, CASE WHEN d.id IS NOT NULL THEN ${document} END
       FROM (VALUES (1)) AS one LEFT JOIN datasets AS d ON d.id = $1
     RETURNING id`,
    [
      ...[datasetId, action, origin.command, JSON.stringify(files), undoneId ?? null],
      ...[origin.undoDays > 0, JSON.stringify(columns)],
    ],
  )
  return rows[0]?.id ?? ''
}

/** Stores a line for each touched item that exists. */
async function insertPart(change: Change & { touched: SqlText }, id: string, kind: SqlText, line: SqlText) {
  const { session, touched, datasetId } = change
  await session.query(
    sql`INSERT INTO history_parts (entry_id, kind, part, content)
     SELECT $1, '${kind}', part, string_agg(line, E'\\n')
       FROM (SELECT line, sum(length(line)) OVER (ROWS UNBOUNDED PRECEDING) / ${PART_CHARACTERS} AS part
               FROM (SELECT ${line} AS line FROM items AS i WHERE i.dataset_id = $2 AND ${touched}
                     -- PostgreSQL would otherwise make each line twice.
                     OFFSET 0) AS lines
            ) AS parts
      GROUP BY part`,
    [id, datasetId],
  )
}

async function completeEntry(
  { session, datasetId }: Change,
  id: string,
  { created, updated, removed }: ChangeCounts,
  columns: StoredColumns,
): Promise<void> {
  await session.query(
    sql`UPDATE history_entries AS e
        SET created = $3, updated = $4, removed = $5, slug = coalesce(d.slug, e.slug), revision = d.revision,
            dataset_after = CASE WHEN d.id IS NOT NULL THEN ${datasetDocument(columns)} END
       FROM (VALUES (1)) AS one LEFT JOIN datasets AS d ON d.id = $2
      WHERE e.id = $1`,
    [id, datasetId, created, updated, removed],
  )
  if (created + updated + removed > 0) return
  await session.query(sql`DELETE FROM history_entries WHERE id = $1 AND dataset_before = dataset_after`, [id])
}

/** Deletes what is needed to undo old changes. Another session may be deleting the same rows, or undoing one of the changes. */
async function forgetOldEntries(session: SqlSession, undoDays: number): Promise<void> {
  await session.query(
    sql`WITH old AS (
       SELECT id FROM history_entries WHERE can_undo AND at < now() - make_interval(days => $1) FOR UPDATE SKIP LOCKED
     ), forgotten AS (
       UPDATE history_entries SET can_undo = false, dataset_before = NULL, dataset_after = NULL, columns = NULL
        WHERE id IN (SELECT id FROM old)
     )
     DELETE FROM history_parts WHERE entry_id IN (SELECT id FROM old)`,
    [undoDays],
  )
}
