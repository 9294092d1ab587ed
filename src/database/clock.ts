import { type SqlSession, sql } from '../sql.ts'

/** A key or grant may end this much earlier or later than its time. Servers with NTP differ by some milliseconds. */
const TOLERANCE_MS = 5_000

/** Says by how much the clock of this machine differs from that of the database; undefined up to five seconds. */
export async function findClockFault(session: SqlSession): Promise<string | undefined> {
  const before = Date.now()
  const { rows } = await session.query<{ now: number }>(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
  )
  const aheadMs = (before + Date.now()) / 2 - (rows[0]?.now ?? before)
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return undefined
  const seconds = `${Math.round(Math.abs(aheadMs) / 1000)} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return `the clock of this machine is ${seconds} that of the database, so keys and grants end at the wrong time`
}
