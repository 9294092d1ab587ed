import { STATEMENT_CANCELLED } from './cancellation.ts'

/** Prisma's codes for a database that is away, out of connections or too slow; P2010 is a raw query that failed. */
const PRISMA_CODES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
])

/** SQLSTATE classes: connection, out of resources, operator intervention (statement timeout, shutdown). */
const SQLSTATE_CLASSES = /^(08|53|57)/

const SOCKET_CODES = /^(ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/

/** pg gives these no code. */
const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error/

/** What is said of a statement that was cancelled, or not sent, because nobody waits for it (waiter.ts). */
const CANCELLED = new RegExp(`${STATEMENT_CANCELLED}|canceling statement due to user request`)

/** Whether an error, or anything that caused it, says that the database is away or too slow. */
export function isUnavailable(error: unknown): boolean {
  return someCause(error, (cause) => {
    const code = textOf(cause, 'code')
    return (
      PRISMA_CODES.has(code) ||
      SQLSTATE_CLASSES.test(code) ||
      SQLSTATE_CLASSES.test(textOf(cause, 'originalCode')) ||
      SOCKET_CODES.test(code) ||
      MESSAGES.test(textOf(cause, 'message'))
    )
  })
}

/** Whether an error, or anything that caused it, is that its asker has gone. */
export function isCancelled(error: unknown): boolean {
  return someCause(error, (cause) => CANCELLED.test(textOf(cause, 'message')))
}

/** Prisma and its adapter put what happened under one of these names. */
const CAUSES = ['cause', 'meta', 'driverAdapterError']

function someCause(error: unknown, is: (cause: object) => boolean): boolean {
  if (!(error instanceof Object)) return false
  return is(error) || CAUSES.some((name) => someCause(Reflect.get(error, name), is))
}

function textOf(error: object, name: string): string {
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : ''
}
