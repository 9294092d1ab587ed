import { randomBytes } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { ImportedItem } from '../row/parse-item.ts'

/** A row on its way in, and where it came from. */
export interface StagedRow extends ImportedItem {
  /** Its place among all rows of the import. */
  n: number
  /** Index of its file in the manifest. */
  file: number
  line: number
}

/** The columns of staged items that go into the table `items` as they are. */
export const ITEM_COLUMN_NAMES = [
  'id',
  'external_id',
  'name',
  'description',
  'administrative_area_code',
  'category_code',
  'parent_item_id',
  'street_address',
  'address_region',
  'address_locality',
  'postal_code',
  'road_address',
  'jibun_address',
  'latitude',
  'longitude',
  'thumbnail_url',
  'contact_name',
  'telephone',
  'email',
  'url',
  'opening_hours',
  'extra_attributes',
] as const

/**
 * A temporary table of the rows of one import. Its name is one of a kind: all clients of the embedded database share one
 * session, and so its temporary tables.
 */
export async function createStaging(session: ClientBase): Promise<string> {
  const table = `import_${randomBytes(8).toString('hex')}`
  await session.query(`
    CREATE TEMPORARY TABLE ${table} (
      n integer PRIMARY KEY,
      file integer NOT NULL,
      line integer NOT NULL,
      has_own_id boolean NOT NULL,
      parent_external_id text COLLATE "C",
      created_at timestamptz(3),
      updated_at timestamptz(3),
      images jsonb NOT NULL,
      id uuid NOT NULL,
      external_id text COLLATE "C",
      name text NOT NULL,
      description text NOT NULL,
      administrative_area_code text NOT NULL,
      category_code text NOT NULL,
      parent_item_id uuid,
      street_address text NOT NULL,
      address_region text,
      address_locality text,
      postal_code text,
      road_address text,
      jibun_address text,
      latitude numeric(9, 7) NOT NULL,
      longitude numeric(10, 7) NOT NULL,
      thumbnail_url text,
      contact_name text NOT NULL,
      telephone text NOT NULL,
      email text,
      url text NOT NULL,
      opening_hours text,
      extra_attributes jsonb NOT NULL
    )`)
  return table
}

/** Adds rows to a staging table, in one statement. */
export async function stageRows(session: ClientBase, table: string, rows: readonly StagedRow[]): Promise<void> {
  if (rows.length === 0) return
  await session.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [
    JSON.stringify(rows.map(toColumns)),
  ])
}

/** Makes a staging table ready to be searched, once it is full. */
export async function indexStaging(session: ClientBase, table: string): Promise<void> {
  await session.query(`
    CREATE INDEX ON ${table} (id);
    CREATE INDEX ON ${table} (external_id);
    CREATE INDEX ON ${table} (parent_item_id);
    ANALYZE ${table}`)
}

/** camelCase to snake_case. */
function toColumns(row: StagedRow): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}
