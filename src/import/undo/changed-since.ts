import { commonColumns, itemHash, type StoredColumns } from '../../history/columns.ts'
import type { DatasetDocument, UndoEntry } from '../../history/entries.ts'
import { sql } from '../../sql.ts'
import type { Staged } from '../load/staging.ts'
import { afterOf } from './stage-entry.ts'

/** An error lists at most this number of changes. */
const LISTED = 20

/** A dataset as it is now. */
export interface CurrentDataset {
  revision: string
  document: DatasetDocument
}

/**
 * Describes what others have changed since an entry, for example with psql, of what an undo would overwrite. No description means that
 * nothing was changed.
 * @param staged has the items of the entry (stage-entry.ts)
 * @param current is undefined if the dataset does not exist
 */
export async function describeChangesSince(
  staged: Staged,
  entry: UndoEntry,
  current: CurrentDataset | undefined,
  columns: StoredColumns,
): Promise<string[]> {
  // Every change moves the revision, whoever makes it.
  if ((current?.revision ?? null) === entry.revision) return []
  const dataset = describeDataset(entry.datasetAfter, current?.document)
  const items = await describeItems(staged, entry, columns)
  const rest = items.length - LISTED
  return [...dataset, ...items.slice(0, LISTED), ...(rest > 0 ? [`and ${rest} more items`] : [])]
}

function describeDataset(after: DatasetDocument | null, document: DatasetDocument | undefined): string[] {
  if (!document || !after) return document || after ? [`the dataset was ${after ? 'removed' : 'created'}`] : []
  const changed = Object.keys(after).filter(
    (name) => Object.hasOwn(document, name) && JSON.stringify(after[name]) !== JSON.stringify(document[name]),
  )
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
