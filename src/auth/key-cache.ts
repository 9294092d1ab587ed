import DataLoader from 'dataloader'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type ApiKey, hashBytes, hashKey, hashText } from './api-key.ts'

/** A key from the database, valid or not. */
export interface StoredKey extends ApiKey {
  revokedAt: Date | null
}

/** Returns the stored key of a token; null if there is none. */
export type FindKey = (token: string) => Promise<StoredKey | null>

/** Above this number, the cache removes the least recently used key. */
const MAX_CACHED_KEYS = 10_000

/** Returns a function that finds keys with their grants in the database. It caches each key until the key changes. */
export function createKeyCache(prisma: PrismaClient, changeFeed: ChangeFeed): FindKey {
  const cache = new RevisionCache<StoredKey>(changeFeed, { limit: MAX_CACHED_KEYS })
  const findByHash = createFinder(prisma)
  return (token) => {
    const hash = hashKey(token)
    return cache.load(
      hash,
      () => findByHash(hash),
      ({ id }) => [`key ${id}`],
    )
  }
}

/**
 * Returns a function that finds a key by its hash in the database. One search runs at a time, for all hashes that have arrived:
 * anybody can send any number of unknown keys, and they must not take the connections and places of requests with a valid key.
 */
function createFinder(prisma: PrismaClient): (hash: string) => Promise<StoredKey | null> {
  let search: Promise<unknown> = Promise.resolve()
  const loader = new DataLoader(
    (hashes: readonly string[]) => {
      const found = findByHashes(prisma, hashes)
      search = found.catch(() => {})
      return found
    },
    { cache: false, batchScheduleFn: (begin) => void search.then(begin) },
  )
  return (hash) => loader.load(hash)
}

const GRANTS = { grants: { select: { datasetId: true, expiresAt: true } } } as const

/**
 * Finds keys by their current secret, or by a retired secret, with which they may expire earlier. A rotation retires a secret in
 * one transaction, so a search for the current secrets first and the retired ones second misses no secret.
 */
async function findByHashes(prisma: PrismaClient, hashes: readonly string[]): Promise<(StoredKey | null)[]> {
  const found = new Map<string, StoredKey>()
  const current = await prisma.apiKey.findMany({ where: { hash: { in: hashes.map(hashBytes) } }, include: GRANTS })
  for (const { hash, ...apiKey } of current) found.set(hashText(hash), apiKey)
  const others = hashes.filter((hash) => !found.has(hash))
  if (others.length > 0) {
    const retired = await prisma.retiredSecret.findMany({
      where: { hash: { in: others.map(hashBytes) } },
      select: { hash: true, expiresAt: true, apiKey: { include: GRANTS, omit: { hash: true } } },
    })
    for (const { hash, expiresAt, apiKey } of retired) {
      const expiresFirst = apiKey.expiresAt && apiKey.expiresAt < expiresAt ? apiKey.expiresAt : expiresAt
      found.set(hashText(hash), { ...apiKey, expiresAt: expiresFirst })
    }
  }
  return hashes.map((hash) => found.get(hash) ?? null)
}
