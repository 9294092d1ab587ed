import { createYoga, type Plugin } from 'graphql-yoga'
import type { ReadCatalog } from '../catalog/snapshot/snapshot-reader.ts'
import type { CatalogError } from '../errors.ts'
import type { GraphQLContext } from './builder.ts'
import { catalogErrorOf, graphqlErrorOf } from './errors.ts'
import { limitOperations } from './limits.ts'
import { inOperationSpan } from './operation-span.ts'
import { documentsById, type TrustedDocuments } from './persisted-documents.ts'
import { schema } from './schema.ts'

/**
 * GraphQL over HTTP, for callers that have been authenticated.
 * @param report is told of every error that is not the client's.
 * @param trusted are the only documents to run, where there are any.
 */
export function createGraphQL(report: (error: CatalogError) => void, trusted?: TrustedDocuments) {
  return createYoga<{ readCatalog: ReadCatalog }>({
    schema,
    graphqlEndpoint: '/graphql',
    plugins: [documentsById(trusted), readSnapshot, limitOperations(), codeValidationErrors],
    extraParamNames: ['documentId'],
    maskedErrors: {
      maskError: (error) => {
        const known = catalogErrorOf(error)
        if (known.cause !== undefined) report(known)
        return graphqlErrorOf(error)
      },
    },
    // The page is served by the server, which answers preflight requests too; errors are reported above.
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    logging: false,
  })
}

/** What is wrong with a document is told with our code, as all else is. */
const codeValidationErrors: Plugin = {
  onValidate:
    () =>
    ({ result, setResult }) =>
      setResult(result.map(graphqlErrorOf)),
}

/** Runs an operation on the catalog as it is at one moment. It stands before the limits, so that its time counts too. */
const readSnapshot: Plugin<{ readCatalog: ReadCatalog }> = {
  onExecute: ({ executeFn, setExecuteFn }) => {
    setExecuteFn(({ contextValue, ...args }) =>
      contextValue
        .readCatalog((catalog: GraphQLContext['catalog']) =>
          inOperationSpan(args.operationName, async () => executeFn({ ...args, contextValue: { catalog } })),
        )
        .then(({ result }: { result: unknown }) => result),
    )
  },
}
