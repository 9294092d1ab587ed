import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FILTERS, ITEM_FILTERS, mapFilters } from '../../src/catalog/filters.ts'
import { ITEM_SORTS } from '../../src/catalog/sorts.ts'
import { storedTotals } from '../../src/catalog/sql/counts.ts'
import { fetchItemPages, fetchRawItems, type ItemWindow, windowKey } from '../../src/catalog/sql/items.ts'
import { fetchNearbyPages, type NearbyWindow, nearbyKey } from '../../src/catalog/sql/nearby.ts'
import { createBatchers, isCheap } from '../../src/catalog/sql/statement-batcher.ts'
import { DATASET, ITEM, PALACE, seedCatalog } from '../support/catalog.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

/* Reads that share a statement, or a key in memory, do not get each other's results. */

let db: TestDatabase
beforeAll(async () => {
  db = await createDatabase()
  await seedCatalog(db.database.prisma)
})
afterAll(() => db.close())

const LIST: ItemWindow = {
  ...{ selection: { among: 'all' }, sort: 'name', order: 'asc', limit: 3, offset: 0 },
  ...{ projection: { fields: ['id', 'name'] }, isCounted: true },
}
const CIRCLE: NearbyWindow = {
  ...{ latitude: 37.5796, longitude: 126.977, radius: 1_000, limit: 3, offset: 0 },
  projection: { fields: ['id', 'name'] },
}
const position = { value: 'N Seoul Tower', id: ITEM.tower }

const LISTS: Record<string, Partial<ItemWindow>> = {
  'kind of list': { selection: { among: 'roots' } },
  ...mapFilters((filter) => ({ selection: { among: 'all', [filter]: `${PALACE[filter]}` } })),
  sort: { sort: 'createdAt' },
  order: { order: 'desc' },
  limit: { limit: 4 },
  offset: { offset: 2 },
  lower: { after: position },
  upper: { before: position },
  selection: { projection: { fields: ['id', 'latitude'] } },
  form: { rawItem: ['id', 'name'] },
}
const CIRCLES: Record<string, Partial<NearbyWindow>> = {
  latitude: { latitude: 37.5 },
  longitude: { longitude: 127 },
  radius: { radius: 50_000 },
  limit: { limit: 1 },
  offset: { offset: 1 },
  selection: { projection: { fields: ['id', 'latitude'] } },
  form: { raw: { isFlat: true, members: ['distance', { item: ['id'] }] } },
}

test('lists and circles that differ in anything have different keys, and equal ones the same', () => {
  const lists = [LIST, ...Object.values(LISTS).map((other) => ({ ...LIST, ...other }))].map(windowKey)
  const circles = [CIRCLE, ...Object.values(CIRCLES).map((other) => ({ ...CIRCLE, ...other }))].map(nearbyKey)
  expect(new Set(lists).size).toBe(lists.length)
  expect(new Set(circles).size).toBe(circles.length)
  expect([windowKey({ ...LIST }), nearbyKey({ ...CIRCLE })]).toEqual([lists[0], circles[0]])
})

describe('A list shares a statement', () => {
  test.each(ITEM_FILTERS)('with %s if an index has its order, and its total is stored or not needed', (filter) => {
    const window: ItemWindow = { ...LIST, selection: { among: 'all', [filter]: 'x' } }
    expect(isCheap(window)).toBe('countedAs' in FILTERS[filter])
    expect(isCheap({ ...window, isCounted: false })).toBe(true)
    expect(isCheap({ ...window, isCounted: false, sort: 'createdAt' })).toBe(false)
    expect(isCheap({ ...window, isCounted: false, offset: 1 })).toBe(false)
    const both = { administrativeAreaCode: 'x', categoryCode: 'x', [filter]: 'x' }
    expect(isCheap({ ...window, isCounted: false, selection: { among: 'all', ...both } })).toBe(false)
  })

  test('without filters by every sort, but not a later page', () => {
    for (const sort of ITEM_SORTS) expect(isCheap({ ...LIST, sort })).toBe(true)
    expect(isCheap({ ...LIST, offset: 1 })).toBe(false)
  })
})

