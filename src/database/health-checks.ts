import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, OperationFailed } from '../errors/errors.ts'
import { type SqlSession, sql } from '../sql.ts'
import {
  type AdviceTable,
  adviceOn,
  type Check,
  type Finding,
  fail,
  type Needs,
  note,
  ok,
  type Result,
  rows,
} from './finding.ts'
import { checkMigrated, checkServer } from './migrate.ts'
import { compareObjects } from './objects.ts'
import { checkReferences } from './references.ts'
import { SERVER_CHECKS, TABLE_CHECKS } from './server-checks.ts'
import { checkSubscriptions } from './subscriptions.ts'

/** Checks that need no table, in order. */
const CHECKS: Readonly<Record<string, Check>> = {
  server: async (session) => {
    const { version, postgis } = await checkServer(session)
    return ok(`PostgreSQL ${version}, PostGIS ${postgis}`)
  },
  ...SERVER_CHECKS,
  notifications: async (session) => {
    const received = new Promise<boolean>((resolve) => session.once('notification', () => resolve(true)))
    await session.query(sql`LISTEN catalog_health_check`)
    await session.query(sql`NOTIFY catalog_health_check`)
    if (await Promise.race([received, sleep(NOTIFY_TIMEOUT_MS, false)])) return ok('arrive')
    return fail('do not arrive', 'connect to PostgreSQL directly, or to a pooler in session mode')
  },
  migrations: async (session) => {
    const { missing } = await checkMigrated(session)
    if (missing.length === 0) return ok('all are applied')
    return fail(`${missing.join(', ')} missing`, 'run npx catalog migrate')
  },
}

/** Checks of the tables, in order, if all migrations are applied. */
const CHECKS_OF_TABLES: Readonly<Record<string, Check>> = {
  objects: async (session) => {
    const differences = await compareObjects(session)
    if (differences.length === 0) return ok('all are as the migrations make them')
    return differences.map((difference) => ({ isOk: false, ...difference }))
  },
  ...TABLE_CHECKS,
  subscriptions: checkSubscriptions,
  references: checkReferences,
  totals: async (session) => {
    const wrong = await rows<{ slug: string; tables: string }>(session, WRONG_COUNTS)
    if (wrong.length === 0) return ok('all stored counts are right')
    return fail(
      `wrong counts: ${wrong.map(({ slug, tables }) => `${slug} (${tables})`).join(', ')}`,
      'run this, and report it unless tables were restored or changed without triggers',
      'SELECT recount_items();',
    )
  },
  history: async (session) => {
    const [row] = await rows<{ n: number }>(
      session,
      sql`SELECT count(*)::integer AS n FROM history_entries WHERE ${LACKS_PARTS}`,
    )
    if (!row?.n) return ok('has what undo needs')
    return fail(
      `${row.n} changes can't be undone, because history_parts lacks their items`,
      'restore a backup, or run this, so that catalog history says it',
      `UPDATE history_entries SET can_undo = false WHERE ${LACKS_PARTS};`,
    )
  },
  keys: async (session) => {
    const [row] = await rows<{ n: number; ending: string | null }>(
      session,
      sql`SELECT count(*)::integer AS n, string_agg(name, ', ' ORDER BY expires_at) FILTER (WHERE expires_at < now() + interval '14 days') AS ending
         FROM api_keys WHERE revoked_at IS NULL AND coalesce(expires_at > now(), true)`,
    )
    if (!row?.n) return fail('no valid key', 'run npx catalog keys create --name NAME')
    if (row.ending === null) return ok(`${row.n} valid`)
    const found = `${row.n} valid; within 14 days these expire: ${row.ending}`
    return note(found, 'to keep one, run npx catalog keys update NAME --expires 90d')
  },
}

const NOTIFY_TIMEOUT_MS = 2_000

