import { datasetDocument, readStoredColumns } from '../history/columns.ts'
import type { Label } from '../history/entries.ts'
import { type DatasetChanges, type Difference, findDifferences, readItemChanges } from '../history/item-changes.ts'
import { type Change, type ChangeCounts, recordChange } from '../history/record.ts'
import { IMPORTED_COLUMNS } from '../rows/manifest.ts'
import { columnList, type SqlSession, type SqlText, sql } from '../sql.ts'
import { lockChangedRows } from './dataset-lock.ts'
import { IMAGE_COLUMN_NAMES, ITEM_COLUMN_NAMES, MERGED_COLUMN_NAMES, type Staged } from './staging.ts'

export interface MergeCounts extends ChangeCounts {
  unchanged: number
}

/** SQL for the images of an item of the table `i`, in the JSON form of the staging table. */
const STORED_IMAGES = sql`
  coalesce((SELECT jsonb_agg(to_jsonb(image) - 'item_id' ORDER BY image.sort_order, image.id)
              FROM images AS image WHERE image.item_id = i.id), '[]')`

const COLUMNS = ['slug', ...IMPORTED_COLUMNS, 'created_at']

/**
 * Creates the dataset, or updates it if it exists. Without times in `row`, it keeps or gets that of its creation, and a change moves
 * `updatedAt`. Other columns that `row` lacks keep their values. Returns whether it changed.
 * @param row has values by their columns
 * @throws a conflict if another session has just created it
 */
export async function mergeDataset(
  { session, datasetId, now }: Pick<Staged, 'session' | 'datasetId'> & { now: Date },
  row: State['row'],
  exists: boolean,
): Promise<boolean> {
  const statement = exists
    ? sql`
      UPDATE datasets AS d
         SET (${columnList(COLUMNS)}, updated_at) = ROW(${columnList(COLUMNS, sql`n`)}, coalesce(($2::jsonb ->> 'updated_at')::timestamptz, $3))
        FROM datasets AS old CROSS JOIN jsonb_populate_record(old, $2) AS n
       WHERE d.id = $1 AND old.id = $1
         AND (${columnList(COLUMNS, sql`d`)}, d.updated_at) IS DISTINCT FROM (${columnList(COLUMNS, sql`n`)}, n.updated_at)`
    : sql`
      INSERT INTO datasets (id, ${columnList(COLUMNS)}, updated_at)
      SELECT $1, ${columnList(COLUMNS, sql`n`)}, coalesce(($2::jsonb ->> 'updated_at')::timestamptz, $3)
        FROM jsonb_populate_record(NULL::datasets, jsonb_build_object('created_at', $3::timestamptz) || $2) AS n`
  const { rowCount } = await session.query(statement, [datasetId, JSON.stringify(row), now])
  return rowCount === 1
}

/** The table of what `mergeItems` will do: the id of each item that it creates, updates or removes. It ends with the transaction. */
export const changesOf = (table: SqlText) => sql`${table}_changes`

/**
 * Compares the staged items with those of the dataset, and writes what differs into the table of changes.
 * @param isRemoved is SQL for whether an item `i` of the dataset is removed that the staging table lacks
 */
async function planItems({ session, table, datasetId }: Staged, isRemoved: SqlText): Promise<MergeCounts> {
  const changes = changesOf(table)
  await session.query(sql`CREATE TEMPORARY TABLE ${changes} (id uuid PRIMARY KEY, change text NOT NULL) ON COMMIT DROP`)
  await session.query(
    sql`INSERT INTO ${changes}
     SELECT s.id, CASE WHEN i.id IS NULL THEN 'created' ELSE 'updated' END
       FROM ${table} AS s LEFT JOIN items AS i ON i.id = s.id AND i.dataset_id = $1
      WHERE i.id IS NULL
         OR (${columnList(ITEM_COLUMN_NAMES, sql`i`)}, i.created_at, i.updated_at) IS DISTINCT FROM
            (${columnList(ITEM_COLUMN_NAMES, sql`s`)}, coalesce(s.created_at, i.created_at), coalesce(s.updated_at, i.updated_at))
         -- 1.50 and 1.5 are equal, and have different digits.
         OR i.extra_attributes::text <> s.extra_attributes::text
         OR ${STORED_IMAGES} <> s.images
      UNION ALL
     SELECT i.id, 'removed' FROM items AS i
      WHERE i.dataset_id = $1 AND NOT EXISTS (SELECT FROM ${table} AS s WHERE s.id = i.id) AND ${isRemoved}`,
    [datasetId],
  )
  await session.query(sql`ANALYZE ${changes}`)
  const { rows } = await session.query<MergeCounts>(
    sql`SELECT created, updated, staged - created - updated AS unchanged, removed
       FROM (SELECT count(*) FILTER (WHERE change = 'created')::integer AS created,
                    count(*) FILTER (WHERE change = 'updated')::integer AS updated,
                    count(*) FILTER (WHERE change = 'removed')::integer AS removed,
                    (SELECT count(*) FROM ${table})::integer AS staged
               FROM ${changes}) AS counted`,
  )
  return rows[0] ?? { created: 0, updated: 0, unchanged: 0, removed: 0 }
}

