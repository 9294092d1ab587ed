import { type SqlSession, sql } from '../../sql.ts'
import { commonColumns, datasetDocument, itemHash, type StoredColumns } from './columns.ts'
import type { UndoEntry } from './entries.ts'

/** An error lists at most this number of changes. */
const LISTED = 20

/**
 * Describes what others have changed since an entry, for example with psql, of what an undo would overwrite. The temporary tables
 * `undo_before` and `undo_after` have the items of the entry. No description means that nothing was changed.
 */
export async function describeChangesSince(
  session: SqlSession,
  entry: UndoEntry,
  current: StoredColumns,
): Promise<string[]> {
  const { datasetId } = entry
  const { rows } = await session.query<{ revision: string }>(sql`SELECT revision FROM datasets WHERE id = $1`, [
    datasetId,
  ])
  // Every change moves the revision, whoever makes it.
  if ((rows[0]?.revision ?? null) === entry.revision) return []
  const dataset = await describeDataset(session, entry, current)
  const items = await describeItems(session, entry, current)
  const rest = items.length - LISTED
  return [...dataset, ...items.slice(0, LISTED), ...(rest > 0 ? [`and ${rest} more items`] : [])]
}

async function describeDataset(session: SqlSession, entry: UndoEntry, columns: StoredColumns): Promise<string[]> {
  const { rows } = await session.query<{ document: Record<string, unknown> }>(
    sql`SELECT ${datasetDocument(columns)} AS document FROM datasets AS d WHERE d.id = $1`,
    [entry.datasetId],
  )
  const document = rows[0]?.document
  const after = entry.datasetAfter
  if (!document || !after) return document || after ? [`the dataset was ${after ? 'removed' : 'created'}`] : []
  const changed = Object.keys(after).filter(
    (name) => Object.hasOwn(document, name) && JSON.stringify(after[name]) !== JSON.stringify(document[name]),
  )
  return changed.length === 0 ? [] : [`the dataset has another ${changed.join(', ')}`]
}

async function describeItems(session: SqlSession, entry: UndoEntry, current: StoredColumns): Promise<string[]> {
  const { datasetId, datasetBefore, columns } = entry
  if (!columns) return []
  const known = {
    items: commonColumns(columns.items, current.items),
    images: commonColumns(columns.images, current.images),
  }
  const { rows } = await session.query<{ id: string; name: string | null; what: string }>(
    sql`SELECT a.id, i.name, CASE WHEN i.id IS NULL THEN 'removed' ELSE 'changed' END AS what
       FROM undo_after AS a LEFT JOIN items AS i ON i.id = a.id AND i.dataset_id = $1
      WHERE ${itemHash(known)} IS DISTINCT FROM a.hash
      UNION ALL
     SELECT i.id, i.name, 'added'
       FROM items AS i
      WHERE NOT EXISTS (SELECT FROM undo_after AS a WHERE a.id = i.id)
        AND (EXISTS (SELECT FROM undo_before AS b WHERE b.id = i.id) OR ($2 AND i.dataset_id = $1))
      ORDER BY 1`,
    [datasetId, datasetBefore === null],
  )
  return rows.map(({ id, name, what }) => `the item ${id}${name === null ? '' : ` (${name})`} was ${what}`)
}
