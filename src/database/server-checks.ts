import { type SqlSession, type SqlText, sql } from '../sql.ts'
import { findClockFault } from './clock.ts'
import { type Check, fail, note, ok, type Result, rows } from './finding.ts'
import { readSnapshot } from './objects.ts'
import { readTableNames } from './statistics.ts'

/* Checks of what an operator or a host of databases has set: they change no row of the catalog, and stop an import or a gateway later. */

/** A problem as a statement selects it. */
interface Problem {
  found: string
  advice: string
  mend: string
}

/** Returns the problems that a statement selects; `sound` if there are none. */
async function failures(session: SqlSession, text: SqlText, values: readonly unknown[], sound: string) {
  const problems = await rows<Problem>(session, text, values)
  return problems.length === 0 ? ok(sound) : problems.map(({ found, advice, mend }) => fail(found, advice, mend))
}

/** Settings without which the catalog can't be written. The statement overrides those of the server, the database and the role. */
const WRONG_SETTINGS = sql`
  SELECT format('%s is %s: %s', name, setting, harm) AS found,
         'if nobody set it on purpose (some hosts do when the disk is full) and DATABASE_URL does not set it, run this' || as_whom AS advice,
         format('BEGIN READ WRITE; ALTER ROLE %I IN DATABASE %I SET %s = %s; COMMIT;', current_user, current_database(), name, needed) || further AS mend
    FROM pg_settings JOIN (VALUES
           ('default_transaction_read_only', 'off', 'no import and no command can write, and the use of keys is not recorded', '', ''),
           ('session_replication_role', 'origin', 'triggers do not run, so totals get wrong and gateways miss changes', ' as a superuser',
            E'\nSET session_replication_role = origin; SELECT recount_items();')
         ) AS expected (name, needed, harm, as_whom, further) USING (name)
   WHERE setting <> needed`

const WRONG_RIGHTS = sql`
  SELECT format('%s may not create temporary tables, and each import and undo needs some', current_user) AS found,
         'run this as the owner of the database' AS advice,
         format('GRANT TEMPORARY ON DATABASE %I TO %I;', current_database(), current_user) AS mend
   WHERE NOT has_database_privilege(current_database(), 'TEMPORARY')`

/** Selects the objects $1 that belong to others, with their owners, and whether the role lacks a right that requests or commands need. */
const OTHER_OWNERS = sql`
  WITH objects (kind, name, owner, lacks_right) AS (
    SELECT 'table', relname::text, relowner, NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                                                  AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      FROM pg_class WHERE relnamespace = to_regnamespace('public') AND relkind = 'r'
     UNION ALL
    SELECT 'function', format('%s(%s)', proname, pg_get_function_identity_arguments(oid)), proowner, NOT has_function_privilege(oid, 'EXECUTE')
      FROM pg_proc WHERE pronamespace = to_regnamespace('public') AND prokind = 'f'
     UNION ALL
    SELECT 'type', typname, typowner, NOT has_type_privilege(oid, 'USAGE') FROM pg_type WHERE typnamespace = to_regnamespace('public')
  )
  SELECT string_agg(DISTINCT pg_get_userbyid(owner), ', ') AS owners, count(*)::integer AS n, current_user AS role,
         string_agg(name, ', ' ORDER BY name) FILTER (WHERE lacks_right) AS lacking,
         string_agg(format('GRANT %s ON %s public.%s TO %I;', CASE kind WHEN 'table' THEN 'SELECT, INSERT, UPDATE, DELETE'
                             WHEN 'function' THEN 'EXECUTE' ELSE 'USAGE' END, upper(kind), name, current_user), E'\n' ORDER BY kind, name)
           FILTER (WHERE lacks_right) AS mend
    FROM objects WHERE kind || ' ' || name = ANY ($1) AND NOT pg_has_role(owner, 'USAGE')`

async function checkOwners(session: SqlSession): Promise<Result[]> {
  const names = (await readSnapshot()).map(({ name }) => name)
  const [row] = await rows<{ owners: string; n: number; role: string; lacking: string | null; mend: string | null }>(
    session,
    OTHER_OWNERS,
    [[...names, 'table _prisma_migrations']],
  )
  if (!row?.n) return []
  const { owners, n, role, lacking, mend } = row
  if (lacking !== null && mend !== null)
    return [fail(`${role} lacks rights on ${lacking} of ${owners}`, 'run this as a superuser or that owner', mend)]
  const found = `${n} objects belong to ${owners}, so ${role} can't apply migrations nor renew statistics`
  return [note(found, `let ${owners} run npx catalog migrate and imports`)]
}

