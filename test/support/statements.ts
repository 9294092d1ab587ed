import type { TestApp } from './app.ts'

/**
 * Returns the smallest number of statements that a request takes in four attempts. The first attempt also reads the key and the
 * datasets. On a busy machine another one may do so too, because the heartbeat of the change feed is late.
 */
export async function countStatements({ statements }: TestApp, ask: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let n = 0; n < 4; n += 1) {
    statements.length = 0
    await ask()
    counts.push(statements.length)
  }
  return Math.min(...counts)
}
