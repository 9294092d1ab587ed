import { GraphQLError, Kind, TokenKind } from 'graphql'
import { isCancelled, isStatementTimeout, isTurnTimeout, isUnavailable } from '../database/client.ts'
import { CatalogError, refused, shorten } from '../errors/errors.ts'

/**
 * Converts anything that was thrown to an error that a client may see. A GraphQLError without a cause is about the client's
 * document or variables: `VALIDATION_FAILED`, with the bad variable or argument in `details`. Any other error becomes
 * `SERVICE_UNAVAILABLE` if a retry may help, or else `INTERNAL_ERROR`. Its own text is not shown.
 */
export function catalogErrorOf(error: unknown): CatalogError {
  if (error instanceof CatalogError) return error
  if (error instanceof GraphQLError) {
    const { originalError } = error
    // The error of a variable contains the error of its value, which does not name the variable.
    const isOfVariable = originalError instanceof GraphQLError && !(originalError instanceof CatalogError)
    return originalError && !isOfVariable ? catalogErrorOf(originalError) : invalidRequest(error)
  }
  // The client has disconnected. This is not a fault, so the error has no cause that would be logged.
  if (isCancelled(error)) return refused('cancelled')
  // Its key sends too much. This is no fault either, and a log line for each statement would let one key fill the log.
  if (isTurnTimeout(error)) return refused('turn')
  if (isStatementTimeout(error)) return refused('statement', error)
  if (isUnavailable(error)) return refused('database', error)
  return new CatalogError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: error })
}

/**
 * Converts anything that was thrown to an entry of a response's `errors`. It has the code and message of `catalogErrorOf`, and
 * the location and path of the original. Errors of persisted documents stay unchanged.
 */
export function graphqlErrorOf(error: unknown): GraphQLError {
  if (isPersistedDocumentError(error)) return error
  const originalError = catalogErrorOf(error)
  const { message, extensions } = originalError
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions, originalError })
  const { nodes, source, positions, path } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions, originalError })
}

function invalidRequest(error: GraphQLError): CatalogError {
  const message = shorten(error.message)
  const field = parameterOf(error)
  return new CatalogError(
    'VALIDATION_FAILED',
    message,
    field === undefined ? {} : { details: [{ field: shorten(field), message }] },
  )
}

/** The name of the variable or argument that an error of graphql-js is about; undefined if it is about neither. */
function parameterOf({ nodes }: GraphQLError): string | undefined {
  const [node] = nodes ?? []
  if (node?.kind === Kind.VARIABLE_DEFINITION) return node.variable.name.value
  if (node?.kind === Kind.ARGUMENT) return node.name.value
  // A literal comes after the name of its argument and a colon.
  const before = node?.loc?.startToken.prev
  return before?.kind === TokenKind.COLON ? before.prev?.value : undefined
}

/** Clients such as Apollo know these codes and act on them (api/graphql/yoga.ts). */
function isPersistedDocumentError(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && String(error.extensions.code).startsWith('PERSISTED_QUERY')
}
