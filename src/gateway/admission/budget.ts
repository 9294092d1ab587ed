import type { FastifyReply } from 'fastify'
import { Cancellation, StatementCancelled, withCancellation } from '../../database/cancellation.ts'
import { READ_TIME_MS, refused } from '../../errors/errors.ts'
import type { Slots } from './fair-share.ts'
import type { UnreadResponses } from './unread.ts'

/** What all requests of a process share. */
interface SharedBudget {
  /** Requests that use the database at the same time. */
  inFlight: Slots<boolean>
  unread: UnreadResponses
}

/**
 * What one request may take of what all share: a place among the requests in flight, memory, and time. Its key pays. A request that finds
 * no room is refused, with the reason (errors.ts).
 */
export class RequestBudget {
  readonly #shared: SharedBudget
  readonly #keyId: string
  readonly #response: FastifyReply['raw']
  #cancellation: Cancellation | undefined
  /** What is left of the time for reads. */
  #timeMs = READ_TIME_MS

  constructor(shared: SharedBudget, keyId: string, { raw }: Pick<FastifyReply, 'raw'>) {
    this.#shared = shared
    this.#keyId = keyId
    this.#response = raw
  }

  /**
   * Runs a read before the response has begun.
   * @throws `SERVICE_UNAVAILABLE`
   */
  async read<Result>(work: () => Promise<Result>): Promise<Result> {
    const { inFlight, unread } = this.#shared
    unread.check(this.#keyId)
    if (!inFlight.take(this.#keyId)) throw refused('requests')
    const beganMs = performance.now()
    try {
      return await this.#run(work, false, this.#timeMs)
    } finally {
      this.#timeMs -= performance.now() - beganMs
      inFlight.release(this.#keyId)
    }
  }

  /** Runs a read for a response that has begun. It can't be refused, so its statements wait for their turns as long as they must. */
  readForStream<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(work, true)
  }

  /** @throws a `StatementCancelled` if the client has disconnected, or the time is over */
  checkCancelled(): void {
    if (this.#cancellation?.isCancelled) throw new StatementCancelled()
  }

  #run<Result>(work: () => Promise<Result>, isStreaming: boolean, timeMs?: number): Promise<Result> {
    this.#cancellation ??= cancellationFor(this.#response, this.#keyId)
    const cancellation = this.#cancellation
    cancellation.isStreaming = isStreaming
    const running = withCancellation(cancellation, work)
    return timeMs === undefined ? running : withinTime(running, timeMs, () => cancellation.cancel())
  }
}

/** A cancellation that happens when the client disconnects before the response is sent. */
function cancellationFor(response: FastifyReply['raw'], keyId: string): Cancellation {
  const cancellation = new Cancellation([keyId])
  // It may have disconnected while its key was looked up or its request was counted.
  if (response.destroyed) cancellation.cancel()
  response.once('close', () => {
    if (!response.writableFinished) cancellation.cancel()
  })
  return cancellation
}

/**
 * The result of work, if it settles within `timeMs`.
 * @param stop is called after that time
 * @throws `SERVICE_UNAVAILABLE` after that time
 */
export function withinTime<Result>(work: Promise<Result>, timeMs: number, stop: () => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(refused('time'))
      stop()
    }, timeMs)
    const end = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    }
    work.then(end(resolve), end(reject))
  })
}
