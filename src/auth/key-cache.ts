import type { Backpressure } from '../database/backpressure.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type ApiKey, hashBytes, hashKey } from './api-key.ts'

/** A key from the database, valid or not. */
export interface StoredKey extends ApiKey {
  revokedAt: Date | null
}

/** Finds the stored key of a token; null if there is none. */
export type FindKey = (token: string) => Promise<StoredKey | null>

/** Above this number the least recently used key is removed. */
const MAX_CACHED_KEYS = 10_000

/** Finds keys with their grants in the database, and caches each until it changes. */
export function createKeyCache(
  prisma: PrismaClient,
  changeFeed: ChangeFeed,
  work: Backpressure = (read) => read(),
): FindKey {
  const cache = new RevisionCache<StoredKey>(changeFeed, { limit: MAX_CACHED_KEYS })
  return (token) => {
    const hash = hashKey(token)
    return cache.load(
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
