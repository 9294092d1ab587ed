import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { itemDocument, readStoredColumns } from './columns.ts'
import type { UndoEntry } from './entries.ts'
import { type DatasetChanges, findDifferences, readItemChanges } from './item-changes.ts'

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
