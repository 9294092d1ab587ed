import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLLeafType,
  type GraphQLObjectType,
  getOperationAST,
  OperationTypeNode,
  validateExecutionArgs,
} from 'graphql'
import { ensureGraphQLError } from 'graphql/error/ensureGraphQLError'
import {
  collectFields,
  collectSubfields,
  type FieldDetailsList,
  type GroupedFieldSet,
} from 'graphql/execution/collectFields'
import { createSharedExecutionContext } from 'graphql/execution/createSharedExecutionContext'
import { Executor } from 'graphql/execution/Executor'
import type { RawJson } from '../../catalog/models.ts'
import type { ReadLog } from '../../catalog/snapshot/read-log.ts'
import type { ReadCatalog } from '../../catalog/snapshot-reader.ts'
import { CatalogError } from '../../errors/errors.ts'
import { compactJson } from '../../json.ts'
import { inSpan } from '../../tracing.ts'
import type { GraphQLContext } from '../builder.ts'
import { graphqlErrorOf } from '../errors.ts'
import { measureOperation } from './cost.ts'
import type { CollectedFields, InvalidDocument, PreparedDocument } from './documents.ts'
import { findExcess, LIMITS, limitExceeded } from './limits.ts'
import { placeholderFor, printJson } from './placeholders.ts'

/** The parameters of a request, except its document. */
interface OperationRequest {
  operationName?: string | null | undefined
  variables?: Readonly<Record<string, unknown>> | null | undefined
  /** Whether the response has the operation's cost in its `extensions`. */
  showsCost?: boolean
}

/** The result of an operation. Its errors have codes (errors.ts). */
export interface Executed extends ExecutionResult {
  /** Prints the result, or a part of it, as JSON. */
  print: (value: object) => RawJson
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
  const { schema, document, fragments, projections } = prepared
  const known = operation && prepared.operations.get(operation)
  if (!known) return refused([invalid('operationName must name an operation of the document')])
  const size =
    known.isAlwaysSmall && !showsCost
      ? undefined
      : measureOperation(operation, { schema, fragments, variables: variables ?? {} })
  const excess = size && findExcess(size)
  if (excess) return refused([excess])

  const { result, readLog } = await readCatalog((catalog) => {
    const contextValue: GraphQLContext = { catalog, projections }
    const args = { schema, document, variableValues: variables, operationName, contextValue }
    return inOperationSpan(operationName, () => runDocument(args, known.collected))
  })
  const { errors, data } = result.executed
  return {
    ...(errors && { errors: errors.map(graphqlErrorOf) }),
    ...(data !== undefined && { data }),
    ...(showsCost && size && { extensions: { cost: { requested: size.cost, maximum: LIMITS.cost } } }),
    print: (value) => printJson(value, result.texts),
    readLog,
  }
}

function refused(errors: readonly Error[]): Executed {
  return { errors: errors.map(graphqlErrorOf), print: (value) => printJson(value, []) }
}

function invalid(message: string): CatalogError {
  return new CatalogError('VALIDATION_FAILED', message)
}

/** Traces an operation under the name that OpenTelemetry's conventions for GraphQL give it. */
function inOperationSpan<Result>(name: string | null | undefined, run: () => Promise<Result>): Promise<Result> {
  const attributes = { 'graphql.operation.type': 'query', ...(name && { 'graphql.operation.name': name }) }
  return inSpan('graphql query', { attributes }, run)
}

/**
 * Executes a document as graphql-js's `execute` does, and measures the response. The schema has no @defer and no @stream, and our
 * resolvers read no AbortSignal: database/cancellation.ts cancels their statements.
 * @returns only the error `VALIDATION_FAILED` if the response becomes too large
 */
async function runDocument(
  args: ExecutionArgs,
  collected: CollectedFields | undefined,
): Promise<{ executed: ExecutionResult; texts: readonly RawJson[] }> {
  const validated = validateExecutionArgs(args)
  if (!('schema' in validated)) return { executed: { errors: validated }, texts: [] }
  // Otherwise graphql-js would create an AbortController, and abort it after the execution.
  const shared = createSharedExecutionContext(undefined)
  const executor = new CatalogExecutor(validated, shared)
  executor.collected = collected
  const executed = await executor.run()
  const { size, texts } = executor
  return { executed: size.excess ? { errors: [size.excess] } : executed, texts }
}

