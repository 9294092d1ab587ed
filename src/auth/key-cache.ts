import DataLoader from 'dataloader'
import { z } from 'zod'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { SqlReader } from '../database/sql-reader.ts'
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
export function createKeyCache(sql: SqlReader, changeFeed: ChangeFeed): FindKey {
  const cache = new RevisionCache<StoredKey>(changeFeed, { limit: MAX_CACHED_KEYS })
  const findByHash = createFinder(sql)
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
function createFinder(sql: SqlReader): (hash: string) => Promise<StoredKey | null> {
  let search: Promise<unknown> = Promise.resolve()
  const loader = new DataLoader(
    (hashes: readonly string[]) => {
      const found = findByHashes(sql, hashes)
      search = found.catch(() => {})
      return found
    },
    { cache: false, batchScheduleFn: (begin) => void search.then(begin) },
  )
  return (hash) => loader.load(hash)
}

const date = z.string().transform((text) => new Date(text))
const expiry = z
  .string()
  .nullable()
  .transform((text) => (text === null || text === 'infinity' ? null : new Date(text)))

/** A key as the statement below returns it. */
const storedKey = z.object({
  id: z.string(),
  name: z.string(),
  accessTiers: z.array(z.string()),
  requestsPerMinute: z.number().nullable(),
  expiresAt: expiry,
  revokedAt: date.nullable(),
  grants: z.array(z.object({ datasetId: z.string(), expiresAt: expiry })),
})

/**
 * Finds keys by their current secret, or by a retired secret, with which they may expire earlier. It is one statement, so a key has
 * the tiers and grants of one moment.
 */
async function findByHashes(sql: SqlReader, hashes: readonly string[]): Promise<(StoredKey | null)[]> {
  const rows = await sql.$queryRaw<{ n: number; key: string }[]>`
    SELECT sought.n::integer AS n, (
             SELECT row_to_json(found) FROM (
               SELECT k.id, k.name, k.access_tiers AS "accessTiers", k.requests_per_minute AS "requestsPerMinute",
                      least(k.expires_at, secret.expires_at) AS "expiresAt", k.revoked_at AS "revokedAt",
                      array_to_json(ARRAY(SELECT g FROM (
                        SELECT dataset_id AS "datasetId", expires_at AS "expiresAt" FROM grants WHERE api_key_id = k.id
                      ) AS g)) AS grants
             ) AS found
           )::text AS key
      FROM unnest(${hashes.map(hashBytes)}::bytea[]) WITH ORDINALITY AS sought (hash, n)
     CROSS JOIN LATERAL (
            SELECT id, NULL::timestamptz AS expires_at FROM api_keys WHERE hash = sought.hash
             UNION ALL
            SELECT api_key_id, expires_at FROM retired_secrets WHERE hash = sought.hash
             LIMIT 1
          ) AS secret
      JOIN api_keys k ON k.id = secret.id`
  const keys = new Map(rows.map(({ n, key }) => [n - 1, storedKey.parse(JSON.parse(key))]))
  return hashes.map((_, n) => keys.get(n) ?? null)
}
