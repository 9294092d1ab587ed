import { expect, test } from 'vitest'
import { cacheFeatureCounts, fetchFeaturePage } from '../../src/catalog/sql/features.ts'
import type { ChangeFeed } from '../../src/database/change-feed.ts'
import type { SqlReader } from '../../src/database/sql-reader.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { silentChangeFeed } from '../support/changes.ts'

const unchangedFeed: ChangeFeed = { ...silentChangeFeed, latest: () => 0, isUnchanged: () => true }

test('counts of features leave memory by the number of their ranges of cells, least recently used first', () => {
  const counts = cacheFeatureCounts(unchangedFeed)
  const cells = Array.from({ length: 1_000 }, (_, n) => ({ first: BigInt(2 * n), end: BigInt(2 * n + 1) }))
  const counted: number[] = []
  const load = (n: number) => {
    const { value, store } = counts.lookup(['a'], n)
    if (value) return
    counted.push(n)
    store({ total: 1, size: 1, cells, bookmarks: [] })
  }
  for (let n = 0; n < 200; n += 1) load(n)
  load(199)
  expect(counted).toHaveLength(200)
  load(0)
  expect(counted.at(-1)).toBe(0)
  expect(counted).toHaveLength(201)
})

/** Features numbered from 1 as a database with so many of them writes them, and how many each page skipped. */
function numbered(size: number) {
  const skipped: unknown[] = []
  const idAt = (n: number) => String(n).padStart(8, '0')
  const answer = (text: string, values: unknown[]): object => {
    if (text.includes(' AS size')) return { total: size, size }
    const known = values.map(String).find((value) => /^\d{8}/.test(value))
    if (!text.includes(' AS ids')) return { features: 'x', count: known?.split(',').length }
    const [limit, skip] = values.slice(-2).map(Number)
    skipped.push(skip)
    const from = Number(known ?? 0) + (skip ?? 0)
    const count = Math.min(limit ?? 0, size - from)
    return { ids: Array.from({ length: count }, (_, n) => idAt(from + n + 1)).join() }
  }
  const sql: SqlReader = {
    $queryRaw: async (statement, ...values) => {
      const { text, values: all } = statement instanceof Prisma.Sql ? statement : Prisma.sql(statement, ...values)
      return JSON.parse(JSON.stringify([answer(text, all)]))
    },
  }
  const source = { reader: sql, datasetId: 'a', counts: cacheFeatureCounts(unchangedFeed) }
  const read = async (offset: number, limit = 100) => {
    const { next, count } = await fetchFeaturePage(source, { offset, limit })
    return [skipped.at(-1), next === undefined ? undefined : Number(next), count]
  }
  return { read, skipped, source }
}

test('a page by offset after another skips nothing, and any other only what is after the last known page', async () => {
  const { read, skipped, source } = numbered(10_000)
  for (let offset = 0; offset < 10_000; offset += 500) {
    expect(await read(offset, 500)).toEqual([0, offset + 500 < 10_000 ? offset + 500 : undefined, 500])
  }
  expect(await read(7_777)).toEqual([277, 7_877, 100])
  expect(await read(9_950)).toEqual([450, undefined, 50])
  expect(await read(499, 1)).toEqual([499, 500, 1])
  skipped.length = 0
  for (const offset of [10_000, 10_001, 2 ** 53, Number.POSITIVE_INFINITY])
    expect(await read(offset)).toEqual([undefined, undefined, 0])
  // A cursor is not the start of a page by number.
  expect((await fetchFeaturePage(source, { after: '00005009', limit: 1 })).next).toBe('00005010')
  expect(await read(0, 1)).toEqual([0, 1, 1])
  expect(await read(2, 1)).toEqual([1, 3, 1])
})

test('pages in any order keep a bounded number of bookmarks', async () => {
  const { read, source } = numbered(1_000)
  for (let offset = 998; offset >= 0; offset -= 1) expect((await read(offset, 1)).slice(1)).toEqual([offset + 1, 1])
  const { value } = source.counts.lookup(['a'], {})
  expect(value?.bookmarks.length).toBeLessThanOrEqual(101)
  expect(value?.bookmarks).toEqual(value?.bookmarks.toSorted((a, b) => a.offset - b.offset))
})
