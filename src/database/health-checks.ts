import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryResultRow } from 'pg'
import { messageOf } from '../errors/errors.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { checkMigrated, checkServer } from './migrate.ts'
import { compareObjects } from './objects.ts'

/** The result of a check. `advice` says what to do after a failure, and `sql` is the statement that mends it. */
export interface Finding {
  check: string
  isOk: boolean
  found: string
  advice?: string
  sql?: string
}

type Result = Omit<Finding, 'check'>
type Check = (session: SqlSession) => Promise<Result | Result[]>

const ok = (found: string): Result => ({ isOk: true, found })
const fail = (found: string, advice: string, sql?: string): Result => ({
  isOk: false,
  found,
  advice,
  ...(sql && { sql }),
})

/** Checks without which the others can't run. */
const PREREQUISITES = new Set(['server', 'migrations'])

/** The checks of a database, in order. */
const CHECKS: Readonly<Record<string, Check>> = {
  server: async (session) => {
    const { version, postgis } = await checkServer(session)
    return ok(`PostgreSQL ${version}, PostGIS ${postgis}`)
  },
  migrations: async (session) => {
    const { missing } = await checkMigrated(session)
    if (missing.length === 0) return ok('all are applied')
    return fail(`${missing.join(', ')} missing`, 'run npx catalog migrate')
  },
  objects: async (session) => {
    const differences = await compareObjects(session)
    if (differences.length === 0) return ok('all are as the migrations make them')
    return differences.map((difference) => ({ isOk: false, ...difference }))
  },
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
  notifications: async (session) => {
    const received = new Promise<boolean>((resolve) => session.once('notification', () => resolve(true)))
    await session.query(sql`LISTEN catalog_health_check`)
    await session.query(sql`NOTIFY catalog_health_check`)
    if (await Promise.race([received, sleep(NOTIFY_TIMEOUT_MS, false)])) return ok('arrive')
    return fail('do not arrive', 'connect to PostgreSQL directly, or to a pooler in session mode')
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
    return { isOk: true, found, advice: 'to keep one, run npx catalog keys update NAME --expires 90d' }
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
  ), stored AS (
    SELECT 'item_counts' AS table_name, dataset_id, list AS key, n FROM item_counts
    UNION ALL SELECT 'tile_counts', dataset_id, level || ' ' || cell, n FROM tile_counts
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

/** Checks a database, and changes nothing. Returns the findings of each check. A failed prerequisite ends the checks. */
export async function checkHealth(session: SqlSession): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(CHECKS)) {
    const isIntact = findings.every((finding) => finding.check !== 'objects' || finding.isOk)
    const advice = isIntact ? 'check what the role of DATABASE_URL may read' : 'run the statements above first'
    const result = await run(session).catch((error: unknown) => fail(messageOf(error), advice))
    const results = [result].flat()
    findings.push(...results.map((one) => ({ check, ...one })))
    if (PREREQUISITES.has(check) && results.some(({ isOk }) => !isOk)) break
  }
  return findings
}

async function rows<Row extends QueryResultRow>(session: SqlSession, text: SqlText): Promise<Row[]> {
  return (await session.query<Row>(text)).rows
}
