import { STATUS_CODES } from 'node:http'
import { type CatalogError, ERROR_CODES } from '../errors.ts'

/** An error's body, as the contract has it or as RFC 9457. */
export interface ErrorBody {
  contentType: string
  body: unknown
}

/** RFC 9457. */
export const PROBLEM = 'application/problem+json'

/** The body for an error: problem details (RFC 9457) for a client that asks for them. */
export function errorBody(error: CatalogError, requestId: string, accept: string | undefined): ErrorBody {
  const { code, message, details } = error
  if (accept?.includes(PROBLEM)) {
    const status = ERROR_CODES[code]
    // Without a type of its own a problem's title is the status's.
    const title = STATUS_CODES[status]
    const body = { type: 'about:blank', title, status, detail: message, code, ...(details && { details }), requestId }
    return { contentType: PROBLEM, body }
  }
  const body = { error: { code, message, ...(details && { details }), requestId } }
  return { contentType: 'application/json; charset=utf-8', body }
}
