import type { ClientBase } from 'pg'
import { goneOf } from './imported-rows.ts'

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
export const whereImported = (table: string) => `NOT EXISTS (SELECT FROM ${goneOf(table)} AS gone WHERE gone.id = i.id)`

/** SQL for whether the dataset has changed since the last import. */
const HAS_CHANGED = 'SELECT NOT EXISTS (SELECT FROM datasets WHERE id = $1 AND revision = $2) AS found'

/** SQL for whether a staged row names the item of a row that is not staged: the item would stand twice. */
const standsTwice = (table: string) => `
  SELECT EXISTS (SELECT FROM ${table} AS s JOIN items AS i USING (id) WHERE i.dataset_id = $1 AND ${whereImported(table)}) AS found`

/** SQL for whether a row that is not staged may have another parent: its parent goes, or another item gets the `externalId` of the parent. */
const losesParent = (table: string) => `
  SELECT EXISTS (
    SELECT FROM ${goneOf(table)} AS gone JOIN items AS i USING (id) LEFT JOIN ${table} AS s USING (id)
     WHERE (s.id IS NULL OR s.external_id IS DISTINCT FROM i.external_id)
       AND EXISTS (SELECT FROM items AS child
                    WHERE child.dataset_id = $1 AND child.parent_item_id = i.id
                      AND NOT EXISTS (SELECT FROM ${table} AS other WHERE other.id = child.id))) AS found`

interface PartLoad {
  session: ClientBase
  table: string
  datasetId: string
}

/** @param sql is one of the constants of this file */
async function readAllIf(session: ClientBase, sql: string, values: string[]): Promise<void> {
  const { rows } = await session.query<{ found: boolean }>(sql, values)
  if (rows[0]?.found) throw new MustReadAll()
}

/** Checks that the dataset, which is locked, is as the last import left it. @throws MustReadAll */
export function checkRevision({ session, datasetId }: PartLoad, { revision }: Part): Promise<void> {
  return readAllIf(session, HAS_CHANGED, [datasetId, revision])
}

/** Checks that no row depends on one that is staged and the other way round, after bad rows were found. @throws MustReadAll */
export async function checkPart({ session, table, datasetId }: PartLoad): Promise<void> {
  await readAllIf(session, standsTwice(table), [datasetId])
  await readAllIf(session, losesParent(table), [datasetId])
}
