import type { Backpressure } from '../database/backpressure.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type ApiKey, hashBytes, hashKey } from './api-key.ts'

/** A key from the database, valid or not. */
export interface StoredKey extends ApiKey {
  revokedAt: Date | null
}

/** Returns the stored key of a token; null if there is none. */
export type FindKey = (token: string) => Promise<StoredKey | null>

/** Above this number, the cache removes the least recently used key. */
const MAX_CACHED_KEYS = 10_000

/** Returns a function that finds keys with their grants in the database. It caches each key until the key changes. */
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
      () => work(() => findByHash(prisma, hashBytes(hash))),
      ({ id }) => [`key ${id}`],
    )
  }
}

const WITH_GRANTS = {
  include: { grants: { select: { datasetId: true, expiresAt: true } } },
  omit: { hash: true },
} as const

/**
 * Finds a key by its current secret, or by a retired secret, with which it may expire earlier. A rotation retires a secret in one
 * transaction, so a search for the current secret first and the retired one second misses no secret.
 */
async function findByHash(prisma: PrismaClient, hash: Uint8Array<ArrayBuffer>): Promise<StoredKey | null> {
  const current = await prisma.apiKey.findUnique({ where: { hash }, ...WITH_GRANTS })
  if (current) return current
  const retired = await prisma.retiredSecret.findUnique({
    where: { hash },
    select: { expiresAt: true, apiKey: WITH_GRANTS },
  })
  if (!retired) return null
  const { expiresAt, apiKey } = retired
  return { ...apiKey, expiresAt: apiKey.expiresAt && apiKey.expiresAt < expiresAt ? apiKey.expiresAt : expiresAt }
}
