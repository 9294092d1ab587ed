import { GraphQLError } from 'graphql'

/**
 * The closed list of error codes, each with its HTTP status. `OPERATION_FAILED` is for
 * operators at the command line and never leaves over HTTP.
 */
export const ERROR_CODES = {
  VALIDATION_FAILED: 400,
  UNAUTHORIZED: 401,
  DATASET_ACCESS_DENIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  OPERATION_FAILED: 500,
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** One bad parameter: its name, and the bound that it breaks. */
export interface ErrorDetail {
  field: string
  message: string
}

interface CatalogErrorOptions {
  details?: readonly ErrorDetail[]
  /** When it makes sense to try again. */
  retryAfterSeconds?: number
  /** What lies behind the error: for the log, never for the client. */
  cause?: unknown
}

/** The one error of this project. Its message is meant for the client; what lies behind it stands in `cause`. */
export class CatalogError extends GraphQLError {
  override readonly name = 'CatalogError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  override readonly cause: unknown

  constructor(code: ErrorCode, message: string, options: CatalogErrorOptions = {}) {
    const { details, retryAfterSeconds, cause } = options
    super(message, { extensions: { code, ...(details && { details }) } })
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
    this.cause = cause
  }
}

/** `VALIDATION_FAILED`, naming every bad parameter. */
export function validationFailed(details: readonly ErrorDetail[]): CatalogError {
  const message = details.map((detail) => `${detail.field} ${detail.message}`).join('; ')
  return new CatalogError('VALIDATION_FAILED', message, { details })
}

/** `NOT_FOUND` for a kind of thing ("dataset", "item"). */
export function notFound(kind: string): CatalogError {
  return new CatalogError('NOT_FOUND', `The ${kind} does not exist`)
}

/** `DATASET_ACCESS_DENIED`. */
export function accessDenied(): CatalogError {
  return new CatalogError('DATASET_ACCESS_DENIED', 'This API key has no access to the dataset')
}

/** `SERVICE_UNAVAILABLE`: the database is away or too slow. */
export function serviceUnavailable(cause: unknown): CatalogError {
  return new CatalogError('SERVICE_UNAVAILABLE', 'The service is unavailable for the moment; try again', {
    retryAfterSeconds: 1,
    cause,
  })
}

/** `OPERATION_FAILED`: one line for the operator that says what is wrong and what to do. */
export function operationFailed(message: string, cause?: unknown): CatalogError {
  return new CatalogError('OPERATION_FAILED', message, { cause })
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
