import { createHash, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { readSqlFile, type SqlSession, type SqlText, sql } from '../sql.ts'
import { inTransaction } from './transaction.ts'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url))
const GENERATED = fileURLToPath(new URL('../generated/', import.meta.url))

/** The advisory lock of `prisma migrate deploy`. */
const PRISMA_MIGRATE_LOCK = 72707369

/** The last commit with the migrations that the first one of now has replaced. */
const LAST_BEFORE = '7e39e9ee'

const OLDEST_POSTGRES = { number: 150000, name: '15' }
const OLDEST_POSTGIS = [3, 3] as const

interface Migration {
  name: string
  sql: SqlText
  /** SHA-256 of the file in hexadecimal, as Prisma stores it. */
  checksum: string
}

/**
 * Applies the missing migrations of a database, all or none, and records them as Prisma Migrate does.
 * @returns the names of the applied migrations, in order
 * @throws `OPERATION_FAILED` if the database is too old, is newer than the code, has no PostGIS, or can't apply a migration
 */
export async function migrate(session: SqlSession, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder)
  await checkServer(session)
  return inTransaction(session, async () => {
    await session.query(sql`SELECT pg_advisory_xact_lock($1)`, [PRISMA_MIGRATE_LOCK])
    const applied = (await readApplied(session)) ?? []
    const missing = missingOf(migrations, applied)
    if (missing.length > 0) await session.query(MIGRATIONS_TABLE)
    for (const migration of missing) await apply(session, migration)
    return missing.map((migration) => migration.name)
  })
}

/** Calls `print` with what the migrations of a session say while they run (RAISE INFO). */
export function followMigrations(session: SqlSession, print: (line: string) => void): void {
  session.on('notice', ({ severity, message }) => severity === 'INFO' && print(message ?? ''))
}

/**
 * Compares a database with the migrations of this code. It changes nothing.
 * @returns the names of the missing migrations, and whether the database never had one
 * @throws `OPERATION_FAILED` when the database is too old, newer than the code, or has no PostGIS.
 */
export async function checkMigrated(session: SqlSession): Promise<{ missing: string[]; isNew: boolean }> {
  const migrations = await readMigrations()
  await checkServer(session)
  const applied = await readApplied(session)
  return { missing: missingOf(migrations, applied ?? []).map(({ name }) => name), isNew: applied === undefined }
}

/** The file of a new database with these migrations, which `prisma/cluster.js` writes. Without it, a first start creates the database. */
export async function clusterFile(): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, checksum } of await readMigrations()) hash.update(name + checksum)
  return `${GENERATED}cluster-${hash.digest('hex').slice(0, 16)}.br`
}

/** Returns the migrations of this code, in order. */
export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const text = await readSqlFile(`${folder}/${name}/migration.sql`)
      return { name, sql: text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Checks the versions of PostgreSQL and PostGIS, and returns them.
 * @throws `OPERATION_FAILED` if one is too old, there is no PostGIS, or the role may not use the schema of the catalog or of PostGIS
 */
export async function checkServer(session: SqlSession): Promise<{ version: string; postgis: string }> {
  const { rows } = await session.query<{
    number: number
    version: string
    postgis: string | null
    grant: string | null
  }>(sql`
    SELECT current_setting('server_version_num')::integer AS number,
           current_setting('server_version') AS version,
           (SELECT coalesce(installed_version, default_version)
              FROM pg_available_extensions WHERE name = 'postgis') AS postgis,
           (SELECT format('GRANT USAGE ON SCHEMA %s TO %I', string_agg(quote_ident(nspname), ', '), current_user) FROM pg_namespace
             WHERE (nspname = 'public' OR oid = (SELECT extnamespace FROM pg_extension WHERE extname = 'postgis'))
               AND NOT has_schema_privilege(oid, 'USAGE') HAVING count(*) > 0) AS grant`)
  const [server] = rows
  if (!server) throw operationFailed('The database did not report its version')
  if (server.number < OLDEST_POSTGRES.number) {
    throw operationFailed(`PostgreSQL ${OLDEST_POSTGRES.name} or newer is needed; this one is ${server.version}`)
  }
  if (server.postgis === null) {
    throw operationFailed('The PostgreSQL server has no PostGIS; install it there (Debian: postgresql-15-postgis-3)')
  }
  const [major = 0, minor = 0] = server.postgis.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_POSTGIS
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw operationFailed(`PostGIS ${OLDEST_POSTGIS.join('.')} or newer is needed; this one is ${server.postgis}`)
  }
  if (server.grant !== null) {
    throw operationFailed(`The role can't see the tables or PostGIS; run as a superuser: ${server.grant};`)
  }
  return { version: server.version, postgis: server.postgis }
}

/** The same table as Prisma Migrate creates. */
const MIGRATIONS_TABLE = sql`
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  varchar(36) PRIMARY KEY NOT NULL,
    checksum            varchar(64) NOT NULL,
    finished_at         timestamptz,
    migration_name      varchar(255) NOT NULL,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`

interface Applied {
  name: string
  checksum: string
  finished: boolean
}

/** Returns the records of the migrations; undefined if there is no table of them. */
async function readApplied(session: SqlSession): Promise<Applied[] | undefined> {
  const { rowCount } = await session.query(sql`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`)
  if (rowCount === 0) return undefined
  const { rows } = await session.query<Applied>(sql`
    SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
      FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`)
  return rows
}

/**
 * Returns the migrations that are missing in a database, in order.
 * @throws `OPERATION_FAILED` if the database has a migration that is unknown, failed, or changed afterwards
 */
function missingOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const names = applied.map(({ name }) => name)
  const first = migrations[0]?.name ?? ''
  for (const { name, checksum, finished } of applied) {
    const migration = known.get(name)
    if (!migration && name < first) {
      const move = `catalog export --all FOLDER --with-keys, then catalog import FOLDER into a new database`
      throw operationFailed(`The database is from before 1.0; move it with the commit ${LAST_BEFORE}: ${move}`)
    }
    if (!migration) throw operationFailed(`The database is newer than this code: it has the migration ${name}`)
    if (!finished)
      throw operationFailed(`The migration ${name} failed on this database; resolve it with Prisma Migrate`)
    if (migration.checksum !== checksum) {
      throw operationFailed(`The migration ${name} was changed after it was applied to this database`)
    }
  }
  return migrations.filter(({ name }) => !names.includes(name))
}

async function apply(session: SqlSession, migration: Migration): Promise<void> {
  try {
    await session.query(migration.sql)
  } catch (error) {
    throw operationFailed(`The migration ${migration.name} can't be applied: ${messageOf(error)}`, error)
  }
  await session.query(
    sql`INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
    [randomUUID(), migration.checksum, migration.name],
  )
}
