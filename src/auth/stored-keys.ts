import type { Changes } from '../database/changes.ts'
import { Kept } from '../database/kept.ts'
import type { Workload } from '../database/workload.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type ApiKey, hashBytes, hashKey } from './api-key.ts'

/** A key as the database has it, good or not. */
export interface StoredKey extends ApiKey {
  revokedAt: Date | null
}

/** Finds the stored key of a token, null where there is none. */
export type FindKey = (token: string) => Promise<StoredKey | null>

/** So many keys are kept in memory, the least used given up first. */
const KEPT_KEYS = 10_000

/** Finds keys with their grants in the database, and keeps them for as long as nothing changes about them. */
export function storedKeys(prisma: PrismaClient, changes: Changes, work: Workload = (read) => read()): FindKey {
  const kept = new Kept<StoredKey>(changes, { limit: KEPT_KEYS })
  return (token) => {
    const hash = hashKey(token)
    return kept.load(
      hash,
      () =>
        work(() =>
          prisma.apiKey.findUnique({
            where: { hash: hashBytes(hash) },
            include: { grants: { select: { datasetId: true, expiresAt: true } } },
            omit: { hash: true },
          }),
        ),
      ({ id }) => [`key ${id}`],
    )
  }
}
