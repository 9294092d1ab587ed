import { type SqlSession, type SqlText, sql } from '../../sql.ts'

/** SQL for whether the item `i` stays because of a bad row. */
export const whereKept = (t: SqlText) => sql`EXISTS (SELECT FROM ${t}_kept AS kept WHERE kept.id = i.id)`

/**
 * Finds the items of bad rows, and their ancestors. They stay, if the staging table lacks them. The table of bad rows can name an item
 * by `id` and by `externalId`: it is safer to keep two items than to remove the wrong one.
 * @returns how many there are
 */
export async function keepItems(session: SqlSession, table: SqlText, datasetId: string): Promise<number> {
  await session.query(
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
  const { rows } = await session.query<{ count: number }>(sql`SELECT count(*)::integer AS count FROM ${table}_kept`)
  return rows[0]?.count ?? 0
}
