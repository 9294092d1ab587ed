import { operationFailed } from '../errors/errors.ts'
import { commonColumns, datasetDocument, itemHash, readStoredColumns, type StoredColumns } from '../history/columns.ts'
import { type DatasetDocument, PART_LINES, type UndoEntry } from '../history/entries.ts'
import { findDifferences } from '../history/item-changes.ts'
import { columnList, type SqlText, sql } from '../sql.ts'
import { indexStaging, MERGED_COLUMN_NAMES, type Staged } from './staging.ts'

/** The table of the ids and hashes of the items that an entry created or changed, as they were after it. It ends with the transaction. */
export const afterOf = (table: SqlText) => sql`${table}_after`

/**
 * Stages the items that an entry changed or removed, as they were before it, and creates the table of those after it. A column that a
 * migration has added since keeps its value.
 */
export async function stageEntry({ session, table }: Staged, entryId: string): Promise<void> {
  await session.query(
    sql`INSERT INTO ${table} (${columnList(MERGED_COLUMN_NAMES)}, n, file, line, has_own_id, images)
     SELECT ${columnList(MERGED_COLUMN_NAMES, sql`r`)}, row_number() OVER (), 0, 0, true,
            (SELECT coalesce(jsonb_agg(image - 'item_id' ORDER BY place), '[]')
               FROM jsonb_array_elements(before.line -> 'images') WITH ORDINALITY AS given (image, place))
       -- PostgreSQL would otherwise parse each line several times.
       FROM (SELECT line::jsonb FROM ${PART_LINES} AS p WHERE entry_id = $1 AND kind = 'before' OFFSET 0) AS before
       LEFT JOIN items AS i ON i.id = (before.line ->> 'id')::uuid
      CROSS JOIN jsonb_populate_record(i, before.line) AS r`,
    [entryId],
  )
  await indexStaging(session, table)
  const after = afterOf(table)
  await session.query(sql`CREATE TEMPORARY TABLE ${after} (id uuid PRIMARY KEY, hash bigint NOT NULL) ON COMMIT DROP`)
  await session.query(
    sql`INSERT INTO ${after}
     SELECT split_part(line, ' ', 1)::uuid, split_part(line, ' ', 2)::bigint FROM ${PART_LINES} AS p WHERE entry_id = $1 AND kind = 'after'`,
    [entryId],
  )
  await session.query(sql`ANALYZE ${after}`)
}

/** An error lists at most this number of changes. */
const LISTED = 20

/**
 * Checks that nobody has changed what an undo would overwrite since its entry, for example with psql. Returns whether the dataset exists.
 * @param staged has the items of the entry (`stageEntry`)
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
