import { CatalogError, ERRORS, type ErrorCode, validationFailed } from '../../errors/errors.ts'
import { errorBody, PROBLEM_MEDIA_TYPE, problemBody } from '../../gateway/error-body.ts'
import { pathTemplate } from '../../gateway/http.ts'
import components from './components.json' with { type: 'json' }
import { type Json, refTo } from './components.ts'
import examples from './examples.json' with { type: 'json' }

/*
 * The operations of the OpenAPI documents. Each door describes its routes as rows of one type, and this file makes the paths of them.
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
] as const satisfies ErrorCode[]
export const ACCESS_CODES = ['DATASET_ACCESS_DENIED', 'NOT_FOUND'] as const satisfies ErrorCode[]
export const DOCUMENTED_CODES = [...COMMON_CODES, ...ACCESS_CODES]

/** The headers of every response. */
const COMMON_HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Authentication-Info']
/** The headers of every success. */
export const SUCCESS_HEADERS = [...COMMON_HEADERS, 'ETag', 'Cache-Control', 'Vary']

/** References to headers, by name. */
export const headersOf = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]))

/** A GET of a route. */
export interface Operation {
  /** In the router's syntax. */
  path: string
  /** Its id, tags, texts and parameters. */
  about: { operationId: string; tags: string[]; summary: string; description?: string; parameters: Json[] }
  /** The headers of its success and of 304, and those of its success alone. */
  headers?: Json
  ownHeaders: Json
  /** Its representations, by media type. */
  content: Json
  codes: readonly ErrorCode[]
  /** Begins the names of its errors among the components. */
  prefix?: string
}

/** The paths of a document. The errors of an operation are references to its components. */
export function pathsOf(operations: readonly Operation[]): Record<string, Json> {
  return Object.fromEntries(operations.map((operation) => [pathTemplate(operation.path), { get: toGet(operation) }]))
}

function toGet({ about, headers, ownHeaders, content, codes, prefix = '' }: Operation): Json {
  const { description = about.summary } = about
  return {
    ...about,
    responses: {
      200: { description, headers: { ...headers, ...ownHeaders }, content },
      304: { description: 'The client has the current version.', ...(headers && { headers }) },
      ...Object.fromEntries(codes.map((code) => [ERRORS[code].status, refTo('responses', prefix + code)])),
    },
  }
}

/** The schemas that the documents share. */
export const ERROR_SCHEMAS: Record<string, Json> = {
  ...components.errors,
  ApiErrorCode: { type: 'string', description: 'What is wrong, for programs.', enum: Object.keys(ERRORS) },
}

/** An example of an error. */
export function errorExample(code: ErrorCode): CatalogError {
  if (code === 'VALIDATION_FAILED') return validationFailed([{ field: 'limit', message: 'must be at most 100' }])
  return new CatalogError(code, ERRORS[code].meaning)
}

/** The headers of one error only. */
const ERROR_HEADERS: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'WWW-Authenticate',
  RATE_LIMITED: 'Retry-After',
  SERVICE_UNAVAILABLE: 'Retry-After',
}

/** The response for an error code, in the usual form and as problem details. */
export function errorResponse(code: ErrorCode): Json {
  const contentOf = (schema: string, toBody: typeof errorBody) => ({
    schema: refTo('schemas', schema),
    example: toBody(errorExample(code), examples.requestId).body,
  })
  return {
    description: ERRORS[code].meaning,
    headers: headersOf([...COMMON_HEADERS, ERROR_HEADERS[code] ?? []].flat()),
    content: {
      'application/json': contentOf('ApiError', errorBody),
      [PROBLEM_MEDIA_TYPE]: contentOf('Problem', problemBody),
    },
  }
}
