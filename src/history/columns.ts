import { columnList, type SqlSession, sql } from '../sql.ts'

/** The stored columns of each table. The database computes the other ones. */
export interface StoredColumns {
  datasets: string[]
  items: string[]
  images: string[]
}

/** They are not restored, because a revision never returns. */
const OMITTED = ['revision', 'epoch']

/** Reads the names of the stored columns. A column that a migration adds later is one of them. */
export async function readStoredColumns(session: SqlSession): Promise<StoredColumns> {
  const { rows } = await session.query<{ table: keyof StoredColumns; name: string }>(
    sql`SELECT relname AS table, attname AS name
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE attrelid IN ('datasets'::regclass, 'items'::regclass, 'images'::regclass)
        AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> ALL ($1)
      ORDER BY attrelid, attnum`,
    [OMITTED],
  )
  const columns: StoredColumns = { datasets: [], items: [], images: [] }
  for (const { table, name } of rows) columns[table].push(name)
  return columns
}

/** The columns that an entry has and the database still has. A column that was added later keeps its value. */
export function commonColumns(stored: readonly string[], current: readonly string[]): string[] {
  return stored.filter((name) => current.includes(name))
}

/** SQL for an item of the table `i` with its images, as a JSON object with the names of the columns. `json` is made faster than `jsonb`. */
export const itemDocument = ({ items, images }: StoredColumns) => sql`
  (SELECT to_json(r) FROM (SELECT ${columnList(items, sql`i`)}, coalesce(
    (SELECT json_agg(to_json(r) ORDER BY r.sort_order, r.id)
       FROM (SELECT ${columnList(images, sql`image`)} FROM images AS image WHERE image.item_id = i.id) AS r), '[]') AS images) AS r)`

/** SQL for a hash of an item of the table `i` with its images. It is made of texts: each session writes times in UTC (session.ts). */
export const itemHash = ({ items, images }: Pick<StoredColumns, 'items' | 'images'>) => sql`
  hashtextextended(ROW(${columnList(items, sql`i`)})::text || coalesce(
    (SELECT string_agg(ROW(${columnList(images, sql`image`)})::text, ',' ORDER BY image.sort_order, image.id)
       FROM images AS image WHERE image.item_id = i.id), ''), 0)`

/** SQL for the row of the dataset `d` with its labels, as a JSON object. */
export const datasetDocument = ({ datasets }: Pick<StoredColumns, 'datasets'>) => sql`
  (SELECT to_jsonb(r) FROM (SELECT ${columnList(datasets, sql`d`)}) AS r) || jsonb_build_object('labels', coalesce(
    (SELECT jsonb_agg(to_jsonb(l) ORDER BY l.field, l.code) FROM code_labels AS l WHERE l.dataset_id = d.id), '[]'))`
