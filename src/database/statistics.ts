import { listOf, quoteName, type SqlSession, sql } from '../sql.ts'
import { readSnapshot } from './objects.ts'

/*
 * PostgreSQL plans with statistics of the tables. Its autovacuum renews them some minutes after a change, and the embedded database has no
 * autovacuum.
 */

/** The statistics of a table are old after 50 and a tenth of its rows have changed, as for autovacuum, or this number of rows. */
const MANY_CHANGES = 1_000

/**
 * Selects the tables $1 whose statistics are old. The embedded database forgets its numbers of changes when it closes, and a server does
 * after a crash. So a table that has grown since is one of them.
 */
const OUTDATED = sql`
  SELECT relname AS name FROM pg_class
   WHERE oid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
     AND (pg_stat_get_mod_since_analyze(oid) > least(${MANY_CHANGES}, 50 + greatest(reltuples, 0) / 10)
          OR pg_relation_size(oid) / current_setting('block_size')::integer > relpages * 1.1)`

/** Returns the names of all tables of the catalog. */
export async function readTableNames(): Promise<string[]> {
  const objects = await readSnapshot()
  return objects.flatMap(({ name }) => (name.startsWith('table ') ? [name.slice('table '.length)] : []))
}

/**
 * Renews the statistics of the tables where they are old, and the visibility maps, which index-only scans need. The session has no
 * transaction. A table that another session vacuums is left out.
 * @param onBegin is called before the work, if there is any
 */
export async function renewStatistics(session: SqlSession, onBegin: () => void = () => {}): Promise<void> {
  // Otherwise PostgreSQL counts the changes of this session up to a second later.
  await session.query(sql`SELECT pg_stat_force_next_flush()`)
  const { rows } = await session.query<{ name: string }>(OUTDATED, [await readTableNames()])
  if (rows.length === 0) return
  onBegin()
  await session.query(sql`VACUUM (ANALYZE, SKIP_LOCKED) ${listOf(rows.map(({ name }) => quoteName(name)))}`)
}
