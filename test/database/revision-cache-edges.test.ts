import { expect, test } from 'vitest'
import { Cancellation, currentCancellation, withCancellation } from '../../src/database/cancellation.ts'
import { type ChangeFeed, FeedState } from '../../src/database/change-feed.ts'
import { RevisionCache } from '../../src/database/revision-cache.ts'
import { createFeed, silentChangeFeed } from '../support/changes.ts'

const topicsOf = () => ['dataset a'] as const

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
  const { feed } = createFeed()
  const cache = new RevisionCache<string>(feed, { limit: 10 })
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
  const { feed } = createFeed()
  const cache = new RevisionCache<string>(feed, { limit: 1_000, sizeOf: () => 1 })
  for (const letter of 'abc') cache.lookup(letter.repeat(200)).store(letter, ['dataset a'])
  expect([...'abc'].map((letter) => cache.lookup(letter.repeat(200)).value)).toEqual([undefined, 'b', 'c'])
})

test('a new value takes the place of the old one of the same callers', () => {
  const { feed, notify } = createFeed()
  const cache = new RevisionCache<string>(feed, { limit: 1_000, sizeOf: () => 400 })
  for (const value of ['first', 'second', 'third']) {
    cache.lookup('k').store(value, ['dataset a'])
    expect(cache.lookup('k').value).toBe(value)
    notify('dataset a')
  }
})

test('of two concurrent reads for different callers, both values are stored', () => {
  const { feed } = createFeed()
  const cache = new RevisionCache<string>(feed, { limit: 10 })
  const find = (caller: string) => cache.lookup('k', (value) => value === caller)
  const [one, two] = [find('a'), find('b')]
  one.store('a', ['dataset a'])
  two.store('b', ['dataset a'])
  expect([find('a').value, find('b').value]).toEqual(['a', 'b'])
})
