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

/** Whether an error, or anything that caused it, says that the database is away or too slow. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Object)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const original = 'originalCode' in error && typeof error.originalCode === 'string' ? error.originalCode : ''
  const message = 'message' in error && typeof error.message === 'string' ? error.message : ''
  return (
    PRISMA_CODES.has(code) ||
    SQLSTATE_CLASSES.test(code) ||
    SQLSTATE_CLASSES.test(original) ||
    SOCKET_CODES.test(code) ||
    MESSAGES.test(message) ||
    ('cause' in error && isUnavailable(error.cause)) ||
    ('meta' in error && isUnavailable(error.meta)) ||
    ('driverAdapterError' in error && isUnavailable(error.driverAdapterError))
  )
}
