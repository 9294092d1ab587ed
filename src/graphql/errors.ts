import { GraphQLError } from 'graphql'
import { isCancelled, isUnavailable } from '../database/unavailable.ts'
import { CatalogError, serviceUnavailable } from '../errors.ts'

/**
 * What a client may know of anything that was thrown. GraphQL's own errors are about the client's document and variables.
 * An error that is not ours shows only whether a retry may help.
 */
export function catalogErrorOf(error: unknown): CatalogError {
  if (error instanceof CatalogError) return error
  if (error instanceof GraphQLError) {
    return error.originalError
      ? catalogErrorOf(error.originalError)
      : new CatalogError('VALIDATION_FAILED', shorten(error.message))
  }
  // The client disconnected, which is no fault to log.
  if (isCancelled(error)) {
    return new CatalogError('SERVICE_UNAVAILABLE', 'The request was given up; try again', { retryAfterSeconds: 1 })
  }
  if (isUnavailable(error)) return serviceUnavailable(error)
  return new CatalogError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: error })
}

/** An entry of a response's `errors`: its code and message are those of `catalogErrorOf`, its location is kept. */
export function graphqlErrorOf(error: unknown): GraphQLError {
  if (isOfPersistedDocument(error)) return error
  const originalError = catalogErrorOf(error)
  const { message, extensions } = originalError
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions, originalError })
  const { nodes, source, positions, path } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions, originalError })
}

/** The ecosystem defines these codes, and clients act on them (http/persisted-documents.ts). */
function isOfPersistedDocument(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && String(error.extensions.code).startsWith('PERSISTED_QUERY')
}

/** graphql-js prints values of the request in its messages, however long they are. */
const MAX_MESSAGE_LENGTH = 500

function shorten(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message
}
