import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  validateExecutionArgs,
} from 'graphql'
import { collectSubfields, type FieldDetailsList } from 'graphql/execution/collectFields'
import { createSharedExecutionContext } from 'graphql/execution/createSharedExecutionContext'
import { Executor } from 'graphql/execution/Executor'
import type { GraphQLContext } from '../builder.ts'
import { ResponseSize } from './limits.ts'

/** What a document is executed with. */
interface RunArgs extends ExecutionArgs {
  contextValue: GraphQLContext
}

/**
 * Executes a document as graphql-js's `execute` does, in half of the time (docs/decisions/0011-at-the-floor.md). The schema has
 * no @defer and no @stream, and our resolvers read no AbortSignal: database/cancellation.ts cancels their statements.
 * @returns only the error `VALIDATION_FAILED` if the response becomes too large (limits.ts)
 */
export async function runDocument(args: RunArgs): Promise<ExecutionResult> {
  const validated = validateExecutionArgs(args)
  if (!('schema' in validated)) return { errors: validated }
  // Otherwise graphql-js would create an AbortController, and abort it after the execution.
  const shared = createSharedExecutionContext(undefined)
  const executor = new PlainExecutor(validated, shared)
  executor.texts = args.contextValue.rawJson
  const result = await executor.executeRootSelectionSet()
  const { excess } = executor.size
  return excess ? { errors: [excess] } : result
}

type ResponsePath = GraphQLResolveInfo['path']
type Subfields = ReturnType<typeof collectSubfields> & { type: GraphQLObjectType }

class PlainExecutor extends Executor {
  /** graphql-js uses nested WeakMaps, which take long to collect as garbage. */
  readonly #subfields = new Map<FieldDetailsList, Subfields>()
  readonly size = new ResponseSize()
  /** The texts that placeholders stand for. */
  texts: readonly string[] = []
  #measuredTexts = 0

  override collectAndExecuteSubfields(
    type: GraphQLObjectType,
    fields: FieldDetailsList,
    path: ResponsePath,
    source: unknown,
  ) {
    this.size.addObject()
    let subfields = this.#subfields.get(fields)
    if (subfields?.type !== type) {
      const { schema, fragments, variableValues, hideSuggestions } = this.validatedExecutionArgs
      subfields = { ...collectSubfields(schema, fragments, variableValues, type, fields, hideSuggestions), type }
      this.#subfields.set(fields, subfields)
    }
    return this.executeFields(type, source, path, subfields.groupedFieldSet, undefined)
  }

  override completeLeafValue(type: GraphQLLeafType, result: unknown): unknown {
    const value = super.completeLeafValue(type, result)
    if (typeof value === 'string') this.size.addText(value.length)
    for (; this.#measuredTexts < this.texts.length; this.#measuredTexts += 1) {
      this.size.addText(this.texts[this.#measuredTexts]?.length ?? 0)
    }
    return value
  }
}
