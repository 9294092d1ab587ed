import { createYoga, type Plugin } from 'graphql-yoga'
import type { ReadCatalog } from '../../catalog/snapshot-reader.ts'
import { graphqlErrorOf } from '../errors.ts'
import { createDocumentStore, type PrepareOptions } from '../operation/documents.ts'
import { type Executed, execute } from '../operation/execute.ts'
import { schema } from '../schema.ts'
import { persistedDocuments, type RegisteredDocuments, type TrustedDocuments } from './persisted-documents.ts'
import type { GraphQLParams } from './protocol.ts'

/** Executes the operation of a request to /graphql. Errors are in the result. */
type ExecuteParams = (params: GraphQLParams, readCatalog: ReadCatalog) => Promise<Executed>

interface YogaContext {
  readCatalog: ReadCatalog
  /** Set by `executeOperation` and read by the adapter, because Yoga returns only the result. */
  executed?: Executed
}

interface YogaOptions extends PrepareOptions {
  /** If given, no other documents are executed. */
  trusted?: TrustedDocuments | undefined
  registered?: RegisteredDocuments | undefined
}

/**
 * Creates the function that executes requests through Yoga and its plugins. It does not use Yoga's Request and Response objects,
 * because they take longer than the rest of a small request (docs/decisions/0007-yoga-without-fetch.md). The server reads the
 * parameters and writes the response.
 */
export function createYogaAdapter({ trusted, registered, ...options }: YogaOptions): ExecuteParams {
  const yoga = createYoga<YogaContext>({
    schema: options.schema ?? schema,
    plugins: [persistedDocuments(trusted, registered), executeOperation(options)],
    extraParamNames: ['documentId'],
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    logging: false,
  })
  // Yoga gives a request to its plugins. Ours do not read it.
  const request = new yoga.fetchAPI.Request('http://localhost/graphql')
  return async (params, readCatalog) => {
    const context: YogaContext = { readCatalog }
    try {
      await yoga.getResultForParams({ params, request }, context)
    } catch (error) {
      return { result: { errors: [graphqlErrorOf(error)] }, print: JSON.stringify }
    }
    if (!context.executed) throw new TypeError('Yoga executed no operation')
    return context.executed
  }
}

/** A plugin that replaces Yoga's execution with `execute`, which REST uses too. */
function executeOperation(options: PrepareOptions): Plugin<object, YogaContext> {
  const findDocument = createDocumentStore(options)
  return {
    onParams: ({ setParamsHandler }) =>
      setParamsHandler(async ({ params, context }) => {
        const { query = '', operationName, variables, extensions } = params
        const request = { operationName, variables, showsCost: extensions?.cost === true }
        context.executed = await execute(findDocument(query), request, context.readCatalog)
        return context.executed.result
      }),
  }
}
