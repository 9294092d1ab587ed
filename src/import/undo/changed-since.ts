import { operationFailed } from '../../errors/errors.ts'
import {
  commonColumns,
  datasetDocument,
  itemHash,
  readStoredColumns,
  type StoredColumns,
} from '../../history/columns.ts'
import type { DatasetDocument, UndoEntry } from '../../history/entries.ts'
import { findDifferences } from '../../history/item-changes.ts'
import { sql } from '../../sql.ts'
import type { Staged } from '../load/staging.ts'
import { afterOf } from './stage-entry.ts'

/** An error lists at most this number of changes. */
const LISTED = 20

/**
 * Checks that nobody has changed what an undo would overwrite since its entry, for example with psql. Returns whether the dataset exists.
 * @param staged has the items of the entry (stage-entry.ts)
 * @throws `OPERATION_FAILED` with the changes, unless the undo may overwrite them
 */
export async function checkUnchanged(staged: Staged, entry: UndoEntry, overwrite: boolean): Promise<boolean> {
  const { session, datasetId } = staged
  const { id, slug, revision, datasetAfter } = entry
  const columns = await readStoredColumns(session)
  const { rows } = await session.query<{ revision: string; document: DatasetDocument }>(
    sql`SELECT revision, ${datasetDocument(columns)} AS document FROM datasets AS d WHERE id = $1`,
    [datasetId],
  )
  const [current] = rows
  // The entry has only the items that it changed.
  if (!current && datasetAfter) {
    throw operationFailed(
      `Others have removed the dataset ${slug}, and its items are not in the history; import it again`,
    )
  }
  // Every change moves the revision, whoever makes it.
  if (overwrite || (current?.revision ?? null) === revision) return current !== undefined
  const changes = [
    ...describeDataset(datasetAfter, current?.document),
    ...(await describeItems(staged, entry, columns)),
  ]
  if (changes.length === 0) return current !== undefined
  const headline = `Others have changed the dataset ${slug} since entry ${id}; nothing was undone; to overwrite their changes, add --overwrite`
  const rest = changes.length - LISTED
  throw operationFailed([headline, ...changes.slice(0, LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])])
}

function describeDataset(after: DatasetDocument | null, current: DatasetDocument | undefined): string[] {
  if (!current) return []
  if (!after) return ['the dataset was created']
  const changed = Object.keys(findDifferences(after, current))
  return changed.length === 0 ? [] : [`the dataset has another ${changed.join(', ')}`]
}

async function describeItems(staged: Staged, entry: UndoEntry, current: StoredColumns): Promise<string[]> {
  const { session, datasetId, table } = staged
  const { datasetBefore, columns } = entry
  const after = afterOf(table)
  if (!columns) return []
  const known = {
    items: commonColumns(columns.items, current.items),
    images: commonColumns(columns.images, current.images),
  }
  const { rows } = await session.query<{ id: string; name: string | null; what: string }>(
    sql`SELECT a.id, i.name, CASE WHEN i.id IS NULL THEN 'removed' ELSE 'changed' END AS what
       FROM ${after} AS a LEFT JOIN items AS i ON i.id = a.id AND i.dataset_id = $1
      WHERE ${itemHash(known)} IS DISTINCT FROM a.hash
      UNION ALL
     SELECT i.id, i.name, 'added'
       FROM items AS i
      WHERE NOT EXISTS (SELECT FROM ${after} AS a WHERE a.id = i.id)
        AND (EXISTS (SELECT FROM ${table} AS s WHERE s.id = i.id) OR ($2 AND i.dataset_id = $1))
      ORDER BY 1`,
    [datasetId, datasetBefore === null],
  )
  return rows.map(({ id, name, what }) => `the item ${id}${name === null ? '' : ` (${name})`} was ${what}`)
}
