import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import type { ReadLog } from '../../catalog/snapshot/read-log.ts'
import type { ReadCatalog } from '../../catalog/snapshot-reader.ts'
import { CatalogError } from '../../errors.ts'
import { inSpan } from '../../tracing.ts'
import type { GraphQLContext } from '../builder.ts'
import { graphqlErrorOf } from '../errors.ts'
import { measureOperation } from './cost.ts'
import type { InvalidDocument, PreparedDocument } from './documents.ts'
import { findExcess, LIMITS } from './limits.ts'
import { printJson } from './placeholders.ts'
import { runDocument } from './run-document.ts'

/** The parameters of a request, except its document. */
export interface OperationRequest {
  operationName?: string | null | undefined
  variables?: Readonly<Record<string, unknown>> | null | undefined
  /** Whether the response has the operation's cost in its `extensions`. */
  showsCost?: boolean
}

/** The outcome of an operation. */
export interface Executed {
  /** Its errors have codes (errors.ts). */
  result: ExecutionResult
  /** Prints the result, or a part of it, as JSON. */
  print: (value: object) => string
  /** What the result depends on; absent if nothing was read. */
  readLog?: ReadLog
  /** Whether the operation is a mutation. It is refused, because the schema has none. */
  isMutation?: boolean
}

/**
 * Executes an operation on one snapshot of the catalog. All requests for data use it: every REST route, and /graphql with a
 * document or with the id of one. Errors of the operation are in the result.
 * @throws the errors of `readCatalog`, for example when the database is unreachable or there are too many requests
 */
export async function execute(
  prepared: PreparedDocument | InvalidDocument,
  { operationName, variables, showsCost = false }: OperationRequest,
  readCatalog: ReadCatalog,
): Promise<Executed> {
  const operation = prepared.document && getOperationAST(prepared.document, operationName)
  if ('errors' in prepared)
    return { ...refused(prepared.errors), isMutation: operation?.operation === OperationTypeNode.MUTATION }
  const { fragments, counts, executable } = prepared
  if (!operation) return refused([invalid('operationName must name an operation of the document')])
  if (operation.operation !== OperationTypeNode.QUERY) return refused([invalid('The catalog has queries only')])
  const size = measureOperation(operation, { schema: executable.schema, fragments, variables: variables ?? {} })
  const excess = findExcess({ ...size, ...counts })
  if (excess) return refused([excess])

  const { result, readLog } = await readCatalog((catalog) => {
    const contextValue: GraphQLContext = { catalog, rawJson: [] }
    const run = async () => {
      const executed = await runDocument({ ...executable, variableValues: variables, operationName, contextValue })
      return { executed, rawJson: contextValue.rawJson }
    }
    return inOperationSpan(operationName, run)
  })
  const { errors, ...rest } = result.executed
  const cost = { requested: size.cost, maximum: LIMITS.cost }
  return {
    result: {
      ...(errors && { errors: errors.map(graphqlErrorOf) }),
      ...rest,
      ...(showsCost && { extensions: { cost } }),
    },
    print: (value) => printJson(value, result.rawJson),
    readLog,
  }
}

function refused(errors: readonly Error[]): Executed {
  return { result: { errors: errors.map(graphqlErrorOf) }, print: (value) => printJson(value, []) }
}

function invalid(message: string): CatalogError {
  return new CatalogError('VALIDATION_FAILED', message)
}

/** Traces an operation under the name that OpenTelemetry's conventions for GraphQL give it. */
function inOperationSpan<Result>(name: string | null | undefined, run: () => Promise<Result>): Promise<Result> {
  const attributes = { 'graphql.operation.type': 'query', ...(name && { 'graphql.operation.name': name }) }
  return inSpan('graphql query', { attributes }, run)
}
