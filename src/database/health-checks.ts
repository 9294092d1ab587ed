import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, QueryResultRow } from 'pg'
import { messageOf } from '../errors.ts'
import { checkServer, findMissing, readMigrations } from './migrate.ts'

/** The result of a check. `advice` says what to do after a failure. */
export interface Finding {
  check: string
  isOk: boolean
  found: string
  advice?: string
}

type Check = (session: Client) => Promise<Omit<Finding, 'check'>>

const ok = (found: string) => ({ isOk: true, found })
const fail = (found: string, advice: string) => ({ isOk: false, found, advice })

/** Checks without which the others can't run. */
const PREREQUISITES = new Set(['server', 'migrations'])

/** The checks of a database, in order. */
const CHECKS: Readonly<Record<string, Check>> = {
  server: async (session) => {
    const { version, postgis } = await checkServer(session)
    return ok(`PostgreSQL ${version}, PostGIS ${postgis}`)
  },
  settings: async (session) => {
    const sql = `SELECT current_setting('timezone') AS timezone, current_setting('datestyle') AS datestyle`
    const [{ timezone, datestyle } = { timezone: '', datestyle: '' }] = await rows<Settings>(session, sql)
    // A server may know the time zone by another name.
    if (/^(?:Etc\/)?(?:UTC|GMT)$/.test(timezone) && datestyle.startsWith('ISO')) return ok('times are ISO, in UTC')
    return fail(
      `sessions have timezone ${timezone} and datestyle ${datestyle}`,
      `let the pooler pass startup options on, or run ALTER DATABASE … SET timezone = 'UTC' and ALTER DATABASE … SET datestyle = 'ISO'`,
    )
  },
  migrations: async (session) => {
    const migrations = await readMigrations()
    const missing = await findMissing(session, migrations)
    if (missing.length === 0) return ok(`all ${migrations.length} are applied`)
    return fail(`${missing.map(({ name }) => name).join(', ')} missing`, 'run npx catalog migrate')
  },
  indexes: async (session) => {
    const sql = (await readMigrations()).map((migration) => migration.sql).join('\n')
    const expected = new Set<string>()
    // In the order of the migrations: one may drop an index and create another one with its name.
    for (const [, verb, name = ''] of sql.matchAll(/^(CREATE|DROP) (?:UNIQUE )?INDEX (\w+)/gm)) {
      if (verb === 'CREATE') expected.add(name)
      else expected.delete(name)
    }
    const valid = await rows<{ name: string }>(
      session,
      'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indisvalid',
    )
    const names = new Set(valid.map(({ name }) => name))
    const missing = [...expected].filter((name) => !names.has(name))
    if (missing.length === 0) return ok(`all ${expected.size} exist and are valid`)
    return fail(`${missing.join(', ')} missing or invalid`, 'create them as prisma/migrations does, or run REINDEX')
  },
  triggers: async (session) => {
    const disabled = await rows<{ name: string }>(
      session,
      `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'D'`,
    )
    if (disabled.length === 0) return ok('all are enabled')
    const names = disabled.map(({ name }) => name).join(', ')
    return fail(
      `${names} disabled`,
      'run ALTER TABLE … ENABLE TRIGGER; without triggers, responses become stale and counts wrong',
    )
  },
  totals: async (session) => {
    const wrong = await rows<{ slug: string; tables: string }>(session, WRONG_COUNTS)
    if (wrong.length === 0) return ok('all stored counts are right')
    return fail(
      `wrong counts: ${wrong.map(({ slug, tables }) => `${slug} (${tables})`).join(', ')}`,
      'run SELECT recount_items() in the database, and report this unless tables were restored',
    )
  },
  notifications: async (session) => {
    const received = new Promise<boolean>((resolve) => session.once('notification', () => resolve(true)))
    await session.query('LISTEN catalog_health_check')
    await session.query('NOTIFY catalog_health_check')
    if (await Promise.race([received, sleep(NOTIFY_TIMEOUT_MS, false)])) return ok('arrive')
    return fail('do not arrive', 'connect to PostgreSQL directly, or to a pooler in session mode')
  },
  keys: async (session) => {
    const [row] = await rows<{ n: number }>(
      session,
      `SELECT count(*)::integer AS n FROM api_keys WHERE revoked_at IS NULL AND coalesce(expires_at > now(), true)`,
    )
    return row?.n ? ok(`${row.n} valid`) : fail('no valid key', 'run npx catalog keys create --name NAME')
  },
}

/** The settings of a session on which the form of its times depends. The gateway asks for them at the start of the session. */
interface Settings {
  timezone: string
  datestyle: string
}

const NOTIFY_TIMEOUT_MS = 2_000

/** Selects the datasets whose stored counts are wrong, and the tables with the counts. It counts like `recount_items()`. */
const WRONG_COUNTS = `
  WITH counted AS (
    SELECT 'item_counts' AS table_name, dataset_id, list_name(among, administrative_area_code, category_code) AS key, count(*) AS n
      FROM items
     CROSS JOIN LATERAL (VALUES ('all'), (coalesce('children of ' || parent_item_id, 'roots'))) AS list (among)
     GROUP BY dataset_id, among, CUBE (administrative_area_code, category_code)
    HAVING among IN ('all', 'roots') OR grouping(administrative_area_code, category_code) = 3
    UNION ALL
    SELECT 'cube_counts', dataset_id, level || ' ' || (cube >> 9 * level), count(*)
      FROM items CROSS JOIN generate_series(0, 3) AS level GROUP BY dataset_id, level, cube >> 9 * level
    UNION ALL
    SELECT 'tile_counts', dataset_id, level || ' ' || (tile_cell >> 60 - 2 * level), count(*)
      FROM items CROSS JOIN unnest(ARRAY[5, 9, 13, 17]) AS level GROUP BY dataset_id, level, tile_cell >> 60 - 2 * level
  ), stored AS (
    SELECT 'item_counts' AS table_name, dataset_id, list AS key, n FROM item_counts
    UNION ALL SELECT 'cube_counts', dataset_id, level || ' ' || cube, n FROM cube_counts
    UNION ALL SELECT 'tile_counts', dataset_id, level || ' ' || cell, n FROM tile_counts
  )
  SELECT coalesce(slug, dataset_id::text) AS slug, string_agg(DISTINCT table_name, ', ' ORDER BY table_name) AS tables
    FROM counted FULL JOIN stored USING (table_name, dataset_id, key)
    LEFT JOIN datasets ON datasets.id = dataset_id
   WHERE counted.n IS DISTINCT FROM stored.n
   GROUP BY 1 ORDER BY 1 LIMIT 10`

/** Checks a database, and changes nothing. Returns a finding for each check. A failed prerequisite ends the checks. */
export async function checkHealth(session: Client): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(CHECKS)) {
    const finding = await run(session).catch((error: unknown) => fail(messageOf(error), 'fix this first'))
    findings.push({ check, ...finding })
    if (!finding.isOk && PREREQUISITES.has(check)) break
  }
  return findings
}

async function rows<Row extends QueryResultRow>(session: Client, sql: string): Promise<Row[]> {
  return (await session.query<Row>(sql)).rows
}
