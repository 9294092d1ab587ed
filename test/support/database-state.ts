import type { ClientBase } from 'pg'

/** A line for each object that is not part of an extension, each migration and each setting of the session's database. In order. */
export async function listObjects(session: ClientBase): Promise<string[]> {
  const { rows } = await session.query<{ line: string }>(OBJECTS)
  return rows.map(({ line }) => line)
}

/** Tables and functions of PostGIS belong to its extension. Temporary tables are objects of a schema pg_temp_N. */
const OBJECTS = `
  WITH objects AS (
    SELECT 'pg_class'::regclass AS class, oid, relnamespace AS schema,
           concat_ws(' ', 'relation', relname, relkind, reloptions) AS line
      FROM pg_class
     UNION ALL
    SELECT 'pg_proc'::regclass, oid, pronamespace, concat_ws(' ', 'function', proname, md5(prosrc), proconfig) FROM pg_proc
     UNION ALL
    SELECT 'pg_type'::regclass, oid, typnamespace, 'type ' || typname FROM pg_type
  )
  SELECT line FROM objects
   WHERE schema::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = oid AND deptype = 'e')
   UNION ALL
  SELECT concat_ws(' ', 'column of', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
   WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
   UNION ALL
  SELECT concat_ws(' ', 'constraint on', conrelid::regclass, conname) FROM pg_constraint WHERE conrelid <> 0
   UNION ALL
  SELECT concat_ws(' ', 'trigger on', tgrelid::regclass, CASE WHEN NOT tgisinternal THEN tgname END, tgenabled) FROM pg_trigger
   UNION ALL
  SELECT 'migration ' || migration_name FROM _prisma_migrations
   UNION ALL
  SELECT concat_ws(' ', 'setting', setconfig) FROM pg_db_role_setting
    JOIN pg_database ON pg_database.oid = setdatabase WHERE datname = current_database()
   UNION ALL
  SELECT concat_ws(' ', 'setting of the session', name, setting) FROM pg_settings WHERE source = 'session' AND name NOT LIKE 'transaction_%'
   ORDER BY 1`

/** Ends the other sessions, and removes all rows and the statistics of them. Triggers do not run. */
export async function removeRows(session: ClientBase): Promise<void> {
  await session.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
  const { rows } = await session.query<{ tables: string }>(TABLES)
  await session.query(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    TRUNCATE ${rows[0]?.tables} RESTART IDENTITY;
    DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
    COMMIT`)
}

const TABLES = `
  SELECT string_agg(pg_class.oid::regclass::text, ', ') AS tables FROM pg_class
   WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN ('_prisma_migrations', 'spatial_ref_sys')`