/** The size of a response, while it is made. */
export class ResponseSize {
  /** `VALIDATION_FAILED` once the response has exceeded a limit. */
  excess: CatalogError | undefined
  #objects = 0
  #characters = 0

  /** @throws `VALIDATION_FAILED` */
  addObject(): void {
    this.#objects += 1
    if (this.#objects > LIMITS.objects) this.#refuse('objects')
  }

  /** @throws `VALIDATION_FAILED` */
  addText(characters: number): void {
    this.#characters += characters
    if (this.#characters > LIMITS.characters) this.#refuse('characters')
  }

  #refuse(name: 'objects' | 'characters'): never {
    this.excess ??= limitExceeded(name, `must be at most ${LIMITS[name]} in a response; ask for less in one operation`)
    throw this.excess
  }
}

type Complete = Parameters<Executor['completeValue']>

/** Measures the response, and takes JSON of PostgreSQL as it is. */
class CatalogExecutor extends Executor {
  readonly size = new ResponseSize()
  collected: CollectedFields | undefined
  /** The texts that placeholders in the result stand for. */
  readonly texts: RawJson[] = []

  /**
   * Executes a query as `executeRootSelectionSet` does, without the promises that an AbortSignal can reject: with their tracker, they take a
   * quarter of the processor time of an item.
   */
  async run(): Promise<ExecutionResult> {
    const { schema, rootValue, operation } = this.validatedExecutionArgs
    const type = schema.getRootType(operation.operation)
    if (!type) throw new TypeError('The schema has no queries')
    try {
      const data = await this.executeFields(type, rootValue, undefined, this.#rootFields(type), undefined)
      return this.finish(this.buildResponse(data))
    } catch (error) {
      this.collectedErrors.add(ensureGraphQLError(error), undefined)
      return this.finish(this.buildResponse(null))
    }
  }

  #rootFields(type: GraphQLObjectType): GroupedFieldSet {
    if (this.collected?.root) return this.collected.root
    const { schema, fragments, variableValues, operation, hideSuggestions } = this.validatedExecutionArgs
    const { groupedFieldSet } = collectFields(
      schema,
      fragments,
      variableValues,
      type,
      operation.selectionSet,
      hideSuggestions,
    )
    if (this.collected) this.collected.root = groupedFieldSet
    return groupedFieldSet
  }

  override collectAndExecuteSubfields(
    ...[type, list, path, result, position]: Parameters<Executor['collectAndExecuteSubfields']>
  ) {
    this.size.addObject()
    if (!this.collected) return super.collectAndExecuteSubfields(type, list, path, result, position)
    return this.executeFields(type, result, path, this.#fieldsOf(type, list, this.collected), position)
  }

  #fieldsOf(type: GraphQLObjectType, list: FieldDetailsList, { ofObject }: CollectedFields): GroupedFieldSet {
    const known = ofObject.get(list)
    if (known?.type === type) return known.fields
    const { schema, fragments, variableValues, hideSuggestions } = this.validatedExecutionArgs
    const { groupedFieldSet } = collectSubfields(schema, fragments, variableValues, type, list, hideSuggestions)
    // An object may be of several types if a field returns an interface. The fields of the first type are kept.
    if (!known) ofObject.set(list, { type, fields: groupedFieldSet })
    return groupedFieldSet
  }

  // With its own parameters, because a rest parameter would take 5 % of the time of an operation with many fields.
  override completeValue(
    type: Complete[0],
    list: Complete[1],
    info: Complete[2],
    path: Complete[3],
    result: unknown,
    position: Complete[5],
  ): ReturnType<Executor['completeValue']> {
    if (result instanceof Object && 'written' in result && isRawJson(result.written)) return this.#place(result.written)
    return super.completeValue(type, list, info, path, result, position)
  }

  override completeLeafValue(type: GraphQLLeafType, result: unknown): unknown {
    const value = super.completeLeafValue(type, result)
    if (typeof value !== 'string') return value
    if (type.name === 'JSONObject') return this.#place(compactJson(value))
    this.size.addText(value.length)
    return value
  }

  /** Bytes count as characters: they take as much memory. */
  #place(json: RawJson): string {
    this.size.addText(json.length)
    return placeholderFor(json, this.texts)
  }
}

function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'string' || Buffer.isBuffer(value)
}
