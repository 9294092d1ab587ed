import { CatalogError, ERROR_CODES, ERROR_MEANINGS, type ErrorCode, validationFailed } from '../../errors.ts'
import { errorBody, PROBLEM_MEDIA_TYPE, problemBody } from '../error-body.ts'
import { type DefineSchema, type Json, objectOf } from './components.ts'
import { REQUEST_ID_EXAMPLE } from './examples.ts'

/*
 * The response headers and the errors of the OpenAPI document.
 */

/** The errors of every route; routes that name a dataset or an item have `ACCESS_CODES` too. */
export const COMMON_CODES = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'NOT_ACCEPTABLE',
  'PRECONDITION_FAILED',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const
export const ACCESS_CODES = ['DATASET_ACCESS_DENIED', 'NOT_FOUND'] as const
export const DOCUMENTED_CODES: readonly ErrorCode[] = [...COMMON_CODES, ...ACCESS_CODES]

const text = (description: string): Json => ({ description, schema: { type: 'string' } })

/** Response headers. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': text('Id of the request. A valid id in the request is repeated.'),
  ETag: text('Version of the response, for `If-None-Match`.'),
  'Cache-Control': text(
    '`private, no-cache`: only the client may store the response, and it revalidates before each use.',
  ),
  Vary: text('Names `Authorization`, `Accept` and `Accept-Encoding`.'),
  Link: text('The pages `first`, `prev`, `next` and `last`, if they exist (RFC 8288).'),
  'RateLimit-Policy': text('Request limit of the key. Absent if the key has no limit or is not valid.'),
  RateLimit: text('Remaining requests, and seconds until the limit resets. Absent without a limit.'),
  'Authentication-Info': text('`expires="…"` if the API key stops working within 14 days (RFC 9110, section 11.6.3).'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', format: 'int32', minimum: 0 } },
  'WWW-Authenticate': text('The challenge (RFC 6750).'),
}

/** The headers of every response. */
const COMMON_HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Authentication-Info']
/** The headers of every success. */
export const SUCCESS_HEADERS = [...COMMON_HEADERS, 'ETag', 'Cache-Control', 'Vary']

/** References to headers, by name. */
export const headers = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The schemas of errors. */
interface ErrorSchemas {
  /** The usual form. */
  error: Json
  /** Problem details (RFC 9457). */
  problem: Json
}

/** Defines the schemas of errors, and returns references to them. */
export function defineErrors(define: DefineSchema): ErrorSchemas {
  const { code, message, details, requestId } = errorMembers(define)
  const body = objectOf({ code, message, details, requestId }, 'What is wrong.', ['details'])
  const error = define('ApiErrorBody', body)
  return { error: define('ApiError', objectOf({ error }, 'An error.')), problem: defineProblem(define) }
}

/** Defines the schema of problem details, and returns a reference to it. */
export function defineProblem(define: DefineSchema): Json {
  const { code, message, details, requestId } = errorMembers(define)
  const type = { type: 'string', const: 'about:blank' }
  const title = { type: 'string', description: 'The name of the status.' }
  const status = { type: 'integer', format: 'int32', description: 'The HTTP status.' }
  const problem = { type, title, status, detail: message, code, details, requestId }
  return define('Problem', objectOf(problem, 'An error as problem details (RFC 9457).', ['details']))
}

function errorMembers(define: DefineSchema) {
  const detail = define(
    'ApiErrorDetail',
    objectOf(
      {
        field: {
          type: ['string', 'null'],
          description: 'The name of the parameter; null for the number of those that are not named.',
        },
        message: { type: 'string', description: 'The rule that its value breaks.' },
      },
      'A bad parameter.',
    ),
  )
  return {
    code: define('ApiErrorCode', {
      type: 'string',
      description: 'What is wrong, for programs.',
      enum: Object.keys(ERROR_CODES),
    }),
    message: { type: 'string', description: 'What is wrong, for people.' },
    details: {
      type: 'array',
      description:
        'Every bad parameter; of more than 50, the first 50 and how many more there are. Only with VALIDATION_FAILED.',
      items: detail,
    },
    requestId: { type: 'string', description: 'The id of the request, as in `X-Request-Id`.' },
  }
}

/** A success. It has `SUCCESS_HEADERS`, and these. */
interface Success {
  description: string
  headers?: Json
  content: Json
}

/** The responses of an operation: its success, 304, and references to its errors. */
export function responsesOf({ description, headers: own, content }: Success, codes: readonly ErrorCode[]): Json {
  const common = headers(...SUCCESS_HEADERS)
  return {
    200: { description, headers: { ...common, ...own }, content },
    304: { description: 'The client has the current version.', headers: common },
    ...Object.fromEntries(codes.map((code) => [ERROR_CODES[code], { $ref: `#/components/responses/${code}` }])),
  }
}

function errorExample(code: ErrorCode): CatalogError {
  if (code === 'VALIDATION_FAILED') return validationFailed([{ field: 'limit', message: 'must be at most 100' }])
  return new CatalogError(code, ERROR_MEANINGS[code])
}

/** The headers of one error only. */
const ERROR_HEADERS: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'WWW-Authenticate',
  RATE_LIMITED: 'Retry-After',
  SERVICE_UNAVAILABLE: 'Retry-After',
}

/** The response for an error code. */
export function errorResponse(code: ErrorCode, { error, problem }: ErrorSchemas): Json {
  const example = (toBody: typeof errorBody) => toBody(errorExample(code), REQUEST_ID_EXAMPLE).body
  const header = ERROR_HEADERS[code]
  return {
    description: ERROR_MEANINGS[code],
    headers: headers(...COMMON_HEADERS, ...(header ? [header] : [])),
    content: {
      'application/json': { schema: error, example: example(errorBody) },
      [PROBLEM_MEDIA_TYPE]: { schema: problem, example: example(problemBody) },
    },
  }
}
