import { type DocumentNode, visit } from 'graphql'
import { CatalogError, validationFailed } from '../../errors.ts'
import type { OperationSize } from './cost.ts'

/** Limits on an operation. One beyond them is refused before any SQL, with the limit in the message. */
export const LIMITS = {
  /** Weighted fields in the response (cost.ts). */
  cost: 25_000,
  /** Nesting depth of fields. */
  depth: 12,
  /** Aliases in the whole document. */
  aliases: 50,
  /** Directives in the whole document. */
  directives: 50,
  /** Lexical tokens. A deeply nested document would overflow the parser's stack. */
  tokens: 2_000,
  /** Bytes of the document. */
  bytes: 50_000,
  /** Milliseconds of execution. */
  timeMs: 15_000,
} as const

/** The number of aliases and directives in a document. */
export interface NameCounts {
  aliases: number
  directives: number
}

/** Counts the aliases and directives of a document. */
export function countNames(document: DocumentNode): NameCounts {
  const counts = { aliases: 0, directives: 0 }
  visit(document, {
    Field: ({ alias }) => {
      if (alias) counts.aliases += 1
    },
    Directive: () => {
      counts.directives += 1
    },
  })
  return counts
}

/** `VALIDATION_FAILED` for the first limit that an operation exceeds; undefined where it exceeds none. */
export function findExcess(measured: OperationSize & NameCounts): CatalogError | undefined {
  for (const name of ['aliases', 'directives', 'depth', 'cost'] as const) {
    if (measured[name] > LIMITS[name]) {
      return beyond(name, `of the operation is ${measured[name]} and must be at most ${LIMITS[name]}`)
    }
  }
  return undefined
}

/** `VALIDATION_FAILED` for a document of too many bytes; undefined for others. */
export function findExcessLength(document: string): CatalogError | undefined {
  if (Buffer.byteLength(document) <= LIMITS.bytes) return undefined
  return beyond('query', `must be at most ${LIMITS.bytes} bytes long`)
}

function beyond(field: string, message: string): CatalogError {
  return validationFailed([{ field, message }])
}

/**
 * The result of an execution, if it settles within `timeMs`. The database ends its statements by a timeout of its own.
 * @throws `SERVICE_UNAVAILABLE` after that time
 */
export async function withinTime<Result>(execution: Result | Promise<Result>, timeMs: number): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(
      new CatalogError('SERVICE_UNAVAILABLE', `The operation took longer than ${timeMs} ms`, {
        retryAfterSeconds: 1,
      }),
    )
  }, timeMs)
  try {
    return await Promise.race([execution, timeout])
  } finally {
    clearTimeout(timer)
  }
}
