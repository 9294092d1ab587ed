import { describe, expect, test } from 'vitest'
import { ITEM_FILTERS } from '../../src/catalog/filters.ts'
import { recordsWith } from '../../src/catalog/projection.ts'
import type { ItemOwner, ItemPosition } from '../../src/catalog/sql/item-list.ts'
import type { ItemWindow } from '../../src/catalog/sql/items.ts'
import { OffsetBookmarks } from '../../src/catalog/sql/offset-bookmarks.ts'
import { createFeed } from '../support/changes.ts'

const OWNER: ItemOwner = { datasetId: 'd', parentItemId: null }
const WINDOW: ItemWindow = {
  selection: { among: 'all' },
  sort: 'name',
  order: 'asc',
  limit: 20,
  offset: 0,
  projection: recordsWith({ fields: ['id'] }),
  isCounted: true,
}

/** What differs from the first items of the list `a`. */
interface Page extends Partial<ItemWindow> {
  list?: string
  owner?: ItemOwner
  revision?: bigint
  /** The revision that the walk sees. */
  seen?: bigint
}

/** Bookmarks of lists whose items are numbered from 1. Each walk is recorded. */
function createBookmarks(length = 10_000) {
  const { feed, notify } = createFeed()
  const bookmarks = new OffsetBookmarks(feed)
  const walks: [from: number, steps: number][] = []
  const startAt = async (offset: number, { list = 'a', owner = OWNER, revision = 1n, seen, ...more }: Page = {}) => {
    const walk = async (after: ItemPosition | undefined, steps: number) => {
      const from = Number(after?.id ?? 0)
      walks.push([from, steps])
      const ends = Array.from({ length: steps }, (_, n) => from + (n + 1) * 500).filter((end) => end <= length)
      return { revision: seen ?? revision, bookmarks: ends.map((end) => ({ value: list, id: String(end) })) }
    }
    const { after, skip = offset } = await bookmarks.startAt({ ...WINDOW, ...more, offset }, owner, revision, walk)
    return [after?.value, Number(after?.id ?? 0), skip]
  }
  return { startAt, walks, notify }
}

describe('A deep page', () => {
  test.each([
    [499, undefined, 0, 499],
    [500, 'a', 500, 0],
    [501, 'a', 500, 1],
    [999, 'a', 500, 499],
    [1_000, 'a', 1_000, 0],
    [7_777, 'a', 7_500, 277],
  ])('at %i starts at the last bookmark before it', async (offset, list, id, skip) => {
    expect(await createBookmarks().startAt(offset)).toEqual([list, id, skip])
  })

  test('walks only from the last known bookmark, and a page before it walks nothing', async () => {
    const { startAt, walks } = createBookmarks()
    expect(await startAt(1_200)).toEqual(['a', 1_000, 200])
    expect(await startAt(3_100)).toEqual(['a', 3_000, 100])
    for (const [offset, id] of [
      [3_499, 3_000],
      [1_000, 1_000],
      [700, 500],
    ] as const) {
      expect(await startAt(offset)).toEqual(['a', id, offset - id])
    }
    expect(walks).toEqual([
      [0, 2],
      [1_000, 4],
    ])
  })

  test('past the end starts at the last bookmark of the list', async () => {
    expect(await createBookmarks(1_700).startAt(9_000)).toEqual(['a', 1_500, 7_500])
  })
})

test.each<[string, object]>([
  ['dataset', { owner: { ...OWNER, datasetId: 'e' } }],
  ['parent', { owner: { ...OWNER, parentItemId: 'p' } }],
  ['kind of list', { selection: { among: 'roots' } }],
  ...ITEM_FILTERS.map((filter): [string, object] => [filter, { selection: { among: 'all', [filter]: 'x' } }]),
  ['sort', { sort: 'createdAt' }],
  ['order', { order: 'desc' }],
])('a list with another %s has its own bookmarks', async (_what, other) => {
  const { startAt } = createBookmarks()
  expect(await startAt(600)).toEqual(['a', 500, 100])
  expect(await startAt(600, { list: 'b', ...other })).toEqual(['b', 500, 100])
  expect(await startAt(600)).toEqual(['a', 500, 100])
})

describe('Bookmarks are', () => {
  test('of one revision: not used for another one', async () => {
    const { startAt } = createBookmarks()
    await startAt(600)
    expect(await startAt(600, { list: 'later', revision: 2n })).toEqual(['later', 500, 100])
  })

  test('neither used nor stored if the walk saw another revision', async () => {
    const { startAt, walks } = createBookmarks()
    expect(await startAt(600, { list: 'mixed', seen: 2n })).toEqual([undefined, 0, 600])
    expect(await startAt(600)).toEqual(['a', 500, 100])
    expect(walks).toHaveLength(2)
  })

  test('dropped when their dataset changes', async () => {
    const { startAt, walks, notify } = createBookmarks()
    await startAt(600)
    notify('dataset e')
    await startAt(600)
    expect(walks).toHaveLength(1)
    notify('dataset d')
    await startAt(600)
    expect(walks).toHaveLength(2)
  })
})