/** Makes the changes that `planItems` has found. */
async function mergeItems({ session, table, datasetId }: Staged, counts: MergeCounts, now: Date): Promise<void> {
  const { updated, removed } = counts
  const changes = changesOf(table)
  // Items may exchange external ids and parents, so the constraints hold only at the end.
  await session.query(sql`SET CONSTRAINTS ALL DEFERRED`)
  if (removed > 0)
    await session.query(sql`DELETE FROM items AS i USING ${changes} AS c WHERE c.change = 'removed' AND i.id = c.id`)
  if (updated > 0) {
    await session.query(sql`DELETE FROM images USING ${changes} AS c WHERE images.item_id = c.id`)
    await session.query(
      sql`UPDATE items AS i
          SET (${columnList(ITEM_COLUMN_NAMES)}, created_at, updated_at) =
              ROW(${columnList(ITEM_COLUMN_NAMES, sql`s`)}, coalesce(s.created_at, i.created_at), coalesce(s.updated_at, $1::timestamptz))
         FROM ${changes} AS c JOIN ${table} AS s USING (id) WHERE i.id = c.id`,
      [now],
    )
  }
  // By name: most indexes have it, so an insertion finds its pages in memory, and a page of a list is on few pages of the table.
  await session.query(
    sql`INSERT INTO items (dataset_id, ${columnList(ITEM_COLUMN_NAMES)}, created_at, updated_at)
     SELECT $1, ${columnList(ITEM_COLUMN_NAMES, sql`s`)}, coalesce(s.created_at, $2::timestamptz), coalesce(s.updated_at, $2::timestamptz)
       FROM ${changes} AS c JOIN ${table} AS s USING (id) WHERE c.change = 'created' ORDER BY s.name`,
    [datasetId, now],
  )
  await session.query(
    sql`INSERT INTO images (item_id, ${columnList(IMAGE_COLUMN_NAMES)})
     SELECT s.id, ${columnList(IMAGE_COLUMN_NAMES, sql`image`)}
       FROM ${changes} AS c JOIN ${table} AS s USING (id) CROSS JOIN jsonb_populate_recordset(NULL::images, s.images) AS image`,
  )
}

/** Makes the labels of a dataset equal to the given ones. Returns whether any changed. */
async function mergeCodeLabels(session: SqlSession, datasetId: string, labels: readonly Label[]): Promise<boolean> {
  const { rowCount } = await session.query(
    sql`WITH given AS (
       SELECT * FROM jsonb_to_recordset($2::jsonb) AS given (field text, code text, label text)
     ), removed AS (
       DELETE FROM code_labels AS c
        -- Hashed in each plan. For NOT EXISTS, PostgreSQL may compare each label with each one, if it has no statistics.
        WHERE dataset_id = $1 AND (c.field, c.code) NOT IN (SELECT field, code FROM given)
       RETURNING code
     ), written AS (
       INSERT INTO code_labels AS c (dataset_id, field, code, label)
       SELECT $1, field, code, label FROM given
           ON CONFLICT (dataset_id, field, code) DO UPDATE SET label = excluded.label WHERE c.label <> excluded.label
       RETURNING code
     )
     SELECT FROM removed UNION ALL SELECT FROM written`,
    [datasetId, JSON.stringify(labels)],
  )
  return rowCount !== null && rowCount > 0
}

