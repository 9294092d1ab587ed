import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { givenFilters, ITEM_FILTERS } from '../../src/catalog/filters.ts'
import { countItems, type ItemOwner, type ItemSelection } from '../../src/catalog/sql/item-list.ts'
import { DATASET, ITEM, newPlace, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/* The stored totals are those of a count, for every kind of list and every filter. */

const AREAS = ['11110', "it's", "x' category 'y", 'none']
const CATEGORIES = ['gate', "'", "y' area 'z", 'none']

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  await seedCatalog(prisma)
  await prisma.item.createMany({
    data: AREAS.slice(0, 3).flatMap((administrativeAreaCode, area) =>
      CATEGORIES.slice(0, 3).flatMap((categoryCode, category) =>
        [null, ITEM.palace, ITEM.museum].flatMap((parentItemId, parent) =>
          Array.from({ length: 1 + area + 2 * category + parent }, () =>
            newPlace({
              ...Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, AREAS[area]])),
              ...{ datasetId: DATASET.seoul, administrativeAreaCode, categoryCode, parentItemId },
            }),
          ),
        ),
      ),
    ),
  })
})

const owner = (datasetId: string, parentItemId: string | null = null): ItemOwner => ({ datasetId, parentItemId })
const DATASETS = [owner(DATASET.paid), owner(DATASET.seoul), owner(randomUUID()), owner(DATASET.archived)]
const PARENTS = [ITEM.palace, ITEM.gate, ITEM.museum].map((parent) => owner(DATASET.seoul, parent))

const count = (selection: ItemSelection, owners: readonly ItemOwner[]) => countItems(db.database.sql, selection, owners)

/** The totals by Prisma, from the items. */
const countByPrisma = ({ among, ...filters }: ItemSelection, owners: readonly ItemOwner[]) =>
  Promise.all(
    owners.map(({ datasetId, parentItemId }) => {
      const parent = among === 'all' ? {} : { parentItemId: among === 'roots' ? null : parentItemId }
      return db.database.prisma.item.count({
        where: { datasetId, ...parent, ...Object.fromEntries(givenFilters(filters)) },
      })
    }),
  )

test.each(ITEM_FILTERS)('the stored totals by %s, alone and with a category, are those of a count', async (filter) => {
  for (const value of [...AREAS, ...CATEGORIES]) {
    for (const categoryCode of filter === 'categoryCode' ? [value] : [undefined, ...CATEGORIES]) {
      for (const among of ['all', 'roots', 'children'] as const) {
        const selection = { among, categoryCode, [filter]: value }
        const owners = among === 'children' ? PARENTS : DATASETS
        expect(await count(selection, owners), JSON.stringify(selection)).toEqual(
          await countByPrisma(selection, owners),
        )
      }
    }
  }
})

test('the totals are those of the owners, in their order', async () => {
  const [all, roots] = [await count({ among: 'all' }, DATASETS), await count({ among: 'roots' }, DATASETS)]
  // Of the small catalog, and of the items above: 9 groups of 1 to 7 items for each of three parents.
  expect(all).toEqual([1, 9 + 36 + 45 + 54, 0, 1])
  expect(roots).toEqual([1, 7 + 36, 0, 1])
  expect(await count({ among: 'children' }, PARENTS)).toEqual([2 + 45, 0, 54])
  expect(await count({ among: 'all', administrativeAreaCode: "it's", categoryCode: "'" }, DATASETS)).toEqual([
    0,
    4 + 5 + 6,
    0,
    0,
  ])
})
