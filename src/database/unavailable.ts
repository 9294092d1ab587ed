import { CANCELLED } from './cancellation.ts'

/**
 * SQLSTATE classes of failures that can pass: connection exception, insufficient resources, operator intervention (statement
 * timeout, shutdown). Also the codes of a serialization failure and of a deadlock, and Prisma's code for both.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const TRANSIENT = /^((08|53|57)...|40001|40P01|P2034)$/

/** SQLSTATE classes of a connection that can't be used again: it was lost, or PostgreSQL ended the session. */
const CONNECTION_LOST = /^(08|57P)/

/**
 * SQLSTATEs of a statement that a concurrent change made fail: a deadlock, or a conflict that PostgreSQL can't serialize, for
 * example with the recovery of a replica.
 */
const CONFLICT = /^40(001|P01)$/

/** SQLSTATE classes of a refused login, and of a database that does not exist. */
const LOGIN_REFUSED = /^(28|3D)...$/

/** Prisma's code for a transaction that did not start in time, or took too long. */
const TRANSACTION_TIMEOUT = 'P2028'

/** Whether the database, or the connection to it, failed for a reason that can pass without a change of the configuration. */
export function isTransient(error: unknown): boolean {
  return someCode(error, (code) => TRANSIENT.test(code))
}

/** Whether a concurrent change made the statement fail. The same statement can succeed now. */
export function isConflict(error: unknown): boolean {
  return someCode(error, (code) => CONFLICT.test(code))
}

/** Whether the error says that the connection was lost. */
export function isConnectionLost(error: unknown): boolean {
  return someCode(error, (code) => CONNECTION_LOST.test(code))
}

/** Whether the database can't serve a request now: the failure can pass, a transaction took too long, or the login is refused. */
export function isUnavailable(error: unknown): boolean {
  return someCode(error, (code) => TRANSIENT.test(code) || LOGIN_REFUSED.test(code) || code === TRANSACTION_TIMEOUT)
}

/** Whether a statement was cancelled because its client had disconnected. */
export function isCancelled(error: unknown): boolean {
  return someCode(error, (code) => code === CANCELLED)
}

/** Prisma and its adapter store the original error under one of these names. */
const CAUSES = ['cause', 'meta', 'driverAdapterError']
/** The names of the code. The adapter moves PostgreSQL's code to the second name. */
const CODES = ['code', 'originalCode']

function someCode(error: unknown, matches: (code: string) => boolean): boolean {
  if (!(error instanceof Object)) return false
  const hasMatch = CODES.some((name) => {
    const code: unknown = Reflect.get(error, name)
    return typeof code === 'string' && matches(code)
  })
  return hasMatch || CAUSES.some((name) => someCode(Reflect.get(error, name), matches))
}
