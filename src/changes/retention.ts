import type { Database } from '../database/database.ts'
import { type SqlSession, sql } from '../sql.ts'

/*
 * The log of changes is kept for FEED_RETENTION_DAYS. A revision is the time of a change, so the changes before a time are the first ones of
 * the log.
 */

const MICROSECONDS_OF_DAY = 24 * 3_600_000_000

/**
 * Deletes old changes from the logs of all datasets. A dataset that others write now is left for the next time. It changes no revision, so
 * all caches stay.
 */
export async function forgetChanges(session: SqlSession, days: number): Promise<void> {
  const { rows } = await session.query<{ id: string }>(sql`SELECT dataset_id AS id FROM change_logs`)
  for (const { id } of rows) {
    // The lock of writers (touch_datasets), so that this and a writer never wait for each other.
    await session.query(
      sql`WITH locked AS MATERIALIZED (SELECT id FROM datasets WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED),
            forgotten AS (
              DELETE FROM item_changes USING locked
               WHERE dataset_id = locked.id AND revision < extract(epoch FROM clock_timestamp()) * 1000000 - $2::bigint
              RETURNING revision
            )
       UPDATE change_logs SET horizon = greatest(horizon, (SELECT max(revision) FROM forgotten)), empty_from = NULL
        WHERE dataset_id = $1 AND EXISTS (SELECT FROM forgotten)`,
      [id, days * MICROSECONDS_OF_DAY],
    )
  }
}

/** Gives datasets a new epoch: their cursors expire, and copies begin again. */
export async function resetChanges(session: SqlSession, datasetIds: readonly string[]): Promise<void> {
  await session.query(sql`UPDATE datasets SET epoch = gen_random_uuid() WHERE id = ANY ($1)`, [datasetIds])
}

/** Does so for all datasets of a database that a backup has replaced. One from before the log has no cursors. */
export async function resetAllChanges(session: SqlSession): Promise<void> {
  const { rowCount } = await session.query(sql`SELECT WHERE to_regclass('change_logs') IS NOT NULL`)
  if (rowCount === 1) await session.query(sql`UPDATE datasets SET epoch = gen_random_uuid()`)
}

const INTERVAL_MS = 3_600_000

/**
 * Deletes old changes each hour.
 * @param report is called with the error when they can't be deleted
 * @returns a function that ends this
 */
export function forgetRegularly(
  { withSession }: Pick<Database, 'withSession'>,
  days: number,
  report: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => withSession((session) => forgetChanges(session, days)).catch(report), INTERVAL_MS)
  return () => clearInterval(timer)
}
