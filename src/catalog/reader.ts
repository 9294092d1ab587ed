import type { PrismaClient } from '../generated/prisma/client.ts'
import type { Access } from './access.ts'
import { Catalog } from './catalog.ts'
import { createSources } from './sources.ts'

/** Reads from the catalog as it is at one moment. */
export type ReadCatalog = <Result>(read: (catalog: Catalog) => Promise<Result>) => Promise<Result>

const SNAPSHOT_TIMEOUT_MS = 20_000
const SNAPSHOT_WAIT_MS = 5_000

/**
 * Gives the way for one API key to read: all of a read's statements see the same state of the database, so that no answer has
 * one half from before an import and the other from after it.
 */
export function catalogReader(prisma: PrismaClient, access: Access, now: Date): ReadCatalog {
  const options = { isolationLevel: 'RepeatableRead', timeout: SNAPSHOT_TIMEOUT_MS, maxWait: SNAPSHOT_WAIT_MS } as const
  return (read) => prisma.$transaction((snapshot) => read(new Catalog(createSources(snapshot), access, now)), options)
}
