import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { sql } from '../sql.ts'

/** An idle connection is probed after this time. By default it would be two hours. */
const KEEP_ALIVE_MS = 60_000

/**
 * Settings of each session, on a server and on the embedded database. They override those of the server, the database, the role and
 * the URL.
 *
 * Responses depend on some: UTC and ISO, because Prisma's adapter drops the offset of a timestamp and reads no other form; all digits of a
 * coordinate. Backslashes in strings are those of standard SQL. No JIT, because it would take longer than these queries. Memory for the bitmap
 * of a search: without it, PostgreSQL would compute the grams of each name again. No timeouts, because imports and migrations take long; the
 * pool gives its sessions others.
 */
const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  jit: 'off',
  work_mem: '16MB',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
}

/** Names and values of settings of a session. */
export type Settings = Readonly<Record<string, string>>

const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000

/** Returns the settings of a session that serves requests. */
export function requestSettings(statementTimeoutMs: number): Settings {
  return {
    ...SETTINGS,
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_TIMEOUT_MS}`,
  }
}

/** The catalog is in the schema `public`. Hosts of databases have a schema of any name for PostGIS. */
const SET_SEARCH_PATH = `set_config('search_path', concat_ws(',', 'public', (
  SELECT quote_ident(nspname) FROM pg_catalog.pg_extension JOIN pg_catalog.pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'postgis' AND nspname <> 'public')), false)`

const calls = (settings: Settings) => [
  ...Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`),
  SET_SEARCH_PATH,
]

/** A statement that gives a session these settings. */
export const SET_SESSION = `SELECT ${calls(SETTINGS).join(', ')}`

/** Returns a statement that gives a new session its settings, and returns the name of its server and the id of its process. */
export function beginSession(settings: Settings): string {
  return `SELECT ${[SESSION_ID, ...calls(settings)].join(', ')}`
}

/** A session of a server. */
export interface Session {
  server: string
  process: number
}

/** The name of a server: no other server, and no earlier start of this one, has the same. The id of the process is that of a session. */
export const SESSION_ID = sql`extract(epoch FROM pg_postmaster_start_time())::text AS server, pg_backend_pid() AS process`

/** How to connect. The settings are sent after the connection is made, because PgBouncer refuses most of them before. */
export interface SessionConfig extends pg.ClientConfig {
  settings?: Settings | undefined
}

/** Returns how to connect to the server of a URL. */
export function serverConnection(url: string): SessionConfig {
  // pg gives a `connectionString` precedence over all other settings.
  const { options, ...given } = parseIntoClientConfig(url)
  return {
    ...given,
    // A timeout in them must not stop the statement that sets the others.
    ...(options !== undefined && { options: `${options} -c statement_timeout=0` }),
    statement_timeout: undefined,
    lock_timeout: undefined,
    idle_in_transaction_session_timeout: undefined,
    query_timeout: undefined,
    keepAlive: true,
    // The pool keeps idle connections. A firewall may drop one after some minutes without a packet, and sends no notice.
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'dataset-catalog',
    settings: SETTINGS,
  }
}
