import { expect, test } from 'vitest'
import { RequestUse } from '../../src/auth/key-usage.ts'
import type { ApiKey } from '../../src/catalog/access.ts'
import type { Dataset } from '../../src/catalog/models.ts'
import { DatasetList } from '../../src/catalog/snapshot/dataset-list.ts'
import { ReadLog } from '../../src/catalog/snapshot/read-log.ts'
import { ResponseBody } from '../../src/gateway/reply.ts'
import { ResponseCache } from '../../src/gateway/response-cache.ts'
import { createFeed } from '../support/changes.ts'
import { someDataset } from '../support/datasets.ts'
import { keyWith } from '../support/key.ts'

const now = new Date()
const nobody = keyWith()
const withGrant = (datasetId: string): ApiKey => ({ ...nobody, grants: [{ datasetId, expiresAt: null }] })
const aaa = someDataset('aaa', 1n, { visibility: 'restricted' })
const bbb = someDataset('bbb', 2n, { visibility: 'restricted' })
const zzz = someDataset('zzz', 3n)

/** What requests take, which is tested in usage.test.ts. */
const use = new RequestUse({ id: 'id', name: 'name' }, now, { usage: undefined, countItems: () => {} })

function createCache() {
  const { feed, notify } = createFeed()
  const cache = new ResponseCache(feed, 64 * 1024 * 1024)
  const find = (key: ApiKey, request = '? a') => cache.find(request, { key, now, use }).response?.body.toString()
  /** Makes a response that asks about datasets in this order. */
  const store = (key: ApiKey, asked: readonly Dataset[], text: string, { request = '? a', onAll = false } = {}) => {
    const found = cache.find(request, { key, now, use })
    const readLog = new ReadLog(new DatasetList([aaa, bbb, zzz]), key, now)
    for (const dataset of asked) readLog.mayAccess(dataset)
    if (onAll) readLog.dependOnAll()
    return { end: () => found.store(new ResponseBody(text), readLog) }
  }
  return { cache, find, store, notify }
}

test('a few requests of the greatest length displace no responses', () => {
  const { find, store } = createCache()
  store(nobody, [], '{}').end()
  for (let n = 0; n < 100; n += 1)
    store(nobody, [], '{}', { request: `application/json {}${' '.repeat(255_000 + n)}` }).end()
  expect(find(nobody)).toBeDefined()
})

test('a response goes to the keys for which the rule makes the same decisions, in whatever order they were asked for', () => {
  const { find, store } = createCache()
  const [a, b] = [withGrant('aaa'), withGrant('bbb')]
  store(nobody, [zzz, aaa, bbb], 'of nobody').end()
  store(b, [zzz, bbb, aaa], 'of b').end()
  expect([find(nobody), find(b), find(a)]).toEqual(['of nobody', 'of b', undefined])
  store(a, [aaa, zzz, bbb], 'of a').end()
  const both = { ...nobody, grants: [...a.grants, ...b.grants] }
  expect([find(nobody), find(b), find(a), find(both)]).toEqual(['of nobody', 'of b', 'of a', undefined])
})

test('the rule is evaluated for each lookup, at its time', () => {
  const { cache, store } = createCache()
  const key: ApiKey = { ...nobody, grants: [{ datasetId: 'aaa', expiresAt: new Date(now.getTime() + 1) }] }
  store(key, [aaa], 'granted').end()
  expect(cache.find('? a', { key, now, use }).response).toBeDefined()
  expect(cache.find('? a', { key, now: new Date(now.getTime() + 1), use }).response).toBeUndefined()
})

test('a response is dropped when a dataset that it asked about changes, and one of all datasets when any dataset does', () => {
  const { find, store, notify } = createCache()
  store(nobody, [zzz], 'one', { request: 'one' }).end()
  store(nobody, [aaa, bbb, zzz], 'all', { request: 'all', onAll: true }).end()
  notify('dataset new')
  expect([find(nobody, 'one'), find(nobody, 'all')]).toEqual(['one', undefined])
  notify('dataset zzz')
  expect(find(nobody, 'one')).toBeUndefined()
})

test('of two concurrent reads, the one that saw an earlier state and ends later is not stored', () => {
  const { find, store, notify } = createCache()
  const first = store(nobody, [zzz], '1')
  store(nobody, [zzz], '2').end()
  first.end()
  expect(find(nobody)).toBe('2')
  // The read of state 4 began before the last notification, so its value is not used, but a client has got it.
  notify('dataset zzz')
  const fourth = store(nobody, [zzz], '4')
  notify('dataset zzz')
  const third = store(nobody, [zzz], '3')
  fourth.end()
  third.end()
  expect(find(nobody)).toBeUndefined()
  notify('dataset zzz')
  store(nobody, [zzz], '4').end()
  expect(find(nobody)).toBe('4')
})
