import { expect } from 'vitest'
import type { Database } from '../../src/database/database.ts'

/** The number of statements in the database that wait for a lock. */
export async function countLockWaits({ prisma }: Database): Promise<number> {
  const rows = await prisma.$queryRaw<object[]>`
    SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'
       AND backend_type = 'client backend'`
  return rows.length
}

/**
 * Starts requests on a locked table, one after the other, each when the statement of the one before waits. Requests that start
 * together would share a statement.
 */
export async function startInTurn<Argument, Sent>(
  database: Database,
  given: readonly Argument[],
  send: (argument: Argument) => Sent,
): Promise<Sent[]> {
  const sent: Sent[] = []
  for (const argument of given) {
    sent.push(send(argument))
    await expect.poll(() => countLockWaits(database)).toBe(sent.length)
  }
  return sent
}
