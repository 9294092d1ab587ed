import { operationFailed } from '../errors/errors.ts'
import { type Change, type ChangeCounts, DEFAULT_ORIGIN, recordChange } from '../history/record.ts'
import { type SqlSession, sql } from '../sql.ts'
import { lockAllRows, withDatasetLocked } from './load/dataset-lock.ts'

/** What a dataset has. */
export interface DatasetContent {
  items: number
  grants: number
}

/**
 * Removes a dataset with its items, images, labels and grants, unless it has more than `confirmed`.
 * @returns what the dataset had, and whether it was removed
 * @throws `OPERATION_FAILED` if another session removed it first, or if other sessions are in the way
 */
export async function removeDataset(
  session: SqlSession,
  { id, slug }: { id: string; slug: string },
  confirmed: DatasetContent = { items: Number.POSITIVE_INFINITY, grants: Number.POSITIVE_INFINITY },
  origin = DEFAULT_ORIGIN,
): Promise<DatasetContent & { isRemoved: boolean }> {
  return withDatasetLocked(session, { id, slug, use: 'remove' }, async () => {
    const { rows } = await session.query<DatasetContent>(
      sql`SELECT (SELECT count(*) FROM items WHERE dataset_id = d.id)::integer AS items,
              (SELECT count(*) FROM grants WHERE dataset_id = d.id)::integer AS grants
         FROM datasets AS d WHERE id = $1`,
      [id],
    )
    const [content] = rows
    if (!content) throw operationFailed(`The dataset ${slug} was removed meanwhile`)
    if (content.items > confirmed.items || content.grants > confirmed.grants) return { ...content, isRemoved: false }
    await deleteDataset({ session, datasetId: id, action: 'remove', origin })
    return { ...content, isRemoved: true }
  })
}

/** Removes a dataset, as one entry of its history. The caller has a transaction and the dataset locked. */
export async function deleteDataset(
  change: Pick<Change, 'session' | 'datasetId' | 'action' | 'origin' | 'undoneId'>,
): Promise<ChangeCounts> {
  const { session, datasetId } = change
  await lockAllRows(session, datasetId)
  const touched = sql`SELECT id FROM items WHERE dataset_id = $2`
  return recordChange({ ...change, touched, removesDataset: true }, async () => {
    const { rows } = await session.query<{ removed: number }>(
      sql`WITH gone AS (DELETE FROM datasets WHERE id = $1) SELECT count(*)::integer AS removed FROM items WHERE dataset_id = $1`,
      [datasetId],
    )
    return { created: 0, updated: 0, removed: rows[0]?.removed ?? 0 }
  })
}
