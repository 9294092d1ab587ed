import { outsideRequests } from '../database/cancellation.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { SqlReader } from '../database/sql-reader.ts'

/*
 * Origins of web pages (RFC 6454). A browser says the origin of a page with its requests, so a key with origins is of no use in the page
 * of somebody who copied it. Other programs can send any origin.
 */

/** The origin of an HTTP URL that has no path, in the form in which browsers send it; undefined for any other text. */
export function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined
}

/** The origin of the page that sent a request; without `Origin`, that of the page in `Referer`. */
export function pageOriginOf(headers: {
  origin?: string | undefined
  referer?: string | undefined
}): string | undefined {
  return headers.origin ?? URL.parse(headers.referer ?? '')?.origin
}

/** Returns the origins of all keys that are not revoked. */
export type FindKeyOrigins = () => Promise<ReadonlySet<string>>

/** Returns a function that reads the origins of all keys, and caches them until a key changes. */
export function cacheKeyOrigins(sql: SqlReader, changeFeed: ChangeFeed): FindKeyOrigins {
  const cache = new RevisionCache<ReadonlySet<string>>(changeFeed, { limit: 1 })
  const read = () => readKeyOrigins(sql)
  let shared: Promise<ReadonlySet<string>> | undefined
  const readShared = () => {
    shared ??= outsideRequests(read).finally(() => {
      shared = undefined
    })
    return shared
  }
  return async () => {
    // Nothing can be cached then, and anybody can send preflight requests.
    if (changeFeed.latest() === undefined) return readShared()
    return (await cache.load('all', read, () => ['keys'])) ?? new Set()
  }
}

async function readKeyOrigins(sql: SqlReader): Promise<ReadonlySet<string>> {
  const rows = await sql.$queryRaw<{ origin: string }[]>`
    SELECT DISTINCT unnest(origins) AS origin FROM api_keys WHERE revoked_at IS NULL`
  return new Set(rows.map(({ origin }) => origin))
}
