import type { ExecutionResult } from 'graphql'
import { CatalogError, ERROR_CODES } from '../../errors.ts'

/** The media types of a response (GraphQL over HTTP, section 4.1); the first is the default. */
export const RESPONSE_TYPES: readonly [ResponseType, ResponseType] = [
  { mediaType: 'application/json' },
  { mediaType: 'application/graphql-response+json' },
]

export interface ResponseType {
  mediaType: 'application/json' | 'application/graphql-response+json'
}

/** The status and the additional headers of a response. */
export interface ResponseHead {
  status: number
  headers: Record<string, string>
}

/**
 * The head of the response to a well-formed request (GraphQL over HTTP, section 6.4). If execution began, the result has `data`
 * and the status is 200. Otherwise application/graphql-response+json has the status of the first error, and application/json
 * has 200. If the whole operation failed because the service is unavailable, both have 503.
 */
export function responseHead({ data, errors }: ExecutionResult, mediaType: ResponseType['mediaType']): ResponseHead {
  const [error] = errors ?? []
  if (!error || data) return { status: 200, headers: {} }
  const { originalError } = error
  const isUnavailable =
    originalError instanceof CatalogError && originalError.code === 'SERVICE_UNAVAILABLE' && error.path === undefined
  if (isUnavailable) {
    return {
      status: ERROR_CODES.SERVICE_UNAVAILABLE,
      headers: { 'retry-after': String(originalError.retryAfterSeconds) },
    }
  }
  if (data === null || mediaType === 'application/json') return { status: 200, headers: {} }
  return { status: originalError instanceof CatalogError ? ERROR_CODES[originalError.code] : 400, headers: {} }
}
