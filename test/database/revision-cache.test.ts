import { expect, test } from 'vitest'
import { Cancellation, currentCancellation, withCancellation } from '../../src/database/cancellation.ts'
import { type ChangeFeed, FeedState } from '../../src/database/change-feed.ts'
import { RevisionCache } from '../../src/database/revision-cache.ts'
import { createFeed, silentChangeFeed } from '../support/changes.ts'

function openCache(options: ConstructorParameters<typeof RevisionCache<string>>[1] = { limit: 10 }) {
  const { feed, notify } = createFeed()
  return { cache: new RevisionCache<string>(feed, options), notify }
}

const topicsOf = () => ['dataset a'] as const

test('a value is cached until one of its topics changes', () => {
  const { cache, notify } = openCache()
  const value = () => cache.lookup('k').value
  cache.lookup('k').store('first', ['dataset a', 'dataset b'])
  expect(value()).toBe('first')
  notify('dataset c')
  notify('key a')
  expect(value()).toBe('first')
  notify('dataset b')
  expect(value()).toBeUndefined()
  cache.lookup('k').store('second', ['datasets'])
  expect(value()).toBe('second')
  notify('dataset c')
  expect(value()).toBeUndefined()
})

test('a value whose topic changes during its read is never returned', async () => {
  const { cache, notify } = openCache()
  const { store } = cache.lookup('k')
  notify('dataset a')
  store('old', ['dataset a'])
  expect(cache.lookup('k').value).toBeUndefined()
  const read = Promise.withResolvers<string>()
  const loading = cache.load('k', () => read.promise, topicsOf)
  notify('dataset a')
  read.resolve('old')
  expect(await loading).toBe('old')
  expect(await cache.load('k', async () => 'new', topicsOf)).toBe('new')
})

test('concurrent loads share a read, but not one that began before a change', async () => {
  const { cache, notify } = openCache()
  const reads: PromiseWithResolvers<string>[] = []
  const load = () =>
    cache.load(
      'k',
      () => {
        const read = Promise.withResolvers<string>()
        reads.push(read)
        return read.promise
      },
      topicsOf,
    )
  const before = [load(), load()]
  expect(reads).toHaveLength(1)
  notify('dataset a')
  const after = [load(), load()]
  expect(reads).toHaveLength(2)
  reads[1]?.resolve('new')
  expect(await Promise.all(after)).toEqual(['new', 'new'])
  reads[0]?.resolve('old')
  expect(await Promise.all(before)).toEqual(['old', 'old'])
  expect(cache.lookup('k').value).toBe('new')
})

test('of two concurrent reads, the one that ends later is not stored, also if the value of the first is no longer current', () => {
  const { cache, notify } = openCache()
  const older = cache.lookup('k')
  cache.lookup('k').store('new', ['dataset a'])
  older.store('old', ['dataset a'])
  expect(cache.lookup('k').value).toBe('new')
  const early = cache.lookup('k')
  notify('dataset a')
  const late = cache.lookup('k')
  early.store('of a change without notification yet', ['dataset a'])
  late.store('before that change', ['dataset a'])
  expect(cache.lookup('k').value).toBeUndefined()
  cache.lookup('k').store('newest', ['dataset a'])
  expect(cache.lookup('k').value).toBe('newest')
})

test('a key has a value for each kind of caller, and a new value replaces only that of the same callers', () => {
  const { feed, notify } = createFeed()
  const cache = new RevisionCache<{ caller: string; value: number; topic: `dataset ${string}` }>(feed, { limit: 10 })
  const find = (caller: string) => cache.lookup('k', (stored) => stored.caller === caller)
  for (const [n, caller] of ['a', 'b'].entries())
    find(caller).store({ caller, value: n, topic: `dataset ${caller}` }, [`dataset ${caller}`])
  expect([find('a').value?.value, find('b').value?.value, find('c').value]).toEqual([0, 1, undefined])
  notify('dataset a')
  expect([find('a').value, find('b').value?.value]).toEqual([undefined, 1])
  find('a').store({ caller: 'a', value: 2, topic: 'dataset a' }, ['dataset a'])
  expect([find('a').value?.value, find('b').value?.value]).toEqual([2, 1])
  // The number of callers is bounded, and the values that were stored first go first.
  for (let n = 0; n < 63; n += 1) find(`${n}`).store({ caller: `${n}`, value: n, topic: 'dataset a' }, ['dataset a'])
  expect([find('b').value, find('a').value?.value, find('62').value?.value]).toEqual([undefined, 2, 62])
})

