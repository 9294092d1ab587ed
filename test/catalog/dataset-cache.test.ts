import { expect, test } from 'vitest'
import type { Dataset } from '../../src/catalog/models.ts'
import { createDatasetCache, type Timed } from '../../src/catalog/snapshot/dataset-cache.ts'
import { silentChangeFeed } from '../../src/database/change-feed.ts'

const dataset = (revision: bigint): Dataset => ({
  id: 'a',
  slug: 'a',
  name: `revision ${revision}`,
  description: null,
  status: 'active',
  visibility: 'public',
  accessTier: null,
  attribution: 'A',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  revision,
})

const timed = <Value>(value: Value): Timed<Value> => ({ value, readAtMs: 0 })

test('of two concurrent reads, the one that saw an earlier state and ends later is not cached', async () => {
  const cache = createDatasetCache({ ...silentChangeFeed, latest: () => 0, isUnchanged: () => true })
  const older = Promise.withResolvers<void>()
  const readOlder = async <Value>(value: Value) => {
    await older.promise
    return timed(value)
  }
  const reads = [
    cache.one('a', () => readOlder(dataset(1n))),
    cache.all(() => readOlder([dataset(1n)])),
    cache.one('a', async () => timed(dataset(2n))),
    cache.all(async () => timed([dataset(2n)])),
  ]
  await Promise.all(reads.slice(2))
  older.resolve()
  await Promise.all(reads)
  const one = await cache.one('a', async () => null)
  const all = await cache.all(async () => timed([]))
  expect([one?.value.revision, all.value.map(({ revision }) => revision)]).toEqual([2n, [2n]])
})
