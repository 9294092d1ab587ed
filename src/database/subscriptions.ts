import { type SqlSession, sql } from '../sql.ts'
import { fail, ok, type Result } from './finding.ts'
import { readTableNames } from './statistics.ts'

const SUBSCRIPTIONS = sql`
  SELECT DISTINCT quote_ident(subname) AS name FROM pg_subscription JOIN pg_subscription_rel ON srsubid = pg_subscription.oid
   WHERE srrelid IN (SELECT to_regclass('public.' || name) FROM unnest($1::text[]) AS name) ORDER BY name`

/** Logical replication copies no sequences. */
const NEXT_ENTRY =
  "SELECT setval(pg_get_serial_sequence('history_entries', 'id'), max(id)) FROM history_entries HAVING max(id) IS NOT NULL;"

/** Checks that no logical replication writes the tables. It runs no triggers, which count items and notify the change feed. */
export async function checkSubscriptions(session: SqlSession): Promise<Result> {
  const { rows } = await session.query<{ name: string }>(SUBSCRIPTIONS, [await readTableNames()])
  if (rows.length === 0) return ok('none writes the tables')
  const names = rows.map(({ name }) => name)
  return fail(
    `logical replication (${names.join(', ')}) writes the tables and runs no triggers, so gateways show old data`,
    'start no gateway on this server until it has all data; then run these one by one as a superuser',
    [...names.map((name) => `DROP SUBSCRIPTION ${name};`), 'SELECT recount_items();', NEXT_ENTRY].join('\n'),
  )
}
