import { beforeAll, expect, test } from 'vitest'
import { itemConnectionArguments, parseArguments } from '../../src/catalog/arguments.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { positionOf } from '../../src/catalog/cursor.ts'
import type { Item } from '../../src/catalog/models.ts'
import { recordsWith } from '../../src/catalog/projection.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { createPublicReader } from '../support/reader.ts'

/*
 * Every combination of cursors, direction, order and filter: the page and its pageInfo are what a slice of the whole list says. The
 * cursors may be of items that the filter leaves out, and the second may come before the first.
 */

const db = useDatabase()
beforeAll(async () => {
  await seedCatalog(db.database.prisma)
})

const CURSORS = [undefined, 0, 3, 4, 8]
const SIZES = [1, 2, 20]
const IDS = { nodes: recordsWith({ fields: ['id'] }), total: false }

interface Range {
  after: number | undefined
  before: number | undefined
}

/** What the Relay specification asks for, with the whole list at hand; `is` says which items the filter selects. */
function expected(
  all: readonly Item[],
  is: (item: Item) => boolean,
  { after, before }: Range,
  last: boolean,
  size: number,
) {
  const selected = all.map((item, place) => ({ item, place })).filter(({ item }) => is(item))
  const between = selected.filter(({ place }) => place > (after ?? -1) && place < (before ?? all.length))
  const isCut = between.length > size
  const hasLower = after !== undefined && selected.some(({ place }) => place <= after)
  const hasUpper = before !== undefined && selected.some(({ place }) => place >= before)
  const page = last ? between.slice(-size) : between.slice(0, size)
  return {
    ids: page.map(({ item }) => item.id),
    hasPrevious: hasLower || (last && isCut),
    hasNext: hasUpper || (!last && isCut),
  }
}

async function wholeList(catalog: Catalog, order: 'asc' | 'desc'): Promise<Item[]> {
  const args = parseArguments(itemConnectionArguments, { order, first: 100 })
  const edges = await catalog.itemConnectionOf(catalog.dataset('seoul'), args).edges()
  return edges.map(({ node }) => node)
}

test.each([
  ['asc', undefined],
  ['desc', undefined],
  ['asc', 'twin'],
  ['desc', 'palace'],
] as const)('in %s order, with the category %s', async (order, categoryCode) => {
  const read = createPublicReader(db.database)
  await read(async (catalog) => {
    const dataset = catalog.dataset(DATASET.seoul)
    const all = await wholeList(catalog, order)
    expect(all).toHaveLength(9)
    const is = (item: Item) => categoryCode === undefined || item.categoryCode === categoryCode
    for (const after of CURSORS) {
      for (const before of CURSORS) {
        for (const size of SIZES) {
          for (const last of [false, true]) {
            const given = { order, categoryCode, ...(last ? { last: size } : { first: size }) }
            const position = (place: number | undefined) => {
              const item = place === undefined ? undefined : all[place]
              return item && positionOf(item, 'name')
            }
            const args = {
              ...parseArguments(itemConnectionArguments, given),
              after: position(after),
              before: position(before),
            }
            const page = catalog.itemConnectionOf(dataset, args, IDS)
            const ids = (await page.edges()).map(({ node }) => node.id)
            const found = { ids, hasPrevious: await page.hasPreviousPage(), hasNext: await page.hasNextPage() }
            const what = JSON.stringify({ after, before, size, last })
            expect(found, what).toEqual(expected(all, is, { after, before }, last, size))
          }
        }
      }
    }
  })
})
