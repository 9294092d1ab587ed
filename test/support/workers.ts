import { readFileSync } from 'node:fs'
import type { TestDatabase } from './database.ts'
import type { Gateway } from './process.ts'

/** The number of workers of a gateway in the tests. */
export const WORKERS = 3

/** The environment of a gateway with several workers. */
export function workersEnv(db: TestDatabase) {
  return { ...db.env, WORKERS: String(WORKERS), DATABASE_POOL_SIZE: '6', SAMPLE_DATA: 'false' }
}

/** The process ids of the workers of a gateway. */
export function workersOf({ child: { pid } }: Pick<Gateway, 'child'>): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Whether a process has not ended. */
export function isRunning(pid: number): boolean {
  try {
    // A process that has ended, but whose parent has not read its status, is a zombie.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Returns the results of a number of calls. */
export function times<Result>(count: number, make: (n: number) => Result): Result[] {
  return Array.from({ length: count }, (_, n) => make(n))
}
