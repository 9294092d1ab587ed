import type { ClientBase } from 'pg'
import { columnsOf, IMPORTED_COLUMNS, listOf } from '../dataset-fields.ts'
import { metresBetween } from '../history/item-changes.ts'
import type { ManifestDataset } from '../manifest.ts'
import { IMAGE_COLUMN_NAMES, ITEM_COLUMN_NAMES, missingItems } from './staging.ts'

export interface MergeCounts {
  created: number
  updated: number
  unchanged: number
  removed: number
}

/** A merge of a staging table into the dataset. */
interface Staged {
  session: ClientBase
  table: string
  datasetId: string
}

interface Merge extends Staged {
  /** The time of changed items. */
  now: Date
}

/** SQL for the images of an item of the table `i`, in the JSON form of the staging table. */
export const STORED_IMAGES = `
  coalesce((SELECT jsonb_agg(to_jsonb(image) - 'item_id' ORDER BY image.sort_order, image.id)
              FROM images AS image WHERE image.item_id = i.id), '[]')`

/** Creates the dataset. @throws a conflict if another session has just created it */
async function insertDataset({ session, datasetId, now }: Merge, dataset: ManifestDataset): Promise<void> {
  const { slug, createdAt, updatedAt } = dataset
  await session.query(
    `INSERT INTO datasets (id, slug, ${IMPORTED_COLUMNS.join()}, created_at, updated_at)
     SELECT $1, $2, ${listOf(IMPORTED_COLUMNS, 'n')}, coalesce($4::timestamptz, $6), coalesce($5::timestamptz, $6)
       FROM jsonb_populate_record(NULL::datasets, $3) AS n`,
    [datasetId, slug, JSON.stringify(columnsOf(dataset)), createdAt, updatedAt, now],
  )
}

/** Updates the dataset. Returns whether it changed. */
async function updateDataset({ session, datasetId, now }: Merge, dataset: ManifestDataset): Promise<boolean> {
  const { createdAt, updatedAt } = dataset
  const { rowCount } = await session.query(
    `UPDATE datasets AS d
        SET (${IMPORTED_COLUMNS.join()}) = (SELECT ${listOf(IMPORTED_COLUMNS, 'n')}),
            created_at = coalesce($3, d.created_at), updated_at = coalesce($4, $5::timestamptz)
       FROM jsonb_populate_record(NULL::datasets, $2) AS n
      WHERE d.id = $1
        AND (${listOf(IMPORTED_COLUMNS, 'd')}, d.created_at, d.updated_at)
            IS DISTINCT FROM
            (${listOf(IMPORTED_COLUMNS, 'n')}, coalesce($3::timestamptz, d.created_at), coalesce($4::timestamptz, d.updated_at))`,
    [datasetId, JSON.stringify(columnsOf(dataset)), createdAt, updatedAt, now],
  )
  return rowCount === 1
}

/** Creates the dataset, or updates it if it exists. Returns whether it changed. */
export async function mergeDataset(merge: Merge, dataset: ManifestDataset, exists: boolean): Promise<boolean> {
  if (exists) return updateDataset(merge, dataset)
  await insertDataset(merge, dataset)
  return true
}

/** Compares the staged items with those of the dataset. Returns what `mergeItems` will change; with `keepMissing`, other items stay. */
export async function planItems({ session, table, datasetId }: Staged, keepMissing: boolean): Promise<MergeCounts> {
  await session.query(
    `ALTER TABLE ${table} ADD COLUMN is_new boolean, ADD COLUMN is_changed boolean NOT NULL DEFAULT false`,
  )
  await session.query(
    `UPDATE ${table} AS s SET is_new = false, is_changed =
            (${listOf(ITEM_COLUMN_NAMES, 'i')}, i.created_at, i.updated_at) IS DISTINCT FROM
            (${listOf(ITEM_COLUMN_NAMES, 's')}, coalesce(s.created_at, i.created_at), coalesce(s.updated_at, i.updated_at))
            -- 1.50 and 1.5 are equal, and have different digits.
            OR i.extra_attributes::text <> s.extra_attributes::text
            OR ${STORED_IMAGES} <> s.images
       FROM items AS i WHERE i.id = s.id`,
  )
  const { rows } = await session.query<MergeCounts>(
    `SELECT count(*) FILTER (WHERE is_new IS NULL)::integer AS created,
            count(*) FILTER (WHERE is_changed)::integer AS updated,
            count(*) FILTER (WHERE NOT is_new AND NOT is_changed)::integer AS unchanged,
            CASE WHEN $2 THEN 0 ELSE (
              SELECT count(*) FROM items AS i WHERE ${missingItems(table)}
            ) END::integer AS removed
       FROM ${table}`,
    [datasetId, keepMissing],
  )
  return rows[0] ?? { created: 0, updated: 0, unchanged: 0, removed: 0 }
}

