import { hash, randomBytes } from 'node:crypto'
import DataLoader from 'dataloader'
import type { ApiKey } from '../catalog/access.ts'
import { outsideRequests } from '../database/cancellation.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { SqlReader } from '../database/sql-reader.ts'
import { CatalogError } from '../errors/errors.ts'

const PREFIX = 'dck_'
const RANDOM_BYTES = 32
const SHAPE = /^dck_[A-Za-z0-9_-]{43,128}$/

/** Returns a new key: `dck_` and 256 random bits in base64url. */
export function generateKey(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64url')
}

/** Whether a text has the form of a key. */
export function isKeyShaped(text: string): boolean {
  return SHAPE.test(text)
}

/**
 * Returns the SHA-256 of a key in base64url. The database stores only this hash. A key has 256 random bits, so it needs no salt
 * and no slow hash.
 */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Returns the bytes of a hash, as the database stores them. */
export function hashBytes(keyHash: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(keyHash, 'base64url'))
}

/** Whether a key works at the time `now`: it is not revoked and has not expired. */
export function isValidKey(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

/**
 * Returns the API key of an `Authorization` header (RFC 6750 section 2.1). The key is valid at `now`.
 * @throws `UNAUTHORIZED`, which does not say whether the key is unknown, expired or revoked
 */
export async function authenticate(
  findKey: FindKey,
  authorization: string,
  now: Date,
  snapshot?: SqlReader,
): Promise<ApiKey> {
  const token = bearerToken(authorization)
  if (token === undefined || !isKeyShaped(token)) throw new CatalogError('UNAUTHORIZED', `${INVALID}: ${FORM}`)
  const key = await findKey(token, snapshot)
  if (!key || !isValidKey(key, now)) throw new CatalogError('UNAUTHORIZED', INVALID)
  return key
}

/** Whether an `Authorization` header has the scheme of bearer tokens, whose name is case-insensitive (RFC 9110 section 11.1). */
export function sendsBearer(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^bearer(?: |$)/i.test(authorization)
}

/** Returns the token of such a header; undefined if it is malformed. */
export function bearerToken(authorization: string): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]
}

/**
 * Returns the value of `WWW-Authenticate` for a refused request. It names an error only if the request has a bearer token (RFC
 * 6750 section 3.1).
 */
export function challenge(authorization: string | undefined): string {
  const realm = 'Bearer realm="dataset-catalog"'
  if (!sendsBearer(authorization)) return realm
  return `${realm}, error="invalid_token", error_description="${INVALID}"`
}

/** The message of a 401 to a bearer token. */
const INVALID = 'The API key is not valid'
/** Said of what can't be a key, because people copy a part of it. It tells nothing of stored keys. */
const FORM = `a key begins with ${PREFIX} and has ${PREFIX.length + Math.ceil((RANDOM_BYTES * 8) / 6)} characters`

/** A key from the database, valid or not. */
export interface StoredKey extends ApiKey {
  revokedAt: Date | null
}

/** Finds stored keys. */
export interface FindKey {
  /** Returns the stored key of a token, as it is now or as a snapshot has it; null if there is none. */
  (token: string, snapshot?: SqlReader): Promise<StoredKey | null>
  /** Whether the cache has a key that was found before, and it has not changed since. It is much cheaper than to find the key again. */
  isUnchanged: (key: ApiKey) => boolean
}

/** Above this number, the cache removes the least recently used key. */
const MAX_CACHED_KEYS = 10_000

/**
 * Returns a function that finds keys with their grants in the database. It caches each key until the key changes: two lookups return
 * the same object only if the key has not changed between them.
 */
export function createKeyCache(sql: SqlReader, changeFeed: ChangeFeed): FindKey {
  const cache = new RevisionCache<StoredKey>(changeFeed, { limit: MAX_CACHED_KEYS })
  const findByHash = createFinder(sql)
  const hashes = new WeakMap<ApiKey, string>()
  const find = (token: string, snapshot?: SqlReader) => {
    const hash = hashKey(token)
    if (snapshot) return findByHashes(snapshot, [hash]).then(([key]) => key ?? null)
    const read = async () => {
      const key = await findByHash(hash)
      if (key) hashes.set(key, hash)
      return key
    }
    return cache.load(hash, read, ({ id }) => [`key ${id}`])
  }
  const isUnchanged = (key: ApiKey) => cache.find(hashes.get(key) ?? '') === key
  return Object.assign(find, { isUnchanged })
}

/**
 * Returns a function that finds a key by its hash in the database. One search runs at a time, for all hashes that have arrived:
 * a client can send any number of unknown keys, and they must not take the connections and places of requests with a valid key.
 */
function createFinder(sql: SqlReader): (hash: string) => Promise<StoredKey | null> {
  let search: Promise<unknown> = Promise.resolve()
  const loader = new DataLoader(
    (hashes: readonly string[]) => {
      const found = outsideRequests(() => findByHashes(sql, hashes))
      search = found.catch(() => {})
      return found
    },
    { cache: false, batchScheduleFn: (begin) => void search.then(begin) },
  )
  return (hash) => loader.load(hash)
}

/** A row of the statement below. */
interface KeyRow extends Omit<StoredKey, keyof StoredTimes> {
  n: number
  /** JSON, because the form of times outside of JSON depends on settings of the session. */
  times: string
}

interface StoredTimes {
  expiresAt: string | null
  revokedAt: string | null
  grants: { datasetId: string; expiresAt: string | null }[]
}

/**
 * Finds keys by their current secret, or by a retired secret, with which they may expire earlier. It is one statement, so a key has
 * the tiers and grants of one moment.
 */
async function findByHashes(sql: SqlReader, hashes: readonly string[]): Promise<(StoredKey | null)[]> {
  const rows = await sql.$queryRaw<KeyRow[]>`
    SELECT sought.n::integer AS n, k.id, k.name, k.access_tiers AS "accessTiers", k.requests_per_minute AS "requestsPerMinute", k.items_per_minute AS "itemsPerMinute", k.origins,
           json_build_object('expiresAt', least(k.expires_at, secret.expires_at), 'revokedAt', k.revoked_at, 'grants', (
             SELECT coalesce(json_agg(json_build_object('datasetId', dataset_id, 'expiresAt', expires_at)), '[]')
               FROM grants WHERE api_key_id = k.id
           ))::text AS times
      FROM unnest(${hashes.map(hashBytes)}::bytea[]) WITH ORDINALITY AS sought (hash, n)
     CROSS JOIN LATERAL (
            SELECT id, NULL::timestamptz AS expires_at FROM api_keys WHERE hash = sought.hash
             UNION ALL
            SELECT api_key_id, expires_at FROM retired_secrets WHERE hash = sought.hash
             LIMIT 1
          ) AS secret
      JOIN api_keys k ON k.id = secret.id`
  const found = new Map(rows.map(({ n, times, ...key }) => [n - 1, { ...key, ...readTimes(times) }]))
  return hashes.map((_, n) => found.get(n) ?? null)
}

function readTimes(json: string): Pick<StoredKey, keyof StoredTimes> {
  const { expiresAt, revokedAt, grants }: StoredTimes = JSON.parse(json)
  return {
    expiresAt: readTime(expiresAt),
    revokedAt: readTime(revokedAt),
    grants: grants.map((grant) => ({ ...grant, expiresAt: readTime(grant.expiresAt) })),
  }
}

/** @throws `RangeError` if the time can't be read: null would mean that the key or the grant has no end */
function readTime(text: string | null): Date | null {
  if (text === null) return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new RangeError(`The time ${text} of a key can't be read`)
  return time
}