/** Selects the datasets whose stored counts are wrong, and the tables with the counts. It counts like `recount_items()`. */
const WRONG_COUNTS = sql`
  WITH counted AS (
    SELECT 'item_counts' AS table_name, dataset_id, list_name(among, administrative_area_code, category_code) AS key, count(*) AS n
      FROM items
     CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
     GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
    HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3
    UNION ALL
    SELECT 'tile_counts', dataset_id, level || ' ' || (tile_cell >> 60 - 2 * level), count(*)
      FROM items CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level GROUP BY dataset_id, level, tile_cell >> 60 - 2 * level
    UNION ALL
    SELECT 'tile_category_counts', dataset_id, level || ' ' || (tile_cell >> 60 - 2 * level) || ' ' || category_code, count(*)
      FROM items CROSS JOIN unnest(ARRAY[5, 9]) AS level GROUP BY dataset_id, level, tile_cell >> 60 - 2 * level, category_code
  ), stored AS (
    SELECT 'item_counts' AS table_name, dataset_id, list AS key, n FROM item_counts
    UNION ALL SELECT 'tile_counts', dataset_id, level || ' ' || cell, n FROM tile_counts
    UNION ALL SELECT 'tile_category_counts', dataset_id, level || ' ' || cell || ' ' || category_code, n FROM tile_category_counts
  )
  SELECT coalesce(slug, dataset_id::text) AS slug, string_agg(DISTINCT table_name, ', ' ORDER BY table_name) AS tables
    FROM counted FULL JOIN stored USING (table_name, dataset_id, key)
    LEFT JOIN datasets ON datasets.id = dataset_id
   WHERE counted.n IS DISTINCT FROM stored.n
   GROUP BY 1 ORDER BY 1 LIMIT 10`

/** Changes that say that they can be undone, and whose items are not stored. */
const LACKS_PARTS = sql`can_undo AND EXISTS (
  SELECT FROM (VALUES ('before', updated + removed), ('after', created + updated)) AS stored (kind, items)
   WHERE items > 0 AND NOT EXISTS (SELECT FROM history_parts AS p WHERE p.entry_id = history_entries.id AND p.kind = stored.kind))`

/** What to do if a check fails with an error of PostgreSQL, by its SQLSTATE. */
const ADVICE: AdviceTable = [
  [
    /^(XX00[12]|58)/,
    'a file of the database is damaged: keep a copy of the data directory, test the disk, and restore a backup',
  ],
  [/^42501$/, 'give the role of DATABASE_URL this right; the check "rights" says how'],
  [
    /^55P03$/,
    "somebody has the table locked: SELECT * FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE mode LIKE '%Exclusive%'",
  ],
  [/^(08|53|57|40)/, 'run catalog doctor again when the database is at rest'],
]

/**
 * Checks a database, and changes nothing. Returns the findings of each check. A check that fails stops only those that need what it
 * checks. An error that several checks meet is one finding.
 */
export async function checkHealth(session: SqlSession, needs: Needs = { connections: 0 }): Promise<Finding[]> {
  const findings: Finding[] = []
  const run = async (checks: Readonly<Record<string, Check>>) => {
    for (const [check, examine] of Object.entries(checks)) {
      const results = [await examine(session, needs).catch(failed)].flat()
      const isNew = ({ isOk, found }: Result) => isOk || findings.every((earlier) => earlier.found !== found)
      findings.push(...results.filter(isNew).map((one) => ({ check, ...one })))
    }
  }
  const failed = (error: unknown) => {
    // Its message says what to do.
    if (error instanceof OperationFailed) return fail(error.message)
    const advice = adviceOn(error, ADVICE)
    const isIntact = findings.every(({ check, isOk }) => check !== 'objects' || isOk)
    return fail(
      messageOf(error),
      advice ?? (isIntact ? 'the log of PostgreSQL may say more' : 'run the statements above first'),
    )
  }
  // Without it, the checks wait as long as somebody has a table locked.
  await session.query(sql`SET lock_timeout = '5s'`)
  await run(CHECKS)
  if (findings.some(({ check, isOk }) => check === 'migrations' && isOk)) await run(CHECKS_OF_TABLES)
  await session.query(sql`RESET lock_timeout`)
  return findings
}
