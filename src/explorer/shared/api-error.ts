import { t } from './text.ts'

/** A response that is an error, or no response (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The least time until the next try, as the server says. */
  readonly retryAfterMs: number

  constructor(status: number, code: string, message: string, retryAfter: string | null = null) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterMs = 1000 * (Number(retryAfter) || 0)
  }

  /** Whether the same request may succeed later: the server can't be reached, is busy, or counts too many requests. */
  get isTransient(): boolean {
    return [0, 429, 502, 503, 504].includes(this.status) || this.code === 'SERVICE_UNAVAILABLE'
  }
}

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
