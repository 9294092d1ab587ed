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

test('of two concurrent reads, the one that saw an earlier state and ends later is not stored', () => {
  let latest = 0
  const feed: ChangeFeed = {
    ...silentChangeFeed,
    latest: () => latest,
    isUnchanged: (_topics, since) => since === latest,
  }
  const cache = new ResponseCache(feed, 64 * 1024 * 1024)
  const key = { accessTiers: [], grants: [] }
  const now = new Date()
  const store = (revision: bigint, since: number) => {
    const readLog = new ReadLog(key, now)
    readLog.observe({ id: 'a', revision }, 0)
    cache.store('? a', new ResponseBody(String(revision)), { key, now, since }, readLog)
  }
  const cached = () => cache.find('? a', { key, now, since: latest })?.body.toString()
  store(2n, 0)
  store(1n, 0)
  expect(cached()).toBe('2')
  // The read of revision 4 began before the notification of revision 2, so its value is not used, but a client has got it.
  latest = 1
  store(4n, 0)
  store(3n, 1)
  expect(cached()).toBeUndefined()
  latest = 2
  store(4n, 2)
  expect(cached()).toBe('4')
})
