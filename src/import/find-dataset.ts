import { v5 as uuidV5 } from 'uuid'
import { operationFailed } from '../errors/errors.ts'
import type { ManifestDataset } from '../rows/manifest.ts'
import { type SqlSession, sql } from '../sql.ts'

/**
 * Returns the UUID of the dataset: from the database (by slug), or else from the manifest, or else derived from the slug. Also
 * returns whether the database has the dataset.
 * @throws `OPERATION_FAILED` if another dataset has the UUID
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
