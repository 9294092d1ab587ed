import { GraphQLError } from 'graphql'
import { isUnavailable } from '../database/unavailable.ts'
import { CatalogError, serviceUnavailable } from '../errors.ts'

/**
 * What a client may know of anything that was thrown. GraphQL's own errors speak of the client's document and variables;
 * of all others that are not ours nothing shows but whether to try again.
 */
export function catalogErrorOf(error: unknown): CatalogError {
  if (error instanceof CatalogError) return error
  if (error instanceof GraphQLError) {
    if (isOfHttp(error)) return new CatalogError('VALIDATION_FAILED', error.message)
    return error.originalError
      ? catalogErrorOf(error.originalError)
      : new CatalogError('VALIDATION_FAILED', error.message)
  }
  if (isUnavailable(error)) return serviceUnavailable(error)
  return new CatalogError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: error })
}

/** Whether Yoga says that a request is not GraphQL over HTTP; it notes the status to answer with. */
function isOfHttp({ extensions: { http } }: GraphQLError): boolean {
  return typeof http === 'object' && http !== null && 'status' in http && Number(http.status) < 500
}

/** The same as an entry of a GraphQL response's `errors`: where in the document it happened is kept. */
export function graphqlErrorOf(error: unknown): GraphQLError {
  const { message, extensions } = catalogErrorOf(error)
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes, source, positions, path } = error
  // Yoga finds the HTTP status of its own errors here, and leaves it out of the response.
  const { http } = error.extensions
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...extensions, ...(http && { http }) },
  })
}
