import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  validateExecutionArgs,
} from 'graphql'
import { collectSubfields, type FieldDetailsList } from 'graphql/execution/collectFields'
import { createSharedExecutionContext } from 'graphql/execution/createSharedExecutionContext'
import { Executor } from 'graphql/execution/Executor'

/**
 * Executes a document as graphql-js's `execute` does, in half of the time (docs/decisions/0011-at-the-floor.md). The schema has
 * no @defer and no @stream, and our resolvers read no AbortSignal: database/cancellation.ts cancels their statements.
 */
export function runDocument(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  const validated = validateExecutionArgs(args)
  if (!('schema' in validated)) return { errors: validated }
  // Otherwise graphql-js would create an AbortController, and abort it after the execution.
  const shared = createSharedExecutionContext(undefined)
  return new PlainExecutor(validated, shared).executeRootSelectionSet()
}

type ResponsePath = GraphQLResolveInfo['path']
type Subfields = ReturnType<typeof collectSubfields> & { type: GraphQLObjectType }

class PlainExecutor extends Executor {
  /** graphql-js uses nested WeakMaps, which take long to collect as garbage. */
  readonly #subfields = new Map<FieldDetailsList, Subfields>()

  override collectAndExecuteSubfields(
    type: GraphQLObjectType,
    fields: FieldDetailsList,
    path: ResponsePath,
    source: unknown,
  ) {
    let subfields = this.#subfields.get(fields)
    if (subfields?.type !== type) {
      const { schema, fragments, variableValues, hideSuggestions } = this.validatedExecutionArgs
      subfields = { ...collectSubfields(schema, fragments, variableValues, type, fields, hideSuggestions), type }
      this.#subfields.set(fields, subfields)
    }
    return this.executeFields(type, source, path, subfields.groupedFieldSet, undefined)
  }
}
