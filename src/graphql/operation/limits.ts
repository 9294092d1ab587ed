import { type DocumentNode, visit } from 'graphql'
import { CatalogError, validationFailed } from '../../errors.ts'
import type { OperationSize } from './cost.ts'

/** Limits on an operation. An operation that exceeds one is refused before any SQL runs, and the message names the limit. */
export const LIMITS = {
  /** Weighted fields in the response (cost.ts). */
  cost: 25_000,
  /** Nesting depth of fields. */
  depth: 12,
  /** Aliases in the whole document, except those of lookups. */
  aliases: 50,
  /** Aliases of fields with an argument `id` in the whole document. Gateways send many lookups by id as one operation. */
  lookups: 100,
  /** Directives in the whole document. */
  directives: 50,
  /** Lexical tokens. A deeply nested document would overflow the parser's stack. A hundred lookups fit into this limit. */
  tokens: 4_000,
  /** Bytes of the document. */
  bytes: 50_000,
  /** Milliseconds of execution. */
  timeMs: 15_000,
} as const

/** The number of aliases, lookups and directives in a document. */
export interface DocumentCounts {
  aliases: number
  lookups: number
  directives: number
}

export function countAliasesAndDirectives(document: DocumentNode): DocumentCounts {
  const counts = { aliases: 0, lookups: 0, directives: 0 }
  visit(document, {
    Field: ({ alias, arguments: args }) => {
      if (alias) counts[args?.some(({ name }) => name.value === 'id') ? 'lookups' : 'aliases'] += 1
    },
    Directive: () => {
      counts.directives += 1
    },
  })
  return counts
}

/** `VALIDATION_FAILED` for the first limit that an operation exceeds; undefined if it exceeds none. */
export function findExcess(measured: OperationSize & DocumentCounts): CatalogError | undefined {
  for (const name of ['aliases', 'lookups', 'directives', 'depth', 'cost'] as const) {
    if (measured[name] > LIMITS[name]) {
      return limitExceeded(name, `must be at most ${LIMITS[name]}, but this operation has ${measured[name]}`)
    }
  }
  return undefined
}

/** `VALIDATION_FAILED` for a document with too many bytes; undefined for any other. */
export function findExcessLength(document: string): CatalogError | undefined {
  if (Buffer.byteLength(document) <= LIMITS.bytes) return undefined
  return limitExceeded('query', `must be at most ${LIMITS.bytes} bytes long`)
}

function limitExceeded(field: string, message: string): CatalogError {
  return validationFailed([{ field, message }])
}

/**
 * The result of an execution, if it settles within `timeMs`. It does not stop the statements of a slow execution: they have
 * their own timeout in the database.
 * @throws `SERVICE_UNAVAILABLE` after that time
 */
export function withinTime<Result>(execution: Promise<Result>, timeMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new CatalogError('SERVICE_UNAVAILABLE', `The operation took longer than ${timeMs} ms`, {
          retryAfterSeconds: 1,
        }),
      )
    }, timeMs)
    execution.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
