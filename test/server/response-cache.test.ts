import { expect, test } from 'vitest'
import { ReadLog } from '../../src/catalog/snapshot/read-log.ts'
import { type ChangeFeed, silentChangeFeed } from '../../src/database/change-feed.ts'
import { ResponseBody } from '../../src/server/reply.ts'
import { ResponseCache } from '../../src/server/response-cache.ts'

test('a few requests of the greatest length displace no responses', () => {
  const feed: ChangeFeed = { ...silentChangeFeed, latest: () => 0, isUnchanged: () => true }
  const cache = new ResponseCache(feed, 64 * 1024 * 1024)
  const key = { accessTiers: [], grants: [] }
  const caller = { key, now: new Date(), since: 0 }
  const store = (request: string) => cache.store(request, new ResponseBody('{}'), caller, new ReadLog(key, caller.now))
  store('? a')
  for (let n = 0; n < 100; n += 1) store(`application/json {}${' '.repeat(255_000 + n)}`)
  expect(cache.find('? a', caller)).toBeDefined()
})
