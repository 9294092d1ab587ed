import { GraphQLError } from 'graphql'
import { isCancelled, isUnavailable } from '../database/unavailable.ts'
import { CatalogError, ERROR_CODES, serviceUnavailable } from '../errors.ts'

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
  // Its asker has gone, or an operator has cancelled it: nothing that the log should tell of.
  if (isCancelled(error))
    return new CatalogError('SERVICE_UNAVAILABLE', 'The request was given up; try again', { retryAfterSeconds: 1 })
  if (isUnavailable(error)) return serviceUnavailable(error)
  return new CatalogError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: error })
}

/**
 * What HTTP should make of an error; Yoga reads it, and leaves it out of the response. `spec` gives errors of a document the
 * status 200 in application/json; what is no GraphQL request at all is a 400 there too (GraphQL over HTTP, 6.4.1). When the
 * service is away there is no answer, so the status says so.
 */
function httpOf(error: unknown, { code, retryAfterSeconds }: CatalogError) {
  const isOfField = error instanceof GraphQLError && error.path !== undefined
  if (code === 'SERVICE_UNAVAILABLE' && !isOfField) {
    return { status: ERROR_CODES[code], headers: { 'retry-after': String(retryAfterSeconds) } }
  }
  if (!(error instanceof GraphQLError)) return undefined
  const { extensions, locations } = error
  const { http } = extensions
  return typeof http === 'object' && http !== null && !locations ? { ...http, spec: false } : http
}

/** Clients act upon these codes, which are not ours but of the ecosystem (documents.ts). */
function isOfDocumentId(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && String(error.extensions.code).startsWith('PERSISTED_QUERY')
}

/** Whether Yoga says that a request is not GraphQL over HTTP; it notes the status to answer with. */
function isOfHttp({ extensions: { http } }: GraphQLError): boolean {
  return typeof http === 'object' && http !== null && 'status' in http && Number(http.status) < 500
}

/** The same as an entry of a GraphQL response's `errors`: where in the document it happened is kept. */
export function graphqlErrorOf(error: unknown): GraphQLError {
  if (isOfDocumentId(error)) return error
  const known = catalogErrorOf(error)
  const http = httpOf(error, known)
  const extensions = { ...known.extensions, ...(http !== undefined && { http }) }
  if (!(error instanceof GraphQLError)) return new GraphQLError(known.message, { extensions })
  const { nodes, source, positions, path } = error
  return new GraphQLError(known.message, { nodes, source, positions, path, extensions })
}
