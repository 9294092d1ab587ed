import type { Backpressure } from '../database/backpressure.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type ApiKey, hashBytes, hashKey } from './api-key.ts'

/** A key as the database has it, good or not. */
export interface StoredKey extends ApiKey {
  revokedAt: Date | null
}

/** Finds the stored key of a token, null where there is none. */
export type FindKey = (token: string) => Promise<StoredKey | null>

/** So many keys are kept in memory, the least used given up first. */
const MAX_CACHED_KEYS = 10_000

/** Finds keys with their grants in the database, and keeps them for as long as nothing changes about them. */
export function createKeyCache(
  prisma: PrismaClient,
  changeFeed: ChangeFeed,
  work: Backpressure = (read) => read(),
): FindKey {
  const kept = new RevisionCache<StoredKey>(changeFeed, { limit: MAX_CACHED_KEYS })
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
