import { type SqlSession, sql } from '../sql.ts'

/** The changes of this process that may be made, and those of them that are made. */
export const commits = { begun: 0, made: 0 }

/** Counts a change: it may be made from the start of `commit`, and is made at its end. */
export async function committing<Result>(commit: () => Promise<Result>): Promise<Result> {
  commits.begun += 1
  const result = await commit()
  commits.made += 1
  return result
}

/**
 * Runs `work` in a transaction, and returns its result. After an error, it rolls back and throws that error.
 * @param keeps false for a dry run, which rolls back in any case
 */
export async function inTransaction<Result>(
  session: SqlSession,
  work: () => Promise<Result>,
  { keeps } = { keeps: true },
): Promise<Result> {
  await session.query(sql`BEGIN`)
  try {
    const result = await work()
    if (keeps) await committing(() => session.query(sql`COMMIT`))
    else await session.query(sql`ROLLBACK`)
    return result
  } catch (error) {
    // Without a connection this fails too, and PostgreSQL rolls back by itself. `error` says why the connection ended.
    await session.query(sql`ROLLBACK`).catch(() => {})
    throw error
  }
}
