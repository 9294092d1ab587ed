import { beforeAll, expect, test } from 'vitest'
import { columnName, ITEM_COLUMNS } from '../../src/catalog/columns.ts'
import { ITEM_SORTS, type ItemSort } from '../../src/catalog/sorts.ts'
import { useApp } from '../support/app.ts'
import { DATASET, newPlace } from '../support/catalog.ts'

/*
 * Every sort order of the table SORTS, over 620 items with ties and unusual values. The dataset is deep enough for bookmarks.
 */

const COUNT = 620
const TEXTS = [
  "it's",
  '"quoted"',
  'back\\slash',
  'tab\there',
  'Zulu',
  'alpha',
  'Älg',
  'ß',
  '한국',
  '\uffee',
  '😀',
  'null',
  '%_',
]
const PAGE_SIZE = 100

const isText = (sort: ItemSort) => ITEM_COLUMNS.get(sort)?.type === 'String'

const t = useApp()
beforeAll(async () => {
  /** Value `n` of a sort, from few enough values for ties. */
  const value = (sort: ItemSort, n: number) =>
    isText(sort) ? TEXTS[n % TEXTS.length] : new Date(Date.UTC(2026, 0, 1 + (n % 40), 0, 0, 0, n % 40))
  await t.database.prisma.item.createMany({
    data: Array.from({ length: COUNT }, (_, n) =>
      newPlace({
        ...{ datasetId: DATASET.archived, administrativeAreaCode: 'sorts', categoryCode: 'sorts' },
        ...Object.fromEntries(ITEM_SORTS.map((sort, index) => [sort, value(sort, n * (index + 1))])),
      }),
    ),
  })
})

/** The ids in the order of the contract: by value (text by code point), then by id. */
async function expectedIds(sort: ItemSort, order: 'asc' | 'desc'): Promise<string[]> {
  const items = await t.database.prisma.item.findMany({ where: { datasetId: DATASET.archived } })
  const bytes = (value: string | Date) => Buffer.from(typeof value === 'string' ? value : value.toISOString())
  items.sort((a, b) => Buffer.compare(bytes(a[sort]), bytes(b[sort])) || (a.id < b.id ? -1 : 1))
  const ids = items.map(({ id }) => id)
  return order === 'asc' ? ids : ids.reverse()
}

const ORDERS = ITEM_SORTS.flatMap((sort) => (['asc', 'desc'] as const).map((order) => [sort, order] as const))

test.each(ORDERS)('a list by %s %s has the order of the contract, on pages of any depth', async (sort, order) => {
  const ids: string[] = []
  for (let page = 1; ids.length < COUNT; page += 1) {
    const path = `/v1/datasets/archived/items?sort=${sort}&order=${order}&limit=${PAGE_SIZE}&page=${page}`
    const { data } = await (await t.get(path)).json()
    expect(data.length).toBeGreaterThan(0)
    ids.push(...data.map(({ id }: { id: string }) => id))
  }
  expect(ids).toEqual(await expectedIds(sort, order))
})

test.each(ITEM_SORTS.filter(isText))('the column of %s has the collation C', async (sort) => {
  const rows = await t.database.prisma.$queryRaw`
    SELECT collation_name FROM information_schema.columns WHERE table_name = 'items' AND column_name = ${columnName(sort)}`
  const hint = `the column of a text sort needs COLLATE "C" in a migration`
  expect(rows, hint).toEqual([{ collation_name: 'C' }])
})

const QUERY = `query ($sort: ItemSort, $order: SortOrder, $first: Int, $after: String, $last: Int, $before: String) {
  dataset(id: "archived") {
    itemConnection(sort: $sort, order: $order, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}`

test.each(ORDERS)('cursors by %s %s reach every item of the list, forward and backward', async (sort, order) => {
  const enums = { sort: columnName(sort).toUpperCase(), order: order.toUpperCase() }
  const walk = async (isForward: boolean) => {
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const range = isForward ? { first: PAGE_SIZE, after: cursor } : { last: PAGE_SIZE, before: cursor }
      const { body } = await t.graphql(QUERY, { ...enums, ...range })
      expect(body.errors).toBeUndefined()
      const { edges, pageInfo } = body.data.dataset.itemConnection
      const page = edges.map(({ node }: { node: { id: string } }) => node.id)
      if (isForward) ids.push(...page)
      else ids.unshift(...page)
      if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return ids
      cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor
    }
  }
  const expected = await expectedIds(sort, order)
  expect(await walk(true)).toEqual(expected)
  expect(await walk(false)).toEqual(expected)
})

test('pages at one depth walk the list once, whatever they select of its items', async () => {
  t.statements.length = 0
  for (const selection of ['id', 'name', 'id images { id }', 'aliased: name', 'id parent { name }']) {
    const { body } = await t.graphql(
      `{ dataset(id: "archived") { items(page: 27, parentItemId: null) { nodes { ${selection} } } } }`,
    )
    expect(body.data.dataset.items.nodes).toHaveLength(20)
  }
  expect(t.statements.filter((sql) => sql.includes('AS numbered'))).toHaveLength(1)
})
