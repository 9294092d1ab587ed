import { parse } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { CatalogError } from '../errors.ts'
import type { GraphQLContext } from './builder.ts'
import { catalogErrorOf, graphqlErrorOf } from './error.ts'
import { schema } from './schema.ts'

/** A document of more tokens is refused; a deeply nested one would exhaust the stack of the parser. */
const MAX_TOKENS = 2_000

/**
 * GraphQL over HTTP, for callers that have been authenticated.
 * @param report is told of every error that is not the client's.
 */
export function createGraphQL(report: (error: CatalogError) => void) {
  return createYoga<GraphQLContext>({
    schema,
    graphqlEndpoint: '/graphql',
    plugins: [limitTokens, codeValidationErrors],
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

const limitTokens: Plugin = {
  onParse: ({ setParseFn }) => {
    setParseFn((source: string, options?: object) => parse(source, { ...options, maxTokens: MAX_TOKENS }))
  },
}

/** What is wrong with a document is told with our code, as all else is. */
const codeValidationErrors: Plugin = {
  onValidate:
    () =>
    ({ result, setResult }) =>
      setResult(result.map(graphqlErrorOf)),
}
