import { parseExactJson } from '../json.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'

/** A member of an item that differs. */
export interface Difference {
  before: unknown
  after: unknown
}

/** What a change does to one item. */
export interface ItemChange {
  change: 'created' | 'updated' | 'removed'
  id: string
  externalId: string | null
  /** Null if nothing is known of the item, because others have removed it. */
  name: string | null
  /** The members that differ. It is there for an updated item. */
  members?: Record<string, Difference>
  /** How far the place moves, in metres on the WGS 84 spheroid. It is there if the place moves. */
  movedMetres?: number
}

/** What a change of a dataset does, or would do. */
export interface DatasetChanges {
  /** The members of the dataset that differ. All its labels are one of them. */
  dataset: Record<string, Difference>
  items: ItemChange[]
}

/** An item before and after a change, as JSON texts with the names of columns. */
interface ChangedRow {
  change: ItemChange['change']
  id: string
  before: string | null
  after: string | null
  /** Null unless the item is updated. */
  movedMetres: number | null
}

/** SQL for the metres between two points, each given by its latitude and longitude. */
export const metresBetween = (a: [SqlText, SqlText], b: [SqlText, SqlText]) => {
  const point = ([latitude, longitude]: [SqlText, SqlText]) =>
    sql`ST_SetSRID(ST_MakePoint((${longitude})::float8, (${latitude})::float8), 4326)::geography`
  return sql`ST_Distance(${point(a)}, ${point(b)})`
}

/**
 * Returns at most $1 changes of each kind, or all if $1 is null.
 * @param changed is SQL for rows with `change`, `id`, `before` and `after`, the last two as JSON objects with the names of columns
 */
export async function readItemChanges(
  session: SqlSession,
  changed: SqlText,
  parameters: readonly unknown[],
): Promise<ItemChange[]> {
  const { rows } = await session.query<ChangedRow>(
    sql`SELECT change, id::text, before::text, after::text,
         CASE WHEN change = 'updated' THEN ${metresBetween(
           [sql`before ->> 'latitude'`, sql`before ->> 'longitude'`],
           [sql`after ->> 'latitude'`, sql`after ->> 'longitude'`],
         )} END AS "movedMetres"
    FROM (SELECT *, row_number() OVER (PARTITION BY change ORDER BY coalesce(after, before) ->> 'external_id' COLLATE "C", id) AS n FROM (${changed}) AS changed) AS numbered
   WHERE $1::integer IS NULL OR n <= $1
   ORDER BY change, n`,
    parameters,
  )
  return rows.map(readChange)
}

/** Members have the names of an item's fields. */
function readChange({ change, id, before, after, movedMetres }: ChangedRow): ItemChange {
  const [from, to] = [readDocument(before), readDocument(after)]
  const item = new Map<string, unknown>(Object.entries({ ...from, ...to }))
  const textOf = (column: string) => {
    const value = item.get(column)
    return typeof value === 'string' ? value : null
  }
  return {
    change,
    id,
    externalId: textOf('external_id'),
    name: textOf('name'),
    ...(change === 'updated' && { members: findDifferences(from, to) }),
    ...(movedMetres !== null && movedMetres > 0 && { movedMetres: Math.round(movedMetres * 10) / 10 }),
  }
}

const readDocument = (json: string | null): object => Object(json === null ? {} : parseExactJson(json))

/** Returns the members of two documents that differ. A member that one of them lacks is not compared. */
export function findDifferences(before: object, after: object): Record<string, Difference> {
  const old = new Map<string, unknown>(Object.entries(before))
  const differences = Object.entries(after).flatMap(([name, value]): [string, Difference][] => {
    if (!old.has(name) || JSON.stringify(old.get(name)) === JSON.stringify(value)) return []
    return [[fieldOf(name), { before: old.get(name), after: value }]]
  })
  return Object.fromEntries(differences)
}

const fieldOf = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
