import { expect, test } from 'vitest'
import { FeatureCounts } from '../../src/catalog/sql/features.ts'
import { type ChangeFeed, silentChangeFeed } from '../../src/database/change-feed.ts'

const unchangedFeed: ChangeFeed = { ...silentChangeFeed, latest: () => 0, isUnchanged: () => true }

test('counts of features leave memory by the number of their ranges of cells, least recently used first', async () => {
  const counts = new FeatureCounts(unchangedFeed)
  const cells = Array.from({ length: 1_000 }, (_, n) => ({ first: BigInt(2 * n), end: BigInt(2 * n + 1) }))
  const counted: number[] = []
  const load = (n: number) =>
    counts.load({ datasetId: 'a', revision: 1n }, { categoryCode: `${n}` }, async () => {
      counted.push(n)
      return { revision: 1n, total: 1, size: 1, cells }
    })
  for (let n = 0; n < 200; n += 1) await load(n)
  await load(199)
  expect(counted).toHaveLength(200)
  await load(0)
  expect(counted.at(-1)).toBe(0)
  expect(counted).toHaveLength(201)
})
