import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  itemConnectionArguments,
  itemListArguments,
  parseArguments,
  searchArguments,
} from '../../src/catalog/arguments.ts'
import { Catalog } from '../../src/catalog/catalog.ts'
import { NDJSON } from '../../src/catalog/export-formats.ts'
import { DatasetList, readDatasetList } from '../../src/catalog/snapshot/dataset-list.ts'
import { createLoaders } from '../../src/catalog/snapshot/loaders.ts'
import { ReadLog, Statements } from '../../src/catalog/snapshot/read-log.ts'
import { cacheFeatureCounts } from '../../src/catalog/sql/features.ts'
import { BOOKMARK_STEP, OffsetBookmarks } from '../../src/catalog/sql/offset-bookmarks.ts'
import { cacheTextTotals } from '../../src/catalog/sql/search.ts'
import { createBatchers } from '../../src/catalog/sql/statement-batcher.ts'
import type { SqlReader } from '../../src/database/sql-reader.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { DATASET, IMAGE, ITEM, newPlace, seedCatalog } from '../support/catalog.ts'
import { createFeed } from '../support/changes.ts'
import { useDatabase } from '../support/database.ts'
import { keyWith } from '../support/key.ts'

/*
 * Whatever a request reads, a change of the dataset between the list of datasets and the statement is noticed, and the change of a
 * dataset that it does not read does not matter.
 */

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  await seedCatalog(prisma)
  // More points than the first statement of a nearby search tests, and a deep page.
  await prisma.item.createMany({
    data: Array.from({ length: 2_500 }, (_, n) =>
      newPlace({
        ...{ datasetId: DATASET.seoul, name: `Dot ${n}`, latitude: 10 + n / 10_000, longitude: 10 },
        ...{ administrativeAreaCode: 'dots', categoryCode: 'dot' },
      }),
    ),
  })
})

const ALL_ACCESS = keyWith({ grants: Object.values(DATASET).map((datasetId) => ({ datasetId, expiresAt: null })) })

/** A catalog that reads with this list of datasets. `afterFirst` runs after the first statement that no other read shares. */
function open(list: DatasetList, afterFirst = async () => {}) {
  const { prisma, sql } = db.database
  let isFirst = true
  const reader: SqlReader = {
    $queryRaw: async <Rows>(statement: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
      const rows = await sql.$queryRaw<Rows>(statement, ...values)
      if (isFirst) await afterFirst()
      isFirst = false
      return rows
    },
  }
  const { feed } = createFeed()
  const readLog = new ReadLog(list, ALL_ACCESS, new Date())
  const caches = {
    bookmarks: new OffsetBookmarks(feed),
    featureCounts: cacheFeatureCounts(feed),
    textTotals: cacheTextTotals(feed),
  }
  const server = { prisma, reader, batchers: createBatchers(sql), ...caches }
  const statements = new Statements(server, readLog)
  const loaders = createLoaders({ statements, readLog })
  return { catalog: new Catalog(list, loaders, readLog), readLog, statements }
}

const touch = (id: string) => db.database.prisma.dataset.update({ where: { id }, data: { updatedAt: new Date() } })

const LIST = parseArguments(itemListArguments, {})
const CONNECTION = parseArguments(itemConnectionArguments, { first: 2 })
const SEARCH = parseArguments(searchArguments, { text: 'twin' })
const NEARBY = { page: 1, limit: 5, circle: { latitude: 37.5, longitude: 127, radius: 1_000 } } as const
const CROWDED = { latitude: 10.1, longitude: 10, radius: 50_000 }
const seoul = (catalog: Catalog) => catalog.dataset(DATASET.seoul)

