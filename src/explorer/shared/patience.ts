import { ApiError } from './api-error.ts'

/*
 * Tries again what a busy server or a lost connection has stopped. What the page shows stays meanwhile.
 */

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

/** The problems that stop some action now. */
const problems = new Set<ApiError>()
let show: (problem: ApiError | undefined) => void = () => {}

/** Calls the listener with a problem while an action waits because of it, and with undefined when none waits. */
export function onWaiting(listener: typeof show): void {
  show = listener
}

/** Runs an action until it succeeds, or fails in a way in which trying again is of no use. */
export async function patiently<Result>(action: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      const result = await action()
      settle()
      return result
    } catch (error) {
      if (signal?.aborted || !(error instanceof ApiError) || !error.isTransient) {
        settle()
        throw error
      }
      await wait(error, attempt, signal)
    }
  }
}

/** Waits as the server asks, then longer each time. A connection that comes back ends the wait. */
async function wait(problem: ApiError, attempt: number, signal?: AbortSignal): Promise<void> {
  problems.add(problem)
  show(problem)
  // Many pages that lost the same server must not come back in the same moment.
  const backoff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.75 + Math.random() / 2)
  const timeout = AbortSignal.timeout(Math.max(problem.retryAfterMs, backoff))
  const end = AbortSignal.any([timeout, ...(signal ? [signal] : [])])
  await new Promise<unknown>((resolve) => {
    end.addEventListener('abort', resolve)
    window.addEventListener('online', resolve, { signal: end })
  })
  problems.delete(problem)
  if (!signal?.aborted) return
  // The line stays until the next answer, so it does not flicker.
  settle()
  throw signal.reason
}

/** Removes the message when nothing waits any more. */
function settle(): void {
  if (problems.size === 0) show(undefined)
}
