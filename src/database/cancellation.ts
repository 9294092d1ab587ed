import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * When a client disconnects or its request takes too long, the statements of the request are cancelled. No client would read their
 * results, and other requests can use the connections.
 */

/**
 * Tracks the statements of one request, or of several that share them, and cancels them. An AbortSignal would do the same, but takes
 * five times as long.
 */
export class Cancellation {
  /** The ids of the API keys that pay for the statements (fair-queue.ts). */
  readonly keys: readonly string[]
  /** Whether a response has begun that needs the statements. They wait for their turns as long as they must, because it can't be refused. */
  isStreaming = false
  #isCancelled = false
  readonly #cancels = new Set<() => void>()

  constructor(keys: readonly string[]) {
    this.keys = keys
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Cancels all running statements. Afterwards the pool sends no more statements for the request. */
  cancel(): void {
    this.#isCancelled = true
    for (const cancel of this.#cancels) cancel()
  }

  /** Calls `listener` when the request is cancelled. */
  onCancel(listener: () => void): void {
    this.#cancels.add(listener)
  }

  /**
   * Returns the result of a running statement.
   * @param cancelStatement is called if the request is cancelled before the statement ends
   */
  async track<Result>(statement: Promise<Result>, cancelStatement: () => void): Promise<Result> {
    this.#cancels.add(cancelStatement)
    try {
      return await statement
    } finally {
      this.#cancels.delete(cancelStatement)
    }
  }
}

const cancellations = new AsyncLocalStorage<Cancellation>()

/** Returns the cancellation of the request for which the current code runs; undefined outside of requests. */
export function currentCancellation(): Cancellation | undefined {
  return cancellations.getStore()
}

/** Runs the work of one request, and returns its result. `cancellation` can cancel its statements. */
export function withCancellation<Result>(cancellation: Cancellation, run: () => Result): Result {
  return cancellations.run(cancellation, run)
}

/** Runs work that several requests share, and returns its result. It is cancelled when all of them are. */
export function withSharedCancellation<Result>(
  requests: readonly (Cancellation | undefined)[],
  run: () => Result,
): Result {
  const [request] = requests
  if (request && requests.length === 1) return withCancellation(request, run)
  const shared = new Cancellation([...new Set(requests.flatMap((each) => each?.keys ?? []))])
  const cancelIfAll = () => {
    if (requests.every((each) => each?.isCancelled)) shared.cancel()
  }
  for (const each of requests) each?.onCancel(cancelIfAll)
  shared.isStreaming = requests.some((each) => each?.isStreaming)
  // All of them may have been cancelled before.
  cancelIfAll()
  return withCancellation(shared, run)
}

/** Runs work that belongs to no request, and returns its result. */
export function outsideRequests<Result>(run: () => Result): Result {
  return cancellations.exit(run)
}

/** The code of `StatementCancelled`. It is not SQLSTATE 57014, because PostgreSQL also uses that for statement timeouts. */
export const CANCELLED = 'CANCELLED'

/** The error of a statement that was cancelled, or not sent, because its request was cancelled. */
export class StatementCancelled extends Error {
  readonly code = CANCELLED
  /** Prisma's adapter passes on the code of an error only if the error has a severity, as PostgreSQL's errors have. */
  readonly severity = 'ERROR'

  constructor(options?: ErrorOptions) {
    super('The statement was cancelled with its request', options)
  }
}