/** What reads the dataset `seoul` and no other. */
const READS: Record<string, (catalog: Catalog) => Promise<unknown>> = {
  'an item': (catalog) => catalog.item(ITEM.gate),
  'an item as JSON': (catalog) => catalog.item(ITEM.gate, { members: ['id', 'name'], form: 'json' }),
  'the parent of an item': async (catalog) => catalog.parentOf(await catalog.item(ITEM.gate)),
  'a first page': (catalog) => catalog.itemsOf(seoul(catalog), LIST).nodes(),
  'a page with two filters': (catalog) =>
    catalog.itemsOf(seoul(catalog), { ...LIST, administrativeAreaCode: '11110', categoryCode: 'gate' }).nodes(),
  'a deep page': (catalog) => catalog.itemsOf(seoul(catalog), { ...LIST, page: BOOKMARK_STEP / 20 + 2 }).nodes(),
  'a total': (catalog) => catalog.itemsOf(seoul(catalog), LIST, { total: true }).total(),
  'a connection': (catalog) => catalog.itemConnectionOf(seoul(catalog), CONNECTION).edges(),
  'items at a cursor': (catalog) =>
    catalog
      .itemConnectionOf(seoul(catalog), { ...CONNECTION, after: { value: 'Dot 1', id: ITEM.gate } })
      .hasPreviousPage(),
  'a page near a point': (catalog) => catalog.findIn([seoul(catalog)], NEARBY).nodes(),
  'a page near a point with many items': (catalog) =>
    catalog.findIn([seoul(catalog)], { ...NEARBY, circle: CROWDED }).nodes(),
  'a search by name': (catalog) => catalog.findIn([seoul(catalog)], SEARCH).nodes(),
  'the total of a search by name': (catalog) => catalog.findIn([seoul(catalog)], SEARCH, { total: true }).total(),
  facets: (catalog) => catalog.facetsOf(seoul(catalog), 'categoryCode'),
  'a map tile': (catalog) => catalog.tile({ z: 0, x: 0, y: 0 }, 'seoul'),
  'a page of features': (catalog) => catalog.featurePage(seoul(catalog), { limit: 5 }),
  'a feature': (catalog) => catalog.feature(seoul(catalog), ITEM.gate),
  'an extent': (catalog) => catalog.extentOf(seoul(catalog)),
  'the sizes of exports': (catalog) => catalog.exportSizesOf(seoul(catalog)),
  'a batch of an export': (catalog) =>
    catalog.exportBatch(seoul(catalog), { format: NDJSON }, { after: null, limit: 5 }),
  'the attributes of a flat export': (catalog) => catalog.attributesOf(seoul(catalog), {}),
}

describe.each(Object.entries(READS))(
  'A change of the dataset after its list was read is noticed by %s',
  (_what, read) => {
    test.each([
      ['and is no matter before', [], true],
      ['nor is that of another dataset', [DATASET.archived], true],
      ['but that of its own is', [DATASET.seoul], false],
    ])('%s', async (_when, changed, expected) => {
      const { catalog, readLog } = open(await readDatasetList(db.database.prisma))
      for (const id of changed) await touch(id)
      await read(catalog)
      expect(readLog.isOneState).toBe(expected)
      // The decision about the dataset is what a cached response depends on.
      const { decisions, onAll } = readLog.dependencies
      expect([decisions.map(({ dataset }) => dataset.id), onAll]).toEqual([[DATASET.seoul], false])
    })
  },
)

