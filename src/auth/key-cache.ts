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
      () => work(() => findByHash(prisma, hashBytes(hash))),
      ({ id }) => [`key ${id}`],
    )
  }
}

const WITH_GRANTS = {
  include: { grants: { select: { datasetId: true, expiresAt: true } } },
  omit: { hash: true },
} as const

/** A retired secret gives the key an earlier expiry. A rotation moves a secret in one transaction, so this order misses none. */
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
