import { CatalogError, ERROR_CODES, type ErrorCode } from '../../errors.ts'
import { errorBody, PROBLEM as PROBLEM_TYPE } from '../error-body.ts'
import { REQUEST_ID_EXAMPLE } from './examples.ts'

/*
 * Headers and errors, as OpenAPI describes them.
 */

type Json = Record<string, unknown>

/** What a route may answer besides success: each may be refused so; those with a name in their path may not find it. */
export const COMMON_CODES = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'NOT_ACCEPTABLE',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const
export const ACCESS_CODES = ['DATASET_ACCESS_DENIED', 'NOT_FOUND'] as const
export const DOCUMENTED_CODES: readonly ErrorCode[] = [...COMMON_CODES, ...ACCESS_CODES]

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'A parameter is not as it must be; `details` names each.',
  UNAUTHORIZED: 'There is no API key, or it is not valid.',
  DATASET_ACCESS_DENIED: 'The API key has no access to the dataset.',
  NOT_FOUND: 'There is no such dataset or item.',
  NOT_ACCEPTABLE: 'There is no form of the answer that `Accept` allows.',
  URI_TOO_LONG: 'The URL has more than 12 kB.',
  RATE_LIMITED: 'The API key has made as many requests as it may.',
  INTERNAL_ERROR: 'Something went wrong on our side.',
  SERVICE_UNAVAILABLE: 'The database is away or too slow, or there are too many requests at once.',
}

const text = (description: string): Json => ({ description, schema: { type: 'string' } })

/** What headers mean. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': text('Names the request; a sane one that came in is kept.'),
  ETag: text('Names this state of the answer, for `If-None-Match`.'),
  'Cache-Control': text('`private, no-cache`: to be kept by its client alone, and asked for again.'),
  Vary: text('Names `Authorization`, `Accept` and `Accept-Encoding`.'),
  Link: text('The pages `first`, `prev`, `next` and `last`, where there are such (RFC 8288).'),
  'RateLimit-Policy': text('How many requests the key may make, where it has a limit.'),
  RateLimit: text('How many of them are left, and for how many seconds.'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': text('The challenge (RFC 6750).'),
}

/** Those of every success. */
export const SUCCESS_HEADERS = ['X-Request-Id', 'ETag', 'Cache-Control', 'Vary', 'RateLimit-Policy', 'RateLimit']

/** Refers to headers by name. */
export const headers = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const ERROR_MEMBERS = {
  code: { type: 'string', enum: Object.keys(ERROR_CODES) },
  message: { type: 'string' },
  details: {
    type: 'array',
    description: 'Every bad parameter; with VALIDATION_FAILED only.',
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
/** The schema of an error as RFC 9457 has it. */
export const PROBLEM: Json = {
  type: 'object',
  description: 'The same facts as RFC 9457 has them.',
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

/** The response for an error's code. */
export function errorResponse(code: ErrorCode): Json {
  const example = (accept?: string) => errorBody(errorExample(code), REQUEST_ID_EXAMPLE, accept).body
  const more = { UNAUTHORIZED: 'WWW-Authenticate', RATE_LIMITED: 'Retry-After', SERVICE_UNAVAILABLE: 'Retry-After' }
  const special = Object.entries(more).flatMap(([name, header]) => (name === code ? [header] : []))
  return {
    description: MEANINGS[code] ?? code,
    headers: headers('X-Request-Id', ...special),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: example() },
      [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, example: example(PROBLEM_TYPE) },
    },
  }
}
