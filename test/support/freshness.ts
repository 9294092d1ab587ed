import { setTimeout as sleep } from 'node:timers/promises'

const BOUND_MS = 1_000

/**
 * Call this right after a change has committed: asks again and again until the answer shows the change. A request that begins
 * a second or more after the change must show it (decisions.md section 8). How long its answer takes depends on the machine.
 */
export async function expectWithinASecond<Answer>(
  ask: () => Promise<Answer>,
  check: (answer: Answer) => void,
): Promise<void> {
  const changedAt = performance.now()
  for (;;) {
    const isLate = performance.now() - changedAt >= BOUND_MS
    const answer = await ask()
    try {
      check(answer)
      return
    } catch (error) {
      if (isLate) throw error
    }
    await sleep(1)
  }
}