/** Selects the limits that are below the connections $1 of one gateway. No limit of a role or of a database holds for a superuser. */
const LOW_LIMITS = sql`
  WITH limits (what, n, mend) AS (
    SELECT 'the role ' || rolname, CASE WHEN NOT rolsuper THEN nullif(rolconnlimit, -1) END, format('ALTER ROLE %I CONNECTION LIMIT -1;', rolname)
      FROM pg_roles WHERE rolname = current_user
     UNION ALL
    SELECT 'the database ' || datname, CASE WHEN NOT rolsuper THEN nullif(datconnlimit, -1) END,
           format('ALTER DATABASE %I CONNECTION LIMIT -1;', datname)
      FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user
     UNION ALL
    SELECT 'max_connections without those for superusers', sum(CASE name WHEN 'max_connections' THEN 1 ELSE -1 END * setting::integer),
           format('ALTER SYSTEM SET max_connections = %s; -- then start PostgreSQL again', 100 + $1::integer)
      FROM pg_settings WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')
  )
  SELECT format('%s: the limit of %s connections is below the %s that one gateway opens, so some requests get 503', what, n, $1::integer) AS found,
         'run this as a superuser (each further gateway needs as many), or lower DATABASE_POOL_SIZE' AS advice, mend
    FROM limits WHERE n < $1::integer`

/** Selects who waits for a lock, and who has it. */
const LOCKS = sql`
  SELECT format('process %s (%s) has waited %s seconds for process %s (%s of %s, %s for %s seconds)', waiting.pid, coalesce(nullif(waiting.application_name, ''), waiting.usename),
                extract(epoch FROM now() - waiting.query_start)::integer, holder.pid, coalesce(nullif(holder.application_name, ''), 'no name'), holder.usename,
                holder.state, extract(epoch FROM now() - holder.state_change)::integer) AS found,
         'let it end, or end it with this' AS advice, format('SELECT pg_terminate_backend(%s);', holder.pid) AS mend
    FROM pg_stat_activity AS waiting CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid)
    JOIN pg_stat_activity AS holder ON holder.pid = blocking.pid
   WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock' AND now() - waiting.query_start > interval '1 second'`

/** Selects the tables of $1 that are unlogged. Those that others refer to come first. */
const UNLOGGED = sql`
  SELECT string_agg(relname, ', ') || ': unlogged, so a crash empties them, and replicas have no rows' AS found,
         'run this' AS advice,
         string_agg(format('ALTER TABLE %I SET LOGGED;', relname), E'\n' ORDER BY array_position($1::text[], relname::text)) AS mend
    FROM pg_class
   WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1::text[]) AND relpersistence = 'u' HAVING count(*) > 0`

/** Autovacuum leaves small tables out, and PostgreSQL plans well without knowing them. */
const SMALL_BYTES = 1024 * 1024

const NO_STATISTICS = sql`
  SELECT string_agg(relname, ', ' ORDER BY relname) || ': never analysed, so PostgreSQL guesses, and requests can take seconds' AS found,
         'run this, as after each restore' AS advice, format('ANALYZE %s;', string_agg(quote_ident(relname), ', ' ORDER BY relname)) AS mend
    FROM pg_class
   WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1::text[]) AND reltuples <> 0
     AND pg_relation_size(oid) > ${SMALL_BYTES} AND has_table_privilege(oid, 'SELECT')
     AND NOT EXISTS (SELECT FROM pg_stats WHERE schemaname = 'public' AND tablename = relname) HAVING count(*) > 0`

/** Checks that need no table. */
export const SERVER_CHECKS = {
  clock: async (session) => {
    const fault = await findClockFault(session)
    return fault === undefined ? ok('is that of the database') : fail(fault, 'set both clocks by NTP')
  },
  locks: (session) => failures(session, LOCKS, [], 'nobody waits for one'),
  settings: async (session) => {
    const [row] = await rows(session, sql`SELECT WHERE pg_is_in_recovery()`)
    if (row)
      return fail('the server is a replica, where nothing can be written', 'let DATABASE_URL lead to the primary')
    return failures(session, WRONG_SETTINGS, [], 'nothing stops a change')
  },
  rights: async (session) =>
    [await failures(session, WRONG_RIGHTS, [], 'temporary tables are allowed'), await checkOwners(session)].flat(),
  connections: (session, { connections }) =>
    failures(session, LOW_LIMITS, [connections], 'no limit is below what one gateway opens'),
} satisfies Record<string, Check>

/** Checks of the tables of the migrations. */
export const TABLE_CHECKS = {
  tables: async (session) => failures(session, UNLOGGED, [await readTableNames()], 'all survive a crash'),
  statistics: async (session) =>
    failures(session, NO_STATISTICS, [await readTableNames()], 'PostgreSQL has some of each large table'),
} satisfies Record<string, Check>
