import { type SqlSession, sql } from '../sql.ts'

/** Runs `work` in a transaction, and returns its result. After an error, it rolls back and throws that error. */
export async function inTransaction<Result>(session: SqlSession, work: () => Promise<Result>): Promise<Result> {
  await session.query(sql`BEGIN`)
  try {
    const result = await work()
    await session.query(sql`COMMIT`)
    return result
  } catch (error) {
    // Without a connection this fails too, and PostgreSQL rolls back by itself. `error` says why the connection ended.
    await session.query(sql`ROLLBACK`).catch(() => {})
    throw error
  }
}
