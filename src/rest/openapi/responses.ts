import { CatalogError, ERROR_CODES, type ErrorCode } from '../../errors.ts'
import { errorBody, PROBLEM_MEDIA_TYPE } from '../error-body.ts'
import { REQUEST_ID_EXAMPLE } from './examples.ts'

/*
 * The response headers and the errors of the OpenAPI document.
 */

type Json = Record<string, unknown>

/** The errors of every route; routes that name a dataset or an item have `ACCESS_CODES` too. */
export const COMMON_CODES = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'NOT_ACCEPTABLE',
  'PRECONDITION_FAILED',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const
export const ACCESS_CODES = ['DATASET_ACCESS_DENIED', 'NOT_FOUND'] as const
export const DOCUMENTED_CODES: readonly ErrorCode[] = [...COMMON_CODES, ...ACCESS_CODES]

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'A parameter is not valid. `details` names each bad parameter.',
  UNAUTHORIZED: 'The API key is missing or not valid.',
  DATASET_ACCESS_DENIED: 'The API key has no access to the dataset.',
  NOT_FOUND: 'The dataset or item does not exist.',
  NOT_ACCEPTABLE: '`Accept` allows no media type of the route.',
  PRECONDITION_FAILED: '`If-Match` names another version of the response.',
  URI_TOO_LONG: 'The URL has more than 12 kB.',
  RATE_LIMITED: 'The API key has used up its requests for this minute.',
  INTERNAL_ERROR: 'Something went wrong on our side.',
  SERVICE_UNAVAILABLE: 'The database is unreachable or too slow, or too many requests arrive at once.',
}

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
  'RateLimit-Policy': text('Request limit of the key, if it has one.'),
  RateLimit: text('Remaining requests, and seconds until the limit resets.'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': text('The challenge (RFC 6750).'),
}

/** The headers of every success. */
export const SUCCESS_HEADERS = ['X-Request-Id', 'ETag', 'Cache-Control', 'Vary', 'RateLimit-Policy', 'RateLimit']

/** References to headers, by name. */
export const headers = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const ERROR_MEMBERS = {
  code: { type: 'string', enum: Object.keys(ERROR_CODES) },
  message: { type: 'string' },
  details: {
    type: 'array',
    description: 'Every bad parameter. Only with VALIDATION_FAILED.',
    items: {
      type: 'object',
      required: ['field', 'message'],
      properties: { field: { type: 'string' }, message: { type: 'string' } },
    },
  },
  requestId: { type: 'string' },
}

/** The schema of an error. */
export const ERROR: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'object', required: ['code', 'message', 'requestId'], properties: ERROR_MEMBERS },
  },
}

const { message: detail, ...problemMembers } = ERROR_MEMBERS
/** The schema of an error as problem details (RFC 9457). */
export const PROBLEM: Json = {
  type: 'object',
  description: 'An error as problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail,
    ...problemMembers,
  },
}

function errorExample(code: ErrorCode): CatalogError {
  const details = code === 'VALIDATION_FAILED' ? [{ field: 'limit', message: 'must be at most 100' }] : undefined
  const message = details?.map(({ field, message }) => `${field} ${message}`).join() ?? MEANINGS[code] ?? code
  return new CatalogError(code, message, details && { details })
}

/** The response for an error code. */
export function errorResponse(code: ErrorCode): Json {
  const example = (accept?: string) => errorBody(errorExample(code), REQUEST_ID_EXAMPLE, accept).body
  const errorHeaders = {
    UNAUTHORIZED: 'WWW-Authenticate',
    RATE_LIMITED: 'Retry-After',
    SERVICE_UNAVAILABLE: 'Retry-After',
  }
  const additional = Object.entries(errorHeaders).flatMap(([name, header]) => (name === code ? [header] : []))
  return {
    description: MEANINGS[code] ?? code,
    headers: headers('X-Request-Id', ...additional),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: example() },
      [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, example: example(PROBLEM_MEDIA_TYPE) },
    },
  }
}
