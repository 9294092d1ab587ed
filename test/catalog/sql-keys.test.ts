import { beforeAll, describe, expect, test } from 'vitest'
import { FILTERS, ITEM_FILTERS, mapFilters } from '../../src/catalog/filters.ts'
import { type NearbyItem, parseItems } from '../../src/catalog/models.ts'
import type { Fetched } from '../../src/catalog/page.ts'
import { type ItemProjection, recordsWith } from '../../src/catalog/projection.ts'
import { ArgumentsLoader } from '../../src/catalog/snapshot/loaders.ts'
import { ITEM_SORTS } from '../../src/catalog/sorts.ts'
import { fetchImages } from '../../src/catalog/sql/by-id.ts'
import { fetchItemPages, type ItemWindow } from '../../src/catalog/sql/items.ts'
import { type NearbyWindow, searchNearby } from '../../src/catalog/sql/nearby-by-grid.ts'
import { createBatchers, isCheap } from '../../src/catalog/sql/statement-batcher.ts'
import { DATASET, ITEM, PALACE, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/* Reads that share a statement, or a key in memory, do not get each other's results. */

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const LIST: ItemWindow = {
  ...{ selection: { among: 'all' }, sort: 'name', order: 'asc', limit: 3, offset: 0 },
  ...{ projection: recordsWith({ fields: ['id', 'name'] }), isCounted: true },
}
const CENTRE = { latitude: 37.5796, longitude: 126.977, radius: 1_000 }
/** Two items are in its centre. */
const SAME = { ...CENTRE, latitude: 37.5, longitude: 127 }
const CIRCLE: NearbyWindow = {
  ...{ circle: CENTRE, limit: 3, offset: 0 },
  projection: recordsWith({ fields: ['id', 'name'] }),
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
  selection: { projection: recordsWith({ fields: ['id', 'latitude'] }) },
  form: { projection: { members: ['id', 'name'], form: 'json' } },
}
const CIRCLES: Record<string, Partial<NearbyWindow>> = {
  latitude: { circle: { ...CENTRE, latitude: 37.5 } },
  longitude: { circle: { ...CENTRE, longitude: 127 } },
  radius: { circle: { ...CENTRE, radius: 50_000 } },
  limit: { limit: 1 },
  offset: { offset: 1 },
  selection: { projection: recordsWith({ fields: ['id', 'latitude'] }) },
  form: { projection: { members: ['id', 'name', 'distance'], form: 'json' } },
  features: { projection: { members: ['id', 'name'], form: 'features' } },
  'nested form': { projection: { members: ['distance', { item: ['id', 'name'] }], form: 'json' } },
}

test('lists and circles that differ in anything have different keys, and equal ones the same', async () => {
  const loaded: unknown[] = []
  const loader = new ArgumentsLoader(async (window: unknown, keys: readonly string[]) => {
    loaded.push(window)
    return keys.map(() => window)
  })
  const lists = [LIST, ...Object.values(LISTS).map((other) => ({ ...LIST, ...other }))]
  const circles = [CIRCLE, ...Object.values(CIRCLES).map((other) => ({ ...CIRCLE, ...other }))]
  const windows = [...lists, ...circles]
  expect(await Promise.all(windows.map((window) => loader.load(window, 'owner')))).toEqual(windows)
  await Promise.all([{ ...LIST }, { ...CIRCLE }].map((window) => loader.load(window, 'owner')))
  expect(loaded).toEqual(windows)
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

  test('of items have each their own result, with their own members', async () => {
    const { fetchItem } = createBatchers(db.database.sql)
    const ids = [ITEM.gate, '99999999-0000-4000-8000-000000000001', ITEM.paid, ITEM.hall, ITEM.gate]
    const names: ItemProjection = { members: ['id', 'name'], form: 'json' }
    const latitudes: ItemProjection = { members: ['id', 'latitude'], form: 'json' }
    const scope = [seoul, paid]
    const lookups = ids.flatMap((id) => [
      { id, scope, projection: names },
      { id, scope, projection: latitudes },
    ])
    const together = (await Promise.all(lookups.map((lookup) => fetchItem(lookup)))).map(
      (row) => row && JSON.parse(row.json?.toString() ?? 'null'),
    )
    expect(together.map((item) => item?.id ?? null)).toEqual(lookups.map(({ id }) => (id.startsWith('9') ? null : id)))
    expect(together.slice(0, 2).map((item) => Object.keys(item))).toEqual([
      ['id', 'name'],
      ['id', 'latitude'],
    ])
  })

  test('of lists have each their own result', async () => {
    const { fetchWindow } = createBatchers(db.database.sql)
    const windowOf = (datasetId: string) => fetchWindow({ window: LIST, owner: { datasetId, parentItemId: null } })
    const owners = [seoul, paid, archived, seoul]
    const alone = []
    for (const owner of owners) alone.push(await windowOf(owner))
    expect(await Promise.all(owners.map(windowOf))).toEqual(alone)
    expect(new Set(alone.map(({ json }) => json)).size).toBe(3)
  })

  test('of items and images have the content only for keys that may access their dataset', async () => {
    const { sql } = db.database
    const image = await db.database.prisma.image.findFirstOrThrow({ where: { item: { datasetId: seoul } } })
    const { fetchItem } = createBatchers(sql)
    const projection = recordsWith({ fields: ['name'] })
    const scopes = [[], [seoul], [paid], [archived, paid], [seoul, paid]]
    const items = await Promise.all(scopes.map((scope) => fetchItem({ id: ITEM.paid, projection, scope })))
    expect(items.map((row) => [row?.datasetId, row?.json])).toEqual(
      scopes.map((scope) => [paid, scope.includes(paid) ? `{"id":"${ITEM.paid}","name":"Paid place"}` : null]),
    )
    const images = await Promise.all(scopes.map((scope) => fetchImages(sql, { ids: [image.id], scope })))
    expect(images.map(([row]) => [row?.datasetId, row?.json && JSON.parse(row.json.toString())])).toEqual(
      scopes.map((scope) => [seoul, scope.includes(seoul) ? image : null]),
    )
  })

  test('fail together if their statement fails', async () => {
    const { fetchItem } = createBatchers(db.database.sql)
    const broken = [1, 2].map(() => fetchItem({ id: 'no UUID', scope: [], projection: LIST.projection }))
    const failures = broken.map((read) => read.catch(() => 'rejected'))
    expect(await Promise.all(failures)).toEqual(['rejected', 'rejected'])
  })
})

test('several owners in one statement have their results in their order', async () => {
  const owners = [DATASET.paid, DATASET.seoul, DATASET.archived].map((datasetId) => ({ datasetId, parentItemId: null }))
  const pages = await fetchItemPages(db.database.sql, LIST, owners)
  expect(pages.map(({ json, total }) => [parseItems(json)[0]?.name, total])).toEqual([
    ['Paid place', 1],
    ['Geunjeongjeon', 9],
    ['Archived place', 1],
  ])
})

/** Searches in several scopes at once. */
function searchAll(window: NearbyWindow, scopes: readonly string[][]): Promise<Fetched[]> {
  const { sql } = db.database
  const { startSearch } = createBatchers(sql)
  return Promise.all(scopes.map((scope) => searchNearby(sql, window, scope, startSearch)))
}

test('several scopes in one statement have their results in their order', async () => {
  const scopes = [[DATASET.paid], [], [DATASET.seoul, DATASET.archived]]
  const found = await searchAll({ ...CIRCLE, circle: { ...CENTRE, radius: 100 } }, scopes)
  expect(found.map(({ total }) => total)).toEqual([1, 0, 2])
})

const idsOf = (page: Fetched | undefined) => parseItems<NearbyItem>(page?.json ?? '').map(({ id }) => id)

test('a page has at most its limit, and items at the same distance are in order of id', async () => {
  const [page] = await searchAll({ ...CIRCLE, circle: SAME, limit: 2 }, [[DATASET.seoul]])
  expect([page?.total, idsOf(page)]).toEqual([2, [ITEM.same1, ITEM.same2]])
  const [first] = await searchAll({ ...CIRCLE, circle: SAME, limit: 1 }, [[DATASET.seoul]])
  expect(idsOf(first)).toEqual([ITEM.same1])
})
