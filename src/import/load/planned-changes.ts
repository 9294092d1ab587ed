import type { ClientBase } from 'pg'
import { type ChangedRow, type ItemChange, readChange, selectChanges } from '../history/item-changes.ts'
import { STORED_IMAGES } from './merge.ts'
import { ITEM_COLUMN_NAMES, missingItems } from './staging.ts'

const columnsOf = (table: string) =>
  [...ITEM_COLUMN_NAMES, 'created_at', 'updated_at'].map((name) => `${table}.${name}`)

const storedDocument = `(SELECT to_jsonb(r) FROM (SELECT ${columnsOf('i').join(', ')}) AS r)
  || jsonb_build_object('images', ${STORED_IMAGES})`

/** A row need not give timestamps. */
const stagedDocument = `(SELECT to_jsonb(r)
     - CASE WHEN s.created_at IS NULL THEN 'created_at' ELSE '' END - CASE WHEN s.updated_at IS NULL THEN 'updated_at' ELSE '' END
     FROM (SELECT ${columnsOf('s').join(', ')}) AS r) || jsonb_build_object('images', s.images)`

/** Returns what the merge will change, after `planItems`: at most `limit` items of each kind, or all. */
export async function readPlannedChanges(
  session: ClientBase,
  { table, datasetId, removes }: { table: string; datasetId: string; removes: boolean },
  limit?: number,
): Promise<ItemChange[]> {
  const sql = selectChanges(`
      SELECT 'created' AS change, s.id, NULL::jsonb AS before, ${stagedDocument} AS after FROM ${table} AS s WHERE s.is_new IS NULL
       UNION ALL
      SELECT 'updated', s.id, ${storedDocument}, ${stagedDocument}
        FROM ${table} AS s JOIN items AS i ON i.id = s.id WHERE s.is_changed
       UNION ALL
      SELECT 'removed', i.id, ${storedDocument}, NULL FROM items AS i WHERE $3 AND ${missingItems(table, '$2')}`)
  const { rows } = await session.query<ChangedRow>(sql, [limit ?? null, datasetId, removes])
  return rows.map(readChange)
}