/** Returns the number of items that stay and move by more than `metres`, after `planItems`. */
export async function countMoved({ session, table }: Staged, metres: number): Promise<number> {
  const { rows } = await session.query<{ moved: number }>(
    `SELECT count(*)::integer AS moved FROM ${table} AS s JOIN items AS i ON i.id = s.id
      WHERE s.is_changed AND (i.latitude, i.longitude) <> (s.latitude, s.longitude)
        AND ${metresBetween(['i.latitude', 'i.longitude'], ['s.latitude', 's.longitude'])} > $1`,
    [metres],
  )
  return rows[0]?.moved ?? 0
}

/** SQL for the ids of the items that `mergeItems` creates, updates or removes. $2 is the UUID of the dataset. */
export const touchedItems = (table: string, removes: boolean) => `
  SELECT s.id FROM ${table} AS s WHERE s.is_new IS NULL OR s.is_changed
  ${removes ? `UNION ALL SELECT i.id FROM items AS i WHERE ${missingItems(table, '$2')}` : ''}`

/** Makes the items of the dataset equal to those of the staging table, as `planItems` has counted. */
export async function mergeItems(merge: Merge, { removed }: MergeCounts): Promise<void> {
  const { session, table, datasetId, now } = merge
  // Items may exchange external ids and parents, so the constraints hold only at the end.
  await session.query('SET CONSTRAINTS ALL DEFERRED')
  if (removed > 0) await removeMissing(merge)
  await session.query(`DELETE FROM images USING ${table} AS s WHERE s.is_changed AND images.item_id = s.id`)
  await session.query(
    `UPDATE items AS i
        SET (${ITEM_COLUMN_NAMES.join(', ')}, created_at, updated_at) =
            ROW(${listOf(ITEM_COLUMN_NAMES, 's')}, coalesce(s.created_at, i.created_at), coalesce(s.updated_at, $1::timestamptz))
       FROM ${table} AS s WHERE s.is_changed AND i.id = s.id`,
    [now],
  )
  await session.query(
    `INSERT INTO items (dataset_id, ${ITEM_COLUMN_NAMES.join(', ')}, created_at, updated_at)
     SELECT $1, ${listOf(ITEM_COLUMN_NAMES, 's')}, coalesce(s.created_at, $2::timestamptz), coalesce(s.updated_at, $2::timestamptz)
       FROM ${table} AS s WHERE s.is_new IS NULL ORDER BY s.n`,
    [datasetId, now],
  )
  await insertImages(merge)
}

async function removeMissing({ session, table, datasetId }: Merge): Promise<void> {
  await session.query(`DELETE FROM items AS i WHERE ${missingItems(table)}`, [datasetId])
}

async function insertImages({ session, table }: Merge): Promise<void> {
  await session.query(`
    INSERT INTO images (item_id, ${IMAGE_COLUMN_NAMES.join(', ')})
    SELECT s.id, ${listOf(IMAGE_COLUMN_NAMES, 'image')}
      FROM ${table} AS s
     CROSS JOIN jsonb_populate_recordset(NULL::images, s.images) AS image
     WHERE s.is_new IS NULL OR s.is_changed`)
}

/** Sets the dataset's `updatedAt` after changes to its items. The caller skips this if the manifest gives the timestamp. */
export async function touchDataset({ session, datasetId, now }: Merge): Promise<void> {
  await session.query('UPDATE datasets SET updated_at = $2 WHERE id = $1', [datasetId, now])
}
