import { type DocumentNode, getOperationAST, type OperationDefinitionNode, parse, visit } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { CatalogError, validationFailed } from '../errors.ts'
import { measureOperation, type OperationSize } from './cost.ts'
import { graphqlErrorOf } from './errors.ts'
import { fragmentsOf } from './members.ts'
import { schema } from './schema.ts'

/** What a stranger's operation may be, at the most; each is refused before any SQL, with its bound. */
export const LIMITS = {
  /** Fields in the answer, weighed (cost.ts). */
  cost: 25_000,
  /** Levels of fields. */
  depth: 12,
  /** Fields under another name, in the whole document. */
  aliases: 50,
  /** @include, @skip and others, in the whole document. */
  directives: 50,
  /** Words and signs; a deeply nested document would exhaust the stack of the parser. */
  tokens: 2_000,
  /** Bytes of the document. */
  bytes: 50_000,
  /** Milliseconds of execution. */
  timeMs: 15_000,
} as const

/** Refuses documents and operations beyond the limits, and tells the cost of one whose `extensions` say `"cost": true`. */
export function limitOperations(): Plugin {
  return {
    onParams: ({ params }) => {
      if (typeof params.query === 'string' && Buffer.byteLength(params.query) > LIMITS.bytes) {
        throw graphqlErrorOf(beyond('query', `must be at most ${LIMITS.bytes} bytes long`))
      }
    },
    onParse: ({ setParseFn }) => {
      setParseFn((source: string, options?: object) => parse(source, { ...options, maxTokens: LIMITS.tokens }))
    },
    onExecute: ({ args, executeFn, setExecuteFn, setResultAndStopExecution }) => {
      const { document, variableValues, operationName } = args
      const operation = getOperationAST(document, operationName)
      if (!operation) return undefined
      const { size, excess } = measure(document, operation, variableValues ?? {})
      if (excess) {
        setResultAndStopExecution({ errors: [graphqlErrorOf(excess)] })
        return undefined
      }
      setExecuteFn((executed) => withinTime(executeFn(executed), LIMITS.timeMs))
      const { params } = args.contextValue
      if (params?.extensions?.cost !== true) return undefined
      return {
        onExecuteDone: ({ result, setResult }) => {
          if (Symbol.asyncIterator in result) return
          const cost = { requested: size.cost, maximum: LIMITS.cost }
          setResult({ ...result, extensions: { ...result.extensions, cost } })
        },
      }
    },
  }
}

/** The size of a valid operation, and in what it is beyond the limits. */
export function measure(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): { size: OperationSize; excess: CatalogError | undefined } {
  const size = measureOperation(operation, { schema, fragments: fragmentsOf(document), variables })
  return { size, excess: findExcess({ ...size, ...countNames(document) }) }
}

function countNames(document: DocumentNode): { aliases: number; directives: number } {
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

function findExcess(measured: Record<'cost' | 'depth' | 'aliases' | 'directives', number>): CatalogError | undefined {
  for (const name of ['aliases', 'directives', 'depth', 'cost'] as const) {
    if (measured[name] > LIMITS[name])
      return beyond(name, `of the operation is ${measured[name]} and must be at most ${LIMITS[name]}`)
  }
  return undefined
}

function beyond(field: string, message: string): CatalogError {
  return validationFailed([{ field, message }])
}

/**
 * Gives up on an execution that takes too long; the database gives up on its statements by itself.
 * @throws `SERVICE_UNAVAILABLE`
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
