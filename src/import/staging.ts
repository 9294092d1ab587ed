import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { type Column, columnName, IMAGE_COLUMNS, ITEM_COLUMNS } from '../catalog/columns.ts'
import { parseExactJson } from '../json.ts'
import type { RowIdentity } from '../rows/problem.ts'
import { columnList, type SqlSession, type SqlText, sql } from '../sql.ts'
import { completePictures, type GivenPictures, type ImportedItem, type Pictures } from './complete-item.ts'

/** The session of an import, its staging table and its dataset. */
export interface Staged {
  session: SqlSession
  table: SqlText
  /** The UUID that the dataset has or gets. Ids of items are derived from it. */
  datasetId: string
}

/** An imported item, and the position of its row in the files. */
interface StagedRow extends ImportedItem {
  /** Number of the row in the whole import. */
  n: number
  /** Index of its file in the manifest. */
  file: number
  line: number
}

const namesOf = (columns: ReadonlyMap<string, Column>, omitted: readonly string[]) =>
  [...columns.values()].map(({ name }) => name).filter((name) => !omitted.includes(name))

/** The columns that are copied from the staging table to the table `items`. */
export const ITEM_COLUMN_NAMES = namesOf(ITEM_COLUMNS, ['dataset_id', 'created_at', 'updated_at'])

/** The same, and the times, which a row need not give. */
export const MERGED_COLUMN_NAMES = [...ITEM_COLUMN_NAMES, 'created_at', 'updated_at']

/** The columns that are copied from the staged images to the table `images`. */
export const IMAGE_COLUMN_NAMES = namesOf(IMAGE_COLUMNS, ['item_id'])

/**
 * Creates the temporary table for the rows of one import, and returns its name. The name is unique, because all clients of the
 * embedded database share one session and its temporary tables.
 */
export async function createStaging(session: SqlSession): Promise<SqlText> {
  const table = sql`import_${randomInt(2 ** 48 - 1)}`
  // The columns have the types and collations of `items`. Null values are checked when the rows are merged into `items`.
  await session.query(sql`
    CREATE TEMPORARY TABLE ${table} AS
    SELECT ${columnList(MERGED_COLUMN_NAMES)} FROM items WITH NO DATA;
    ALTER TABLE ${table}
      ADD n integer PRIMARY KEY,
      ADD file integer NOT NULL,
      ADD line integer NOT NULL,
      ADD has_own_id boolean NOT NULL,
      ADD parent_external_id text COLLATE "C",
      ADD images jsonb NOT NULL,
      ADD given jsonb,
      ADD is_renumbered boolean`)
  // Separate messages, because the embedded database drops the first table of each message when a client disconnects.
  await session.query(sql`CREATE TEMPORARY TABLE ${table}_bad (id uuid, external_id text COLLATE "C")`)
  await session.query(sql`CREATE TEMPORARY TABLE ${table}_kept (id uuid PRIMARY KEY)`)
  return table
}

/** Drops the temporary tables of one import. */
export async function dropStaging(session: SqlSession, table: SqlText): Promise<void> {
  await session.query(sql`DROP TABLE IF EXISTS ${table}, ${table}_bad, ${table}_kept`)
}

/** Returns a row as a JSON object with the columns of the staging table. */
export function stagedJson({ images, thumbnailUrl, given, ...row }: StagedRow): string {
  return JSON.stringify({ ...toColumns(row), ...picturesJson({ images, thumbnailUrl }), given })
}

const exported = z.looseObject({ images: z.array(z.looseObject({})) })

/** The same for a line of an export. */
export function stagedLine(text: string, n: number): string {
  const { images, ...members } = exported.parse(parseExactJson(text))
  const row = toColumns({ ...members, n, file: 0, line: n, hasOwnId: true })
  return JSON.stringify({ ...row, images: images.map(toColumns) })
}

/** Returns images and a thumbnail with the columns of the staging table. */
function picturesJson({ images, thumbnailUrl }: Pictures): Record<string, unknown> {
  return { ...toColumns({ thumbnailUrl }), images: images.map(toColumns) }
}

