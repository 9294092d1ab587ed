import { STATUS_CODES } from 'node:http'
import { type CatalogError, ERRORS } from '../errors/errors.ts'

/** The body of an error: the usual form, or problem details (RFC 9457). */
interface ErrorBody {
  contentType: string
  body: unknown
}

/** The media type of problem details (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** The body of an error in the usual form (docs/rest.md). */
export function errorBody({ code, message, details }: CatalogError, requestId: string): ErrorBody {
  const body = { error: { code, message, ...(details && { details }), requestId } }
  return { contentType: 'application/json; charset=utf-8', body }
}

/** The body of an error as problem details. */
export function problemBody({ code, message, details }: CatalogError, requestId: string): ErrorBody {
  const status = ERRORS[code].status
  // A problem of type about:blank has the title of its status (RFC 9457 section 4.2.1).
  const title = STATUS_CODES[status]
  const body = { type: 'about:blank', title, status, detail: message, code, ...(details && { details }), requestId }
  return { contentType: PROBLEM_MEDIA_TYPE, body }
}
