import { ApiError } from './api-error.ts'
import { t } from './text.ts'

/** Says an error in the page's language, if it is one that a person meets. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const known: Readonly<Record<string, string>> = {
    NOT_FOUND: t.notFound,
    DATASET_ACCESS_DENIED: t.denied,
    UNAUTHORIZED: error.message.includes('origins') ? t.keyHasOrigins : t.keyUnknown,
    UNREACHABLE: t.unreachable,
  }
  return known[error.code] ?? error.message
}
