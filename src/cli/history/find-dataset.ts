import { resolveDataset } from '../../auth/names.ts'
import type { Database } from '../../database/database.ts'
import { findKnownDataset, type KnownDataset } from '../../history/entries.ts'
import type { SqlSession } from '../../sql.ts'

/**
 * Finds a dataset by its slug or id, also one that was removed, or as the other commands find it.
 * @throws `OPERATION_FAILED` if no dataset or several datasets match, or if it was renamed
 */
export async function findDataset({ prisma }: Database, session: SqlSession, text: string): Promise<KnownDataset> {
  const known = await findKnownDataset(session, text)
  return known ?? { ...(await resolveDataset(prisma, text)), exists: true }
}
