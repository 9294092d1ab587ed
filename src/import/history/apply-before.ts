import { operationFailed } from '../../errors.ts'
import { columnList, type SqlSession, sql } from '../../sql.ts'
import { commonColumns, readStoredColumns, type StoredColumns } from './columns.ts'
import type { Document, UndoEntry } from './entries.ts'
import type { ChangeCounts } from './record.ts'

/**
 * Gives a dataset the state before an entry. The temporary table `undo_before` has the items that the entry changed or removed, and
 * `undo_after` the items that it created or changed.
 */
export async function applyBefore(session: SqlSession, entry: UndoEntry): Promise<ChangeCounts> {
  const { id, datasetId, datasetBefore } = entry
  if (datasetBefore === null) return removeDataset(session, datasetId)
  const current = await readStoredColumns(session)
  const stored = entry.columns ?? current
  // Items may exchange external ids and parents.
  await session.query(sql`SET CONSTRAINTS ALL DEFERRED`)
  await refuseTakenSlug(session, datasetBefore)
  await restoreDataset(session, id, commonColumns(stored.datasets, current.datasets))
  await restoreLabels(session, id)
  const counts = await restoreItems(session, datasetId, commonColumns(stored.items, current.items))
  await restoreImages(session, commonColumns(stored.images, current.images))
  await session.query(sql`SET CONSTRAINTS ALL IMMEDIATE`)
  return counts
}

async function removeDataset(session: SqlSession, datasetId: string): Promise<ChangeCounts> {
  const { rows } = await session.query<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM items WHERE dataset_id = $1`,
    [datasetId],
  )
  await session.query(sql`DELETE FROM datasets WHERE id = $1`, [datasetId])
  return { created: 0, updated: 0, removed: rows[0]?.count ?? 0 }
}

async function refuseTakenSlug(session: SqlSession, { id, slug }: Document): Promise<void> {
  const { rowCount } = await session.query(sql`SELECT FROM datasets WHERE slug = $1 AND id <> $2`, [slug, id])
  if (rowCount !== 0) throw operationFailed(`Another dataset has the slug ${slug} now; give it another one first`)
}

/** Updates the dataset, or creates it again with its grants. A grant of a key that was deleted since is lost with its key. */
async function restoreDataset(session: SqlSession, entryId: string, columns: readonly string[]): Promise<void> {
  const { rowCount } = await session.query(
    sql`UPDATE datasets AS d SET (${columnList(columns)}) =
            (SELECT ${columnList(columns, sql`r`)} FROM jsonb_populate_record(d, e.dataset_before) AS r)
       FROM history_entries AS e WHERE e.id = $1 AND d.id = e.dataset_id`,
    [entryId],
  )
  if (rowCount === 1) return
  await session.query(
    sql`INSERT INTO datasets (${columnList(columns)})
     SELECT ${columnList(columns, sql`r`)}
       FROM history_entries AS e CROSS JOIN jsonb_populate_record(NULL::datasets, e.dataset_before) AS r WHERE e.id = $1`,
    [entryId],
  )
  await session.query(
    sql`INSERT INTO grants
     SELECT r.* FROM history_entries AS e CROSS JOIN jsonb_populate_recordset(NULL::grants, e.dataset_before -> 'grants') AS r
      WHERE e.id = $1 AND EXISTS (SELECT FROM api_keys AS k WHERE k.id = r.api_key_id)`,
    [entryId],
  )
}

async function restoreLabels(session: SqlSession, entryId: string): Promise<void> {
  await session.query(
    sql`DELETE FROM code_labels AS l USING history_entries AS e
      WHERE e.id = $1 AND l.dataset_id = e.dataset_id
        AND to_jsonb(l) NOT IN (SELECT jsonb_array_elements(e.dataset_before -> 'labels'))`,
    [entryId],
  )
  await session.query(
    sql`INSERT INTO code_labels
     SELECT r.* FROM history_entries AS e CROSS JOIN jsonb_populate_recordset(NULL::code_labels, e.dataset_before -> 'labels') AS r
      WHERE e.id = $1
        AND NOT EXISTS (SELECT FROM code_labels AS l WHERE (l.dataset_id, l.field, l.code) = (r.dataset_id, r.field, r.code))`,
    [entryId],
  )
}

async function restoreItems(
  session: SqlSession,
  datasetId: string,
  columns: StoredColumns['items'],
): Promise<ChangeCounts> {
  const { rowCount: removed } = await session.query(
    sql`DELETE FROM items AS i USING undo_after AS a
      WHERE i.id = a.id AND i.dataset_id = $1 AND NOT EXISTS (SELECT FROM undo_before AS b WHERE b.id = i.id)`,
    [datasetId],
  )
  await session.query(sql`DELETE FROM images USING undo_before AS b WHERE images.item_id = b.id`)
  const { rowCount: updated } = await session.query(
    sql`UPDATE items AS i SET (${columnList(columns)}) =
            (SELECT ${columnList(columns, sql`r`)} FROM jsonb_populate_record(i, b.document) AS r)
       FROM undo_before AS b WHERE i.id = b.id AND i.dataset_id = $1`,
    [datasetId],
  )
  const { rowCount: created } = await session.query(
    sql`INSERT INTO items (${columnList(columns)})
     SELECT ${columnList(columns, sql`r`)} FROM undo_before AS b CROSS JOIN jsonb_populate_record(NULL::items, b.document) AS r
      WHERE NOT EXISTS (SELECT FROM items AS i WHERE i.id = b.id AND i.dataset_id = $1)`,
    [datasetId],
  )
  return { created: created ?? 0, updated: updated ?? 0, removed: removed ?? 0 }
}

async function restoreImages(session: SqlSession, columns: StoredColumns['images']): Promise<void> {
  await session.query(
    sql`INSERT INTO images (${columnList(columns)})
     SELECT ${columnList(columns, sql`r`)}
       FROM undo_before AS b CROSS JOIN jsonb_populate_recordset(NULL::images, b.document -> 'images') AS r`,
  )
}
