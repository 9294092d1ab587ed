import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** An idle connection is probed after this time. By default it would be two hours. */
const KEEP_ALIVE_MS = 60_000

/**
 * Settings of each session, on a server and on the embedded database. They override those of the server, the database, the role and
 * the URL.
 *
 * Responses depend on some: UTC and ISO, because Prisma's adapter drops the offset of a timestamp and reads no other form; all digits of a
 * coordinate. No JIT, because it would take longer than these queries. Memory for the bitmap of a search: without it, PostgreSQL would
 * compute the grams of each name again. No timeouts, because imports and migrations take long; the pool gives its sessions others. The
 * catalog is in the schema `public`, and PostGIS there or in a schema that hosts of databases have for it.
 */
const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  extra_float_digits: '1',
  jit: 'off',
  work_mem: '16MB',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  search_path: 'public,extensions,postgis',
}

const settings = Object.entries(SETTINGS)

/** A statement that gives a session these settings. */
export const SET_SESSION = `SELECT ${settings.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(', ')}`

const OPTIONS = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')

/** Returns how to connect to the server of a URL with sessions that have these settings. */
export function serverConnection(url: string): pg.ClientConfig {
  // pg gives a `connectionString` precedence over all other settings, and a timeout of the URL precedence over `options`.
  const { options = '', ...given } = parseIntoClientConfig(url)
  return {
    ...given,
    statement_timeout: undefined,
    lock_timeout: undefined,
    idle_in_transaction_session_timeout: undefined,
    query_timeout: undefined,
    keepAlive: true,
    // The pool keeps idle connections. A firewall may drop one after some minutes without a packet, and tells nobody.
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'dataset-catalog',
    options: `${options} ${OPTIONS}`.trim(),
  }
}
