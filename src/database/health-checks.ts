import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, QueryResultRow } from 'pg'
import { messageOf } from '../errors.ts'
import { checkServer, findMissing, readMigrations } from './migrate.ts'

/** What a check has found; `advice` says what to do where it is not well. */
export interface Finding {
  check: string
  isOk: boolean
  found: string
  advice?: string
}

type Check = (session: Client) => Promise<Omit<Finding, 'check'>>

const ok = (found: string) => ({ isOk: true, found })
const fail = (found: string, advice: string) => ({ isOk: false, found, advice })

/** Where one of these is not well, the others have nothing to look at. */
const BASES = new Set(['server', 'migrations'])

/** What a database must be and have. */
const CHECKS: Readonly<Record<string, Check>> = {
  server: async (session) => {
    const [row] = await rows<{ version: string; postgis: string | null }>(
      session,
      `SELECT current_setting('server_version') AS version, default_version AS postgis
         FROM (SELECT 1) AS one LEFT JOIN pg_available_extensions ON name = 'postgis'`,
    )
    await checkServer(session)
    return ok(`PostgreSQL ${row?.version}, PostGIS ${row?.postgis}`)
  },
  migrations: async (session) => {
    const migrations = await readMigrations()
    const missing = await findMissing(session, migrations)
    if (missing.length === 0) return ok(`all ${migrations.length} are applied`)
    return fail(`${missing.map(({ name }) => name).join(', ')} missing`, 'run npx catalog migrate')
  },
  indexes: async (session) => {
    const sql = (await readMigrations()).map((migration) => migration.sql).join('\n')
    const wanted = [...sql.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+)/gm)].map(([, name = '']) => name)
    const dropped = new Set([...sql.matchAll(/^DROP INDEX (\w+)/gm)].map(([, name = '']) => name))
    const valid = await rows<{ name: string }>(
      session,
      'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indisvalid',
    )
    const names = new Set(valid.map(({ name }) => name))
    const missing = wanted.filter((name) => !dropped.has(name) && !names.has(name))
    if (missing.length === 0) return ok(`all ${wanted.length - dropped.size} are there and valid`)
    return fail(`${missing.join(', ')} missing or invalid`, 'create them as prisma/migrations does, or REINDEX them')
  },
  triggers: async (session) => {
    const disabled = await rows<{ name: string }>(
      session,
      `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'D'`,
    )
    if (disabled.length === 0) return ok('all are enabled')
    const names = disabled.map(({ name }) => name).join(', ')
    return fail(`${names} disabled`, 'ALTER TABLE … ENABLE TRIGGER: without them answers go stale and totals wrong')
  },
  totals: async (session) => {
    const wrong = await rows<{ slug: string }>(
      session,
      `SELECT slug FROM datasets d CROSS JOIN LATERAL (SELECT count(*) AS n FROM items WHERE dataset_id = d.id) AS item
        WHERE item.n <> coalesce((SELECT n FROM item_counts WHERE dataset_id = d.id AND list = 'all'), 0)
           OR EXISTS (SELECT FROM tile_counts WHERE dataset_id = d.id GROUP BY level HAVING sum(n) <> item.n)
           OR (SELECT count(DISTINCT level) FROM tile_counts WHERE dataset_id = d.id) <> CASE item.n WHEN 0 THEN 0 ELSE 4 END
        ORDER BY slug LIMIT 10`,
    )
    if (wrong.length === 0) return ok('kept totals are true')
    return fail(
      `those of ${wrong.map(({ slug }) => slug).join(', ')} are wrong`,
      'run SELECT recount_items() in the database, and report this',
    )
  },
  notifications: async (session) => {
    const heard = new Promise<boolean>((resolve) => session.once('notification', () => resolve(true)))
    await session.query('LISTEN catalog_checkup')
    await session.query('NOTIFY catalog_checkup')
    if (await Promise.race([heard, sleep(NOTIFY_TIMEOUT_MS, false)])) return ok('come through')
    return fail('do not come through', 'connect to PostgreSQL itself, or to a pooler in session mode')
  },
  keys: async (session) => {
    const [row] = await rows<{ n: number }>(
      session,
      `SELECT count(*)::integer AS n FROM api_keys WHERE revoked_at IS NULL AND coalesce(expires_at > now(), true)`,
    )
    return row?.n ? ok(`${row.n} are good`) : fail('there is none', 'npx catalog keys create --name NAME')
  },
}

const NOTIFY_TIMEOUT_MS = 2_000

/** Looks at a database without changing it; gives a finding for each check, in order, until one that others rest on. */
export async function checkHealth(session: Client): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(CHECKS)) {
    const finding = await run(session).catch((error: unknown) => fail(messageOf(error), 'mend that first'))
    findings.push({ check, ...finding })
    if (!finding.isOk && BASES.has(check)) break
  }
  return findings
}

async function rows<Row extends QueryResultRow>(session: Client, sql: string): Promise<Row[]> {
  return (await session.query<Row>(sql)).rows
}
