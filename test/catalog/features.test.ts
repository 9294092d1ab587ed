import { expect, test } from 'vitest'
import { cacheFeatureCounts } from '../../src/catalog/sql/features.ts'
import type { ChangeFeed } from '../../src/database/change-feed.ts'
import { silentChangeFeed } from '../support/changes.ts'

const unchangedFeed: ChangeFeed = { ...silentChangeFeed, latest: () => 0, isUnchanged: () => true }

test('counts of features leave memory by the number of their ranges of cells, least recently used first', () => {
  const counts = cacheFeatureCounts(unchangedFeed)
  const cells = Array.from({ length: 1_000 }, (_, n) => ({ first: BigInt(2 * n), end: BigInt(2 * n + 1) }))
  const counted: number[] = []
  const load = (n: number) => {
    const { value, store } = counts.lookup(`${n}`)
    if (value) return
    counted.push(n)
    store({ total: 1, size: 1, cells }, ['dataset a'])
  }
  for (let n = 0; n < 200; n += 1) load(n)
  load(199)
  expect(counted).toHaveLength(200)
  load(0)
  expect(counted.at(-1)).toBe(0)
  expect(counted).toHaveLength(201)
})