describe('Reads that arrive at the same time', () => {
  const { seoul, archived, paid } = DATASET
  const owner = (datasetId: string) => ({ datasetId, parentItemId: null })

  test('of lists have each their own result', async () => {
    const windows = [LIST, ...Object.values(LISTS).map((other) => ({ ...LIST, ...other }))].flatMap((window) =>
      [seoul, archived].map((id) => ({ window, owner: owner(id) })),
    )
    const { fetchWindow } = createBatchers(db.database.sql, storedTotals)
    const together = await Promise.all(windows.map((owned) => fetchWindow(owned)))
    for (const [n, { window, owner }] of windows.entries()) {
      const [alone] = await fetchItemPages(db.database.sql, window, [owner], storedTotals)
      expect(together[n], JSON.stringify(window)).toEqual(alone)
    }
  })

  test('of items have each their own result, with their own members', async () => {
    const { fetchItem } = createBatchers(db.database.sql, storedTotals)
    const ids = [ITEM.gate, '99999999-0000-4000-8000-000000000001', ITEM.paid, ITEM.hall, ITEM.gate]
    const lookups = ids.flatMap((id) => [
      { id, members: ['id', 'name'] as const },
      { id, members: ['id', 'latitude'] as const },
    ])
    const together = await Promise.all(lookups.map((lookup) => fetchItem(lookup)))
    expect(together.map((row) => row && Object.values(JSON.parse(row.json))[0])).toEqual(
      lookups.map(({ id }) => (id.startsWith('9') ? null : id)),
    )
    expect(together.slice(0, 2).map((row) => Object.keys(JSON.parse(row?.json ?? '{}')))).toEqual([
      ['id', 'name'],
      ['id', 'latitude'],
    ])
    const rows = await fetchRawItems(db.database.sql, [{ id: ITEM.paid, members: ['id'] }])
    expect(rows.map((row) => row?.datasetId)).toEqual([paid])
  })

  test('fail together if their statement fails', async () => {
    const { fetchItem } = createBatchers(db.database.sql, storedTotals)
    const broken = Promise.allSettled([1, 2].map(() => fetchItem({ id: 'no UUID', members: ['id'] })))
    expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

test('several owners and several scopes in one statement have their results in their order', async () => {
  const { sql } = db.database
  const owners = [DATASET.paid, DATASET.seoul, DATASET.archived].map((datasetId) => ({ datasetId, parentItemId: null }))
  const pages = await fetchItemPages(sql, LIST, owners, storedTotals)
  expect(pages.map(({ nodes, total }) => [nodes[0]?.name, total])).toEqual([
    ['Paid place', 1],
    ['Geunjeongjeon', 9],
    ['Archived place', 1],
  ])
  const scopes = [[DATASET.paid], [], [DATASET.seoul, DATASET.archived]]
  const found = await fetchNearbyPages(sql, { ...CIRCLE, radius: 100 }, scopes)
  expect(found.map(({ total }) => total)).toEqual([1, 0, 2])
})

test('a page has at most its limit, and items at the same distance are in order of id', async () => {
  const [page] = await fetchNearbyPages(db.database.sql, { ...CIRCLE, latitude: 37.5, longitude: 127, limit: 2 }, [
    [DATASET.seoul],
  ])
  expect([page?.total, page?.nodes.map(({ item }) => item.id)]).toEqual([2, [ITEM.same1, ITEM.same2]])
  const [first] = await fetchNearbyPages(db.database.sql, { ...CIRCLE, latitude: 37.5, longitude: 127, limit: 1 }, [
    [DATASET.seoul],
  ])
  expect(first?.nodes.map(({ item }) => item.id)).toEqual([ITEM.same1])
})
