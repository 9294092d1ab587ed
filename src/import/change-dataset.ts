import { v5 as uuidV5 } from 'uuid'
import type { z } from 'zod'
import { isUniqueViolation } from '../database/client.ts'
import { inTransaction } from '../database/transaction.ts'
import { operationFailed } from '../errors/errors.ts'
import { type Change, type ChangeCounts, DEFAULT_ORIGIN, recordChange } from '../history/record.ts'
import { columnsOf, datasetFields, type ManifestDataset } from '../rows/manifest.ts'
import { describeIssues, ISSUE_OPTIONS } from '../rows/problem.ts'
import { type SqlSession, sql } from '../sql.ts'
import { lockAllRows, withDatasetLocked } from './dataset-lock.ts'
import { mergeDataset } from './merge.ts'

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
  return recordChange({ ...change, touched: sql`true`, removesDataset: true }, async () => {
    const { rows } = await session.query<{ removed: number }>(
      sql`WITH gone AS (DELETE FROM datasets WHERE id = $1) SELECT count(*)::integer AS removed FROM items WHERE dataset_id = $1`,
      [datasetId],
    )
    return { created: 0, updated: 0, removed: rows[0]?.removed ?? 0 }
  })
}

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

/**
 * Returns the UUID of the dataset: from the database (by slug), or else from the manifest, or else derived from the slug. Also
 * returns whether the database has the dataset.
 * @throws `OPERATION_FAILED` if another dataset has the UUID, the manifest gives another UUID than the database, or the dataset has another slug now
 */
export async function findDataset(
  session: SqlSession,
  { id, slug }: ManifestDataset,
): Promise<{ id: string; exists: boolean }> {
  const newId = id ?? uuidV5(slug, uuidV5.URL)
  const { rows } = await session.query<{ id: string; slug: string }>(
    sql`SELECT id, slug FROM datasets WHERE slug = $1 OR id = $2`,
    [slug, newId],
  )
  const known = rows.find((row) => row.slug === slug)
  if (known && id !== undefined && known.id !== id) {
    throw operationFailed(`The dataset ${slug} has the id ${known.id}, and the manifest says ${id}`)
  }
  if (known) return { id: known.id, exists: true }
  const [other] = rows
  if (!other) return { id: newId, exists: false }
  if (id !== undefined) throw operationFailed(`The id ${other.id} belongs to the dataset ${other.slug}`)
  throw operationFailed(
    `The dataset ${slug} was renamed: its slug is now ${other.slug}. Set dataset.slug to it, or give another dataset.id`,
  )
}