test('null is not cached, and nothing is while the change feed is down', async () => {
  const { cache } = openCache()
  expect(await cache.load('k', async () => null, topicsOf)).toBeNull()
  expect(await cache.load('k', async () => 'found', topicsOf)).toBe('found')
  const silent = new RevisionCache<string>(silentChangeFeed, { limit: 10 })
  expect(await silent.load('k', async () => 'first', topicsOf)).toBe('first')
  expect(await silent.load('k', async () => 'second', topicsOf)).toBe('second')
})

test('the values of all callers count for the limit', () => {
  const { cache } = openCache({ limit: 1_000, sizeOf: (value) => value.length })
  for (const caller of ['a', 'b', 'c'])
    cache.lookup('k', (value) => value.startsWith(caller)).store(caller.repeat(300), ['dataset a'])
  expect(cache.lookup('k').value).toBeDefined()
  cache.lookup('other').store('d'.repeat(300), ['dataset a'])
  expect([cache.lookup('k').value, cache.lookup('other').value?.length]).toEqual([undefined, 300])
})

test('a value is given when the changes that it can show are announced, and null at once', async () => {
  const announced = Promise.withResolvers<void>()
  const { feed, notify } = createFeed(() => announced.promise)
  const cache = new RevisionCache<string>(feed, { limit: 10 })
  expect(await cache.load('none', async () => null, topicsOf)).toBeNull()
  let isGiven = false
  const loading = cache
    .load('k', async () => 'newer than the feed', topicsOf)
    .finally(() => {
      isGiven = true
    })
  await new Promise((resolve) => setImmediate(resolve))
  expect([isGiven, cache.lookup('k').value]).toEqual([false, undefined])
  // It is of the change that the value shows, or of a later one: nothing says which.
  notify('dataset a')
  announced.resolve()
  expect([await loading, cache.lookup('k').value]).toEqual(['newer than the feed', undefined])
})

test('a value whose read began while changes could be missed is not stored, also if none is missed when it ends', () => {
  const state = new FeedState()
  const feed: ChangeFeed = {
    ...silentChangeFeed,
    latest: () => state.latest(),
    isUnchanged: (topics, since) => state.isUnchanged(topics, since),
  }
  const cache = new RevisionCache<string>(feed, { limit: 10 })
  const { store } = cache.lookup('k')
  state.apply({ kind: 'complete', untilMs: Number.MAX_SAFE_INTEGER, untilDateMs: Number.MAX_SAFE_INTEGER })
  store('old', ['dataset a'])
  expect(cache.lookup('k').value).toBeUndefined()
  cache.lookup('k').store('new', ['dataset a'])
  expect(cache.lookup('k').value).toBe('new')
  state.apply({ kind: 'disconnected' })
  expect(cache.lookup('k').value).toBeUndefined()
})

test('the error of a read is not remembered', async () => {
  const { cache } = openCache()
  const load = (read: () => Promise<string>) => cache.load('k', read, topicsOf)
  await expect(load(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await load(async () => 'found')).toBe('found')
})

test('a shared read goes on when the client that began it disconnects', async () => {
  const { feed } = createFeed()
  const cache = new RevisionCache<boolean>(feed, { limit: 10 })
  const cancellation = new Cancellation([])
  const isCancelled = await withCancellation(cancellation, () =>
    cache.load(
      'k',
      async () => {
        cancellation.cancel()
        return currentCancellation()?.isCancelled ?? false
      },
      topicsOf,
    ),
  )
  expect(isCancelled).toBe(false)
})

test('the length of keys counts for the limit', () => {
  const { cache } = openCache({ limit: 1_000, sizeOf: () => 1 })
  for (const letter of 'abc') cache.lookup(letter.repeat(200)).store(letter, ['dataset a'])
  expect([...'abc'].map((letter) => cache.lookup(letter.repeat(200)).value)).toEqual([undefined, 'b', 'c'])
})

test('a new value takes the place of the old one of the same callers', () => {
  const { cache, notify } = openCache({ limit: 1_000, sizeOf: () => 400 })
  for (const value of ['first', 'second', 'third']) {
    cache.lookup('k').store(value, ['dataset a'])
    expect(cache.lookup('k').value).toBe(value)
    notify('dataset a')
  }
})

test('of two concurrent reads for different callers, both values are stored', () => {
  const { cache } = openCache()
  const find = (caller: string) => cache.lookup('k', (value) => value === caller)
  const [one, two] = [find('a'), find('b')]
  one.store('a', ['dataset a'])
  two.store('b', ['dataset a'])
  expect([find('a').value, find('b').value]).toEqual(['a', 'b'])
})