describe('A change is noticed', () => {
  const isOneState = async (read: (catalog: Catalog) => Promise<unknown>, change: () => Promise<unknown>) => {
    const { catalog, readLog } = open(await readDatasetList(db.database.prisma))
    await change()
    await read(catalog).catch(() => {})
    return { isOneState: readLog.isOneState, ...readLog.dependencies }
  }

  test('of any dataset, if a record is not found', async () => {
    const unknown = randomUUID()
    for (const read of [
      (catalog: Catalog) => catalog.item(unknown),
      (catalog: Catalog) => catalog.item(unknown, { members: ['id'], form: 'json' }),
      (catalog: Catalog) => catalog.nodes([unknown]),
    ]) {
      expect(await isOneState(read, async () => {})).toMatchObject({ isOneState: true, onAll: true })
      expect(await isOneState(read, () => touch(DATASET.restricted))).toMatchObject({ isOneState: false, onAll: true })
    }
  })

  test('of the dataset of an image, and of the images of items', async () => {
    const { prisma } = db.database
    const images = async (catalog: Catalog) => {
      // Its dataset is known without a statement that returns the revision.
      await catalog.imagesOf({
        ...(await catalog.item(ITEM.palace)),
        id: ITEM.restricted,
        datasetId: DATASET.restricted,
      })
    }
    expect(await isOneState(images, async () => {})).toMatchObject({ isOneState: true })
    expect(await isOneState(images, () => touch(DATASET.restricted))).toMatchObject({ isOneState: false })
    const image = async (catalog: Catalog) => catalog.nodes([IMAGE.first])
    const { isOneState: isUnchanged } = await isOneState(image, () =>
      prisma.image.update({ where: { id: IMAGE.restricted }, data: { altText: 'new' } }),
    )
    expect(isUnchanged).toBe(false)
  })

  test('of the dataset, also between the statements of a nearby search', async () => {
    const { prisma } = db.database
    const { catalog, readLog } = open(await readDatasetList(prisma), async () => void (await touch(DATASET.seoul)))
    await READS['a page near a point with many items']?.(catalog)
    expect(readLog.isOneState).toBe(false)
  })

  test('of a catalog that was empty, if a record is not found', async () => {
    const { catalog, readLog } = open(new DatasetList([]))
    await expect(catalog.item(randomUUID())).rejects.toThrow()
    expect(readLog.isOneState).toBe(false)
  })

  test('of each dataset, if a request searches near a point in several scopes at once', async () => {
    const search = (catalog: Catalog) =>
      Promise.all([DATASET.seoul, DATASET.archived].map((id) => catalog.findIn([catalog.dataset(id)], NEARBY).nodes()))
    expect(await isOneState(search, async () => {})).toMatchObject({ isOneState: true })
    for (const id of [DATASET.seoul, DATASET.archived]) {
      expect(await isOneState(search, () => touch(id))).toMatchObject({ isOneState: false })
    }
  })

  test('of the list, if the list or a node is read: the response depends on all datasets', async () => {
    const reads = [
      async (catalog: Catalog) => catalog.datasets(),
      (catalog: Catalog) => catalog.nodes([ITEM.gate]),
      (catalog: Catalog) => catalog.nodes([DATASET.seoul]),
    ]
    for (const read of reads) expect(await isOneState(read, async () => {})).toMatchObject({ onAll: true })
  })

  test('if it makes a statement fail', async () => {
    const { readLog, statements } = open(await readDatasetList(db.database.prisma))
    const fail = (code: string) =>
      statements.run(
        ({ prisma }) =>
          prisma.$executeRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION 'failed' USING ERRCODE = '${code}'; END $$`),
        () => [],
      )
    await expect(fail('22012')).rejects.toThrow()
    expect(readLog.isOneState).toBe(true)
    await expect(fail('40P01')).rejects.toThrow()
    expect(readLog.isOneState).toBe(false)
  })
})

test('datasets are in order of name, then id', async () => {
  const { prisma } = db.database
  const named = { status: 'active', visibility: 'public', attribution: '', name: 'Draft' } as const
  const id = '00000000-0000-4000-8000-000000000000'
  await prisma.dataset.create({ data: { ...named, id, slug: 'First', createdAt: new Date(), updatedAt: new Date() } })
  const list = await readDatasetList(prisma)
  expect(list.all.map(({ slug }) => slug)).toEqual([
    'archived',
    'First',
    'draft',
    'inactive',
    'paid',
    'restricted',
    'seoul',
  ])
  expect([list.withSlug('First')?.id, list.withSlug('first'), list.withId(id)?.slug]).toEqual([id, undefined, 'First'])
})

test('the images of each item are its own, in order of their numbers, then ids', async () => {
  const { catalog } = open(await readDatasetList(db.database.prisma))
  const items = await Promise.all([ITEM.gate, ITEM.palace, ITEM.hall].map((id) => catalog.item(id)))
  const images = await Promise.all(items.map((item) => catalog.imagesOf(item)))
  expect(images.map((list) => list.map(({ id }) => id))).toEqual([[], [IMAGE.first, IMAGE.second, IMAGE.tied], []])
})
