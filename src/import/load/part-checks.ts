import { type SqlSession, type SqlText, sql } from '../../sql.ts'
import { goneOf, type Staged } from './staging.ts'

/*
 * An import of a part: the staging table has the rows that the last import had not, and the items of the other rows stay.
 */

/** The part of an import. */
export interface Part {
  /** The revision of the dataset that the last import left. */
  revision: string
  /** The number of rows that the last import had too. */
  imported: number
}

/** The error of an import of a part that must read all rows: they alone say which of them are bad, and what depends on another row. */
export class MustReadAll extends Error {}

/** SQL for whether the item `i` of the dataset is that of a row which the last import had too. */
export const whereImported = (table: SqlText) =>
  sql`NOT EXISTS (SELECT FROM ${goneOf(table)} AS gone WHERE gone.id = i.id)`

/** SQL for whether the dataset has changed since the last import. */
const HAS_CHANGED = sql`SELECT NOT EXISTS (SELECT FROM datasets WHERE id = $1 AND revision = $2) AS found`

/** SQL for whether a staged row names the item of a row that is not staged: the item would stand twice. */
const standsTwice = (table: SqlText) => sql`
  SELECT count(*) > 0 AS found FROM ${table} AS s JOIN items AS i USING (id) WHERE i.dataset_id = $1 AND ${whereImported(table)}`

/** SQL for whether a row that is not staged may have another parent: its parent goes, or another item gets the `externalId` of the parent. */
const losesParent = (table: SqlText) => sql`
  SELECT count(*) > 0 AS found
    FROM ${goneOf(table)} AS gone JOIN items AS i USING (id) LEFT JOIN ${table} AS s USING (id)
    JOIN items AS child ON child.dataset_id = $1 AND child.parent_item_id = i.id
   WHERE (s.id IS NULL OR s.external_id IS DISTINCT FROM i.external_id)
     AND NOT EXISTS (SELECT FROM ${table} AS other WHERE other.id = child.id)`

async function isFound(session: SqlSession, check: SqlText, values: string[]): Promise<boolean> {
  const { rows } = await session.query<{ found: boolean }>(check, values)
  return rows[0]?.found === true
}

/** Returns whether the dataset has changed since the last import. */
export function hasChanged({ session, datasetId }: Staged, { revision }: Part): Promise<boolean> {
  return isFound(session, HAS_CHANGED, [datasetId, revision])
}

/** Checks, after the search for bad rows, that rows which are not staged do not depend on staged ones. @throws MustReadAll */
export async function checkPart({ session, table, datasetId }: Staged): Promise<void> {
  for (const check of [standsTwice(table), losesParent(table)]) {
    if (await isFound(session, check, [datasetId])) throw new MustReadAll()
  }
}
