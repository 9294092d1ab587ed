import { DatabaseError } from 'pg'
import { isConflict } from '../database/client.ts'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors/errors.ts'
import { type SqlSession, type SqlText, sql } from '../sql.ts'

/*
 * Whoever changes an item locks the item first, and a trigger then locks its dataset until the transaction ends. So nobody else
 * commits a change of the dataset, its items, images or labels while a session has the dataset locked. But another session that
 * waits for the dataset may have locked rows already: to wait for such a row, with the dataset locked, is a deadlock.
 */

/** A change of a dataset does not stop grants. */
const LOCK_DATASET = {
  change: sql`SELECT FROM datasets WHERE id = $1 FOR NO KEY UPDATE`,
  remove: sql`SELECT FROM datasets WHERE id = $1 FOR UPDATE`,
} as const

const counted = (rows: SqlText) => sql`SELECT count(*) FROM (${rows}) AS locked`

/** SQL that locks the labels of the dataset $1. */
const lockLabels = (wait: SqlText) =>
  counted(sql`SELECT FROM code_labels WHERE dataset_id = $1 ORDER BY field, code FOR UPDATE ${wait}`)

/** SQL that locks all rows of the dataset $1, always in the same order. */
const lockRows = (wait: SqlText) => [
  counted(sql`SELECT FROM items WHERE dataset_id = $1 ORDER BY id FOR UPDATE ${wait}`),
  counted(
    sql`SELECT FROM images WHERE item_id IN (SELECT id FROM items WHERE dataset_id = $1) ORDER BY id FOR UPDATE ${wait}`,
  ),
  lockLabels(wait),
]

/** SQL that locks the items and images that a merge changes or removes, which a table of changes (`planItems`) names. */
const lockChanges = (changes: SqlText) => [
  counted(
    sql`SELECT FROM items AS i JOIN ${changes} AS c USING (id) WHERE c.change = 'updated' FOR NO KEY UPDATE OF i NOWAIT`,
  ),
  counted(
    sql`SELECT FROM items AS i JOIN ${changes} AS c USING (id) WHERE c.change = 'removed' FOR UPDATE OF i NOWAIT`,
  ),
  counted(
    sql`SELECT FROM images WHERE item_id IN (SELECT id FROM ${changes} WHERE change <> 'created') FOR UPDATE NOWAIT`,
  ),
]

/** SQLSTATEs: a row that is not free, and a unique value that another session has just written. */
const TAKEN = new Set(['55P03', '23505'])

/** After this number of attempts, the work fails. */
const ATTEMPTS = 5
/** After this number of attempts, the writers of all datasets wait for the next one. */
const POLITE_ATTEMPTS = 3

/** Waits until no transaction has changed items, images or labels. Transactions that have not changed any wait then. */
const LOCK_TABLES = sql`LOCK TABLE items, images, code_labels IN SHARE ROW EXCLUSIVE MODE`

/**
 * Runs `work` in a transaction that has a dataset locked, and returns its result. The dataset need not exist. `work` locks the rows
 * that it will change without waiting (`lockAllRows`, `lockChangedRows`). If another session has one of them, the transaction
 * begins again, and waits for the rows first and for the dataset last, as the other sessions do. Sessions with several changes in
 * a transaction can be in the way even then, so the last attempts lock the tables.
 * @throws `OPERATION_FAILED` if other sessions are in the way again and again
 */
export async function withDatasetLocked<Result>(
  session: SqlSession,
  { id, slug, use }: { id: string; slug: string; use: keyof typeof LOCK_DATASET },
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(session, async () => {
        // Imports of the same dataset run one after the other, also before the dataset exists.
        await session.query(sql`SELECT pg_advisory_xact_lock(hashtextextended('catalog import ' || $1, 0))`, [slug])
        if (attempt > POLITE_ATTEMPTS) await session.query(LOCK_TABLES)
        if (attempt > 1) for (const lock of lockRows(sql``)) await session.query(lock, [id])
        await session.query(LOCK_DATASET[use], [id])
        return work()
      })
    } catch (error) {
      const isInTheWay = isConflict(error) || (error instanceof DatabaseError && TAKEN.has(error.code ?? ''))
      if (!isInTheWay) throw error
      const changed = `Other sessions changed the dataset ${slug} during each of ${ATTEMPTS} attempts`
      if (attempt === ATTEMPTS) throw operationFailed(`${changed}; nothing was changed; try again`, error)
    }
  }
}

/** Locks all rows of a dataset. @throws a conflict if another session has one of them */
export async function lockAllRows(session: SqlSession, datasetId: string): Promise<void> {
  for (const lock of lockRows(sql`NOWAIT`)) await session.query(lock, [datasetId])
}

/**
 * Locks the rows that a merge will change or remove, and the labels. An import that changes little writes little: a lock is written to
 * its row.
 * @param changes the table of changes
 * @throws a conflict if another session has one of them
 */
export async function lockChangedRows(session: SqlSession, changes: SqlText, datasetId: string): Promise<void> {
  for (const lock of lockChanges(changes)) await session.query(lock)
  await session.query(lockLabels(sql`NOWAIT`), [datasetId])
}
