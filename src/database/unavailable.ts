import { CANCELLED } from './cancellation.ts'

/**
 * SQLSTATE classes of a database that is away or overloaded, or that stopped a statement: connection exception, insufficient
 * resources, operator intervention (statement timeout, shutdown).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const AWAY = /^(08|53|57)...$/

/** SQLSTATE classes of a connection that can't be used again: it was lost, or PostgreSQL ended the session. */
const CONNECTION_LOST = /^(08|57P)/

/** SQLSTATE classes of a database that refuses the gateway's login, and of one that does not exist. */
const LOGIN_REFUSED = /^(28|3D)...$/

/** Prisma could not start a transaction in time, or the transaction took too long. */
const TRANSACTION_TIMEOUT = 'P2028'

/** Whether the database, or the connection to it, failed for a reason that can pass without a change of the configuration. */
export function isAway(error: unknown): boolean {
  return someCode(error, (code) => AWAY.test(code))
}

/** Whether an error is that the connection was lost. */
export function isConnectionLost(error: unknown): boolean {
  return someCode(error, (code) => CONNECTION_LOST.test(code))
}

/** Whether the database can't serve a request now: it is away, too slow, or refuses the login. */
export function isUnavailable(error: unknown): boolean {
  return someCode(error, (code) => AWAY.test(code) || LOGIN_REFUSED.test(code) || code === TRANSACTION_TIMEOUT)
}

/** Whether a statement was cancelled because its client had disconnected. */
export function isCancelled(error: unknown): boolean {
  return someCode(error, (code) => code === CANCELLED)
}

/** Prisma and its adapter put the original error under one of these names. */
const CAUSES = ['cause', 'meta', 'driverAdapterError']
/** The adapter moves PostgreSQL's code to the second name. */
const CODES = ['code', 'originalCode']

function someCode(error: unknown, matches: (code: string) => boolean): boolean {
  if (!(error instanceof Object)) return false
  const hasMatch = CODES.some((name) => {
    const code: unknown = Reflect.get(error, name)
    return typeof code === 'string' && matches(code)
  })
  return hasMatch || CAUSES.some((name) => someCode(Reflect.get(error, name), matches))
}
