import type { z } from 'zod'
import { isUniqueViolation } from '../database/client.ts'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors/errors.ts'
import { DEFAULT_ORIGIN, recordChange } from '../history/record.ts'
import { type SqlSession, sql } from '../sql.ts'
import { columnsOf, datasetFields } from './dataset-fields.ts'
import { describeIssues, ISSUE_OPTIONS } from './issues.ts'
import { mergeDataset } from './load/merge.ts'

const changes = datasetFields.omit({ id: true, createdAt: true, updatedAt: true }).partial()

/** New values of the fields of a dataset. A field that is undefined stays as it is. */
type DatasetChanges = Partial<Record<keyof z.input<typeof changes>, string>>

/**
 * Changes fields of a dataset, and moves its `updatedAt`. Waits while an import of the dataset merges.
 * @param nameOf gives the name of a field in messages
 * @throws `OPERATION_FAILED` with a line for each bad value, or when another dataset has the slug
 */
export async function updateDataset(
  session: SqlSession,
  id: string,
  given: DatasetChanges,
  nameOf: (field: string) => string,
  origin = DEFAULT_ORIGIN,
): Promise<void> {
  const parsed = changes.safeParse(given, ISSUE_OPTIONS)
  if (!parsed.success) {
    const lines = describeIssues(parsed.error).map((line) => line.replace(/^\w+/, nameOf))
    throw operationFailed(lines, parsed.error)
  }
  // A field that was not given must not become null.
  const fields = Object.entries(parsed.data).filter(([field]) => Object.hasOwn(given, field))
  const columns = columnsOf(Object.fromEntries(fields))
  const now = new Date()
  try {
    await inTransaction(session, async () => {
      const { rowCount } = await session.query(sql`SELECT FROM datasets WHERE id = $1 FOR NO KEY UPDATE`, [id])
      if (rowCount === 0) throw operationFailed('The dataset was removed meanwhile')
      await recordChange({ session, datasetId: id, action: 'update', origin }, async () => {
        await mergeDataset({ session, datasetId: id, now }, { ...columns, updated_at: now }, true)
        return { created: 0, updated: 0, removed: 0 }
      })
    })
  } catch (error) {
    if (isUniqueViolation(error))
      throw operationFailed(`${nameOf('slug')} ${given.slug} is taken by another dataset`, error)
    throw error
  }
}
