import { operationFailed } from '../errors.ts'
import { type SqlSession, sql } from '../sql.ts'
import { DEFAULT_ORIGIN, recordChange } from './history/record.ts'
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
    await lockAllRows(session, id)
    const touched = sql`SELECT id FROM items WHERE dataset_id = $2`
    const change = { session, datasetId: id, action: 'remove' as const, origin, touched, removesDataset: true }
    await recordChange(change, async () => {
      await session.query(sql`DELETE FROM datasets WHERE id = $1`, [id])
      return { created: 0, updated: 0, removed: content.items }
    })
    return { ...content, isRemoved: true }
  })
}