/** Adds rows, which are JSON objects, to a staging table in one statement. */
export async function stageRows(session: SqlSession, table: SqlText, rows: readonly string[]): Promise<void> {
  if (rows.length > 0) await insertJson(session, table, `[${rows.join(',')}]`)
}

/** Adds what names the items of bad rows. */
export async function stageBadRows(session: SqlSession, table: SqlText, bad: readonly RowIdentity[]): Promise<void> {
  if (bad.length > 0) await insertJson(session, sql`${table}_bad`, JSON.stringify(bad.map(toColumns)))
}

const insertJson = (session: SqlSession, table: SqlText, rows: string) =>
  session.query(sql`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [rows])

/** Indexes and analyzes a staging table, after all rows have been added. */
export async function indexStaging(session: SqlSession, table: SqlText): Promise<void> {
  await session.query(sql`
    CREATE INDEX IF NOT EXISTS ${table}_id ON ${table} (id);
    CREATE INDEX IF NOT EXISTS ${table}_external_id ON ${table} (external_id);
    CREATE INDEX IF NOT EXISTS ${table}_parent_item_id ON ${table} (parent_item_id);
    ANALYZE ${table}`)
}

const columnNames = new Map<string, string>()

/** Returns the name of the column of a field. Each row needs all names, so they are computed once. */
function nameOf(field: string): string {
  const known = columnNames.get(field)
  if (known !== undefined) return known
  const name = columnName(field)
  columnNames.set(field, name)
  return name
}

/** Returns an object with the names of columns instead of fields. It leaves out null, which a column has without a value. */
function toColumns(record: object): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(record)) if (value !== null) columns[nameOf(field)] = value
  return columns
}

const BATCH_ROWS = 500

/**
 * Derives the ids of images again in the rows whose item has another id than the one that they were derived from. The images keep
 * their ids as long as the item keeps its id, whether a row names the item by `id` or by `externalId`.
 */
export async function renumberImages(session: SqlSession, table: SqlText): Promise<void> {
  let last = 0
  for (;;) {
    const { rows } = await session.query<{ n: number; id: string; given: GivenPictures }>(
      sql`SELECT n, id, given FROM ${table} WHERE is_renumbered AND given IS NOT NULL AND n > $1 ORDER BY n LIMIT $2`,
      [last, BATCH_ROWS],
    )
    if (rows.length === 0) return
    last = rows.at(-1)?.n ?? last
    const changed = rows.map(({ n, id, given }) => ({ n, ...picturesJson(completePictures(id, given)) }))
    await session.query(
      sql`UPDATE ${table} AS s SET images = changed.images, thumbnail_url = changed.thumbnail_url
         FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) AS changed WHERE s.n = changed.n`,
      [JSON.stringify(changed)],
    )
  }
}

/** SQL for whether the item `i` stays because of a bad row. */
export const whereKept = (t: SqlText) => sql`EXISTS (SELECT FROM ${t}_kept AS kept WHERE kept.id = i.id)`

/**
 * Finds the items of bad rows, and their ancestors. They stay, if the staging table lacks them. The table of bad rows can name an item
 * by `id` and by `externalId`: it is safer to keep two items than to remove the wrong one.
 * @returns how many are found for the first time
 */
export async function keepItems(session: SqlSession, table: SqlText, datasetId: string): Promise<number> {
  const { rowCount } = await session.query(
    sql`INSERT INTO ${table}_kept
     WITH RECURSIVE kept AS (
       SELECT i.id, i.parent_item_id FROM items AS i JOIN ${table}_bad AS bad ON bad.id = i.id WHERE i.dataset_id = $1
        UNION
       SELECT i.id, i.parent_item_id FROM items AS i JOIN ${table}_bad AS bad ON bad.external_id = i.external_id
        WHERE i.dataset_id = $1
     ), lineage AS (
       SELECT id, parent_item_id FROM kept
        UNION
       SELECT i.id, i.parent_item_id FROM items AS i JOIN lineage ON i.id = lineage.parent_item_id
     )
     SELECT id FROM lineage ON CONFLICT DO NOTHING`,
    [datasetId],
  )
  return rowCount ?? 0
}
