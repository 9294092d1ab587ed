import { originOfUrl } from '../config/origin.ts'
import { outsideRequests } from '../database/cancellation.ts'
import type { ChangeFeed } from '../database/change-feed.ts'
import { RevisionCache } from '../database/revision-cache.ts'
import type { SqlReader } from '../database/sql-reader.ts'

/*
 * Origins of web pages (RFC 6454). A browser says the origin of a page with its requests, so a key with origins is of no use in the page
 * of somebody who copied it. Other programs can send any origin.
 */

/** The origin of the page that sent a request; without `Origin`, that of the page in `Referer`. */
export function pageOriginOf(headers: {
  origin?: string | undefined
  referer?: string | undefined
}): string | undefined {
  const page = URL.parse(headers.referer ?? '')
  return headers.origin ?? (page ? originOfUrl(page) : undefined)
}

/** The origins of the keys that are not revoked. */
export interface KeyOrigins {
  all: ReadonlySet<string>
  /** Those of each key that has some, by its id. */
  byKey: ReadonlyMap<string, readonly string[]>
}

export type FindKeyOrigins = () => Promise<KeyOrigins>

/** Returns a function that reads the origins of all keys, and caches them until a key changes. */
export function cacheKeyOrigins(sql: SqlReader, changeFeed: ChangeFeed): FindKeyOrigins {
  const cache = new RevisionCache<KeyOrigins>(changeFeed, { limit: 1 })
  const read = () => readKeyOrigins(sql)
  let shared: Promise<KeyOrigins> | undefined
  const readShared = () => {
    shared ??= outsideRequests(read).finally(() => {
      shared = undefined
    })
    return shared
  }
  return async () => {
    // Nothing can be cached then, and anybody can send preflight requests.
    if (changeFeed.latest() === undefined) return readShared()
    return (await cache.load('all', read, () => ['keys'])) ?? readShared()
  }
}

async function readKeyOrigins(sql: SqlReader): Promise<KeyOrigins> {
  const rows = await sql.$queryRaw<{ id: string; origins: string[] }[]>`
    SELECT id, origins FROM api_keys WHERE revoked_at IS NULL AND origins <> '{}'`
  return {
    all: new Set(rows.flatMap(({ origins }) => origins)),
    byKey: new Map(rows.map(({ id, origins }) => [id, origins])),
  }
}
