import { GraphQLError } from 'graphql/error/GraphQLError'

/** All error codes that clients can receive: the HTTP status, and what it means, for the documents that describe the API. */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, meaning: 'A parameter is not valid. `details` names each bad parameter.' },
  UNAUTHORIZED: { status: 401, meaning: 'The API key is missing or not valid.' },
  DATASET_ACCESS_DENIED: { status: 403, meaning: 'The API key has no access to the dataset.' },
  NOT_FOUND: { status: 404, meaning: 'The dataset or item does not exist.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The resource has no such method.' },
  NOT_ACCEPTABLE: { status: 406, meaning: '`Accept` allows no media type of the route.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request took too long to arrive.' },
  CURSOR_EXPIRED: { status: 410, meaning: 'The changes since the cursor are not known any more. Begin again.' },
  PRECONDITION_FAILED: { status: 412, meaning: '`If-Match` names another version of the response.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is too long.' },
  URI_TOO_LONG: { status: 414, meaning: 'The URL has more than 12 kB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body has another media type.' },
  RATE_LIMITED: { status: 429, meaning: 'The API key has used up its requests for this minute.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request line and the headers have more than 16 kB.' },
  INTERNAL_ERROR: { status: 500, meaning: 'Something went wrong on our side.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The database is unreachable or too slow, or too many requests arrive at once.',
  },
} as const

export type ErrorCode = keyof typeof ERRORS

/** A bad parameter: its name, and the rule that its value breaks. The last of many has no name: it says how many more there are. */
interface ErrorDetail {
  field: string | null
  message: string
}

/** What is wrong with a parameter. A function makes the message where that takes long. */
export interface Problem {
  /** Null if several fields have the problem together. A client may send a field without a name. */
  field: string | null
  message: string | (() => string)
}

interface CatalogErrorOptions {
  details?: readonly ErrorDetail[]
  /** Seconds after which the client should try again. */
  retryAfterSeconds?: number
  refusal?: Refusal
  /** The original error, for the log. Clients never see it. */
  cause?: unknown
}

/** An error for clients. They receive its code, message and details. Its `cause` is only logged. */
export class CatalogError extends GraphQLError {
  override readonly name = 'CatalogError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** Why it is 503, for the log and the metrics. */
  readonly refusal: Refusal | undefined
  override readonly cause: unknown

  constructor(code: ErrorCode, message: string, options: CatalogErrorOptions = {}) {
    const { details, retryAfterSeconds, refusal, cause } = options
    super(message, { extensions: { code, ...(details && { details }) } })
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
    this.refusal = refusal
    this.cause = cause
  }
}

/*
 * A client chooses the number of bad parameters, their names and their values. An error that printed all of them would be longer than the
 * request, and would take much longer.
 */
const MAX_DETAILS = 50
const MAX_FIELD_LENGTH = 60
const MAX_MESSAGE_LENGTH = 500

/** Returns `VALIDATION_FAILED`, with the first problem of each parameter. It names 50 of them, and the number of the others. */
export function validationFailed(problems: readonly Problem[]): CatalogError {
  const firsts = new Map<string | null, Problem>()
  for (const problem of problems) if (!firsts.has(problem.field)) firsts.set(problem.field, problem)
  const details: ErrorDetail[] = [...firsts.values()].slice(0, MAX_DETAILS).map(({ field, message }) => ({
    field: field === null ? null : shorten(field, MAX_FIELD_LENGTH),
    message: shorten(typeof message === 'string' ? message : message(), MAX_MESSAGE_LENGTH),
  }))
  const others = firsts.size - details.length
  if (others > 0) details.push({ field: null, message: `${others} more ${others === 1 ? 'is' : 'are'} not valid` })
  const message = details.map((detail) => [detail.field ?? [], detail.message].flat().join(' ')).join('; ')
  return new CatalogError('VALIDATION_FAILED', message, { details })
}

/** A text that a client sent, cut if it is longer than a message has room for. */
export function shorten(text: string, maxLength = MAX_MESSAGE_LENGTH): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/**
 * Returns `NOT_FOUND`.
 * @param kind of the missing record: "dataset" or "item"
 * @param nearest is the name of a record that the client may mean
 */
export function notFound(kind: string, nearest?: string): CatalogError {
  const hint = nearest === undefined ? '' : `; the nearest one is ${nearest}`
  return new CatalogError('NOT_FOUND', `The ${kind} does not exist${hint}`)
}

/** Returns `DATASET_ACCESS_DENIED`. */
export function accessDenied(): CatalogError {
  return new CatalogError('DATASET_ACCESS_DENIED', 'This API key has no access to the dataset')
}

/** Milliseconds from the first read of a request, in which it must have read the catalog. Of an export only the first part counts. */
export const READ_TIME_MS = 15_000

/** Each reason for a 503: what the client reads, and after how many seconds it should try again. */
const REFUSALS = {
  starting: ['The service is starting', 1],
  stopping: ['The service is stopping', 1],
  /** As many requests of the key are in flight as may be. */
  requests: ['Too many requests at once; try again', 1],
  /** A statement or a compression waited too long for the turn of its key. */
  turn: ['Too many requests at once; try again', 1],
  /** Clients of the key have not read its share of the memory for responses. */
  unread: ['Too many bytes of earlier requests and responses are in progress; finish them first', 1],
  time: [`The operation took longer than ${READ_TIME_MS / 1000} seconds`, 1],
  exports: ['Too many exports at once; try again', 5],
  waiting: ['Too many requests wait for changes; ask later, or without Prefer: wait', 5],
  /** A statement took longer than STATEMENT_TIMEOUT_MS: a lock, or a slow database. */
  statement: ['The database took too long; try again', 1],
  /** The database is away. */
  database: ['The service is temporarily unavailable; try again', 1],
  cancelled: ['The request was cancelled; try again', 1],
  changed: ['The dataset changed during the export; try again', 1],
} as const satisfies Record<string, readonly [message: string, retryAfterSeconds: number]>

export type Refusal = keyof typeof REFUSALS

/** Returns `SERVICE_UNAVAILABLE`. Only one with a cause is logged by itself. */
export function refused(refusal: Refusal, cause?: unknown): CatalogError {
  const [message, retryAfterSeconds] = REFUSALS[refusal]
  return new CatalogError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds, refusal, cause })
}

/**
 * An error for operators. It ends a command with exit code 1. Clients never see its message: if a request fails with it, the
 * client receives `INTERNAL_ERROR`.
 */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed'
  readonly code = 'OPERATION_FAILED'
  /** The lines of the message. What others wrote adds no line. */
  readonly lines: readonly string[]

  constructor(message: string | readonly string[], options?: ErrorOptions) {
    const lines = [message].flat().map(escapeControls)
    super(lines.join('\n'), options)
    this.lines = lines
  }
}

/**
 * Returns `OPERATION_FAILED`.
 * @param message says what is wrong and what to do, usually in one line; a list has a line in each element
 */
export function operationFailed(message: string | readonly string[], cause?: unknown): OperationFailed {
  return new OperationFailed(message, { cause })
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}

/** Line breaks, other control characters (C0, DEL, C1), and those that change the direction of text. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Escapes control characters as JSON does: `\n`, `\u001b`. What others wrote could control the terminal with them, add a line that looks
 * like one of ours, or show its characters in another order.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (control) => {
    return SHORT_ESCAPES[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
