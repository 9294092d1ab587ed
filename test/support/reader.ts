import type { Catalog } from '../../src/catalog/catalog.ts'
import { createSnapshotReader } from '../../src/catalog/snapshot-reader.ts'
import type { Database } from '../../src/database/database.ts'
import { silentChangeFeed } from './changes.ts'
import { keyWith } from './key.ts'

/** Returns a function that reads from the catalog with a key without tiers and grants, and without cached values. */
export function createPublicReader(
  database: Database,
): <Result>(read: (catalog: Catalog) => Promise<Result>) => Promise<Result> {
  // With a feed that may miss changes, each read would be a transaction.
  const reader = createSnapshotReader(database, { ...silentChangeFeed, latest: () => 0 })
  const caller = { key: keyWith(), now: new Date() }
  return async (read) => (await reader(caller, async () => caller)(read)).result
}
