import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CatalogError, ErrorCode } from '../../errors/errors.ts'
import { errorBody } from '../../gateway/error-body.ts'
import { membersOf } from '../rest/envelope.ts'

/** What an agent should do after each error that a tool can return. */
const adviceOn = (requestId: string): Partial<Record<ErrorCode, string>> => ({
  VALIDATION_FAILED: 'Correct the named arguments and call the tool again.',
  NOT_FOUND: 'Do not guess ids: listDatasets returns the datasets, and listItems and searchItems return items.',
  DATASET_ACCESS_DENIED: 'Do not retry: tell the user that this API key needs access to the dataset.',
  INTERNAL_ERROR: `Do not retry: tell the user that the server failed, and the requestId ${requestId}.`,
  SERVICE_UNAVAILABLE: 'Wait a few seconds, then call the tool again.',
})

/**
 * Returns the result of a tool that failed: the code and message that REST has for the error with what to do; `_meta` has REST's body
 * of the error. It is no `structuredContent`, because version 1 of the SDK compares that with the tool's `outputSchema`, and throws.
 */
export function toolError(error: CatalogError, requestId: string): CallToolResult {
  const text = [`${error.code}: ${error.message}.`, adviceOn(requestId)[error.code] ?? ''].join(' ').trimEnd()
  const { body } = errorBody(error, requestId)
  return { isError: true, content: [{ type: 'text', text }], _meta: membersOf(body) }
}