/** The state that a dataset gets. Its items are staged. */
export interface State extends Staged {
  /** Whether the dataset exists. */
  exists: boolean
  /** Its values, by their columns. */
  row: Readonly<Record<string, unknown>>
  labels: readonly Label[]
  /** For the history. */
  change: Pick<Change, 'action' | 'origin' | 'files' | 'undoneId'>
}

const storedDocument = sql`(SELECT to_jsonb(r) FROM (SELECT ${columnList(MERGED_COLUMN_NAMES, sql`i`)}) AS r)
  || jsonb_build_object('images', ${STORED_IMAGES})`

/** A row need not give timestamps. */
const stagedDocument = sql`(SELECT to_jsonb(r)
     - CASE WHEN s.created_at IS NULL THEN 'created_at' ELSE '' END - CASE WHEN s.updated_at IS NULL THEN 'updated_at' ELSE '' END
     FROM (SELECT ${columnList(MERGED_COLUMN_NAMES, sql`s`)}) AS r) || jsonb_build_object('images', s.images)`

/** Returns what the merge changes, after `planItems`: at most `limit` items of each kind, or all. */
export async function readPlannedChanges(state: State, limit?: number): Promise<DatasetChanges> {
  const dataset = await planDataset(state)
  if (limit === 0) return { dataset, items: [] }
  const { session, table } = state
  const changed = sql`
    SELECT c.change, c.id, CASE WHEN i.id IS NOT NULL THEN ${storedDocument} END AS before,
           CASE WHEN s.id IS NOT NULL THEN ${stagedDocument} END AS after
      FROM ${changesOf(table)} AS c LEFT JOIN ${table} AS s USING (id) LEFT JOIN items AS i USING (id)`
  return { dataset, items: await readItemChanges(session, changed, [limit ?? null]) }
}

/** Only labels and members that the manifest gives can differ. */
async function planDataset({ session, datasetId, row, labels }: State): Promise<Record<string, Difference>> {
  const { rows } = await session.query<{ before: object; after: object }>(
    sql`SELECT ${datasetDocument(await readStoredColumns(session))} AS before,
            to_jsonb(jsonb_populate_record(d, $2)) || jsonb_build_object('labels',
              (SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.field, l.code), '[]')
                 FROM jsonb_populate_recordset(NULL::code_labels, $3) AS l)) AS after
       FROM datasets AS d WHERE id = $1`,
    [datasetId, JSON.stringify(row), JSON.stringify(labels.map((label) => ({ ...label, dataset_id: datasetId })))],
  )
  const [found] = rows
  return found ? findDifferences(found.before, found.after) : {}
}

/**
 * Gives a dataset a state: compares it with the one that it has, and merges the difference, as one entry of its history. An import and an undo
 * are both a load. The caller has a transaction and the dataset locked.
 * @param isRemoved is SQL for whether an item `i` of the dataset is removed that the staging table lacks
 * @param review may throw, or returns the time of what changes without a time of its own; undefined to change nothing
 * @throws a conflict if another session has one of the rows that change
 */
export async function load(
  state: State,
  isRemoved: SqlText,
  review: (counts: MergeCounts) => Promise<Date | undefined> = async () => new Date(),
): Promise<MergeCounts> {
  const { session, table, datasetId, exists, row, labels } = state
  const counts = await planItems(state, isRemoved)
  const now = await review(counts)
  if (!now) return counts
  const changes = changesOf(table)
  await lockChangedRows(session, changes, datasetId)
  const change = { session, datasetId, ...state.change, touched: sql`i.id IN (SELECT id FROM ${changes})` }
  return recordChange(change, async () => {
    const datasetChanged = await mergeDataset({ session, datasetId, now }, row, exists)
    await mergeItems(state, counts, now)
    const labelsChanged = await mergeCodeLabels(session, datasetId, labels)
    const isChanged = labelsChanged || counts.created + counts.updated + counts.removed > 0
    if (isChanged && !datasetChanged && row.updated_at === undefined)
      await session.query(sql`UPDATE datasets SET updated_at = $2 WHERE id = $1`, [datasetId, now])
    return counts
  })
}
