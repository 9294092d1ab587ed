import { setTimeout as sleep } from 'node:timers/promises'

const BOUND_MS = 1_000

/**
 * Repeats a request until its response passes a check. Call it right after a change has committed: a request that begins a
 * second or more after the change must show it (docs/security.md). The time until the response arrives depends on the machine
 * and does not count.
 * @throws the error of the check, if such a late request fails it
 */
export async function expectWithinASecond<Result>(
  ask: () => Promise<Result>,
  check: (result: Result) => void,
): Promise<void> {
  const changedAt = performance.now()
  for (;;) {
    const isLate = performance.now() - changedAt >= BOUND_MS
    const result = await ask()
    try {
      check(result)
      return
    } catch (error) {
      if (isLate) throw error
    }
    await sleep(1)
  }
}
