import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { REST_ROUTES } from '../../src/api/rest/routes.ts'
import { type FilterValues, givenFilters, ITEM_FILTERS, type ItemFilter } from '../../src/catalog/filters.ts'
import { callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { createImporter, ndjson, row } from '../support/import.ts'
import { getOgc, idsOf, readPages } from '../support/ogc.ts'

/*
 * Every filter of the table FILTERS, alone and together, at every door. A plain filter in memory says what a list has. The lists are
 * long enough for bookmarks.
 */

const COUNT = 1_300
const COMMON = "it's"
const TEXTS = [
  '"quoted"',
  'back\\slash',
  "x' category 'y",
  "y' area 'z",
  'null',
  '%_',
  ' ',
  '한국',
  '😀',
  'x'.repeat(100),
  'x'.repeat(101),
]
const PAGE_SIZE = 100

/** A whole number below `bound`, which the name decides. */
const random = (name: string, bound: number) => createHash('sha256').update(name).digest().readUInt32BE() % bound

const idOf = (n: number) => `66666666-0000-4000-8000-${String(n).padStart(12, '0')}`

/** The value of item `n`. More than half of the items have the common value, so that their list has bookmarks. */
function valueFor(filter: ItemFilter, n: number): string {
  return random(`common ${filter} ${n}`, 20) < 11 ? COMMON : (TEXTS[random(`${filter} ${n}`, TEXTS.length)] ?? '')
}

const t = useApp()
let items: ({ id: string; name: string; createdAt: Date; parentItemId: string | null } & {
  [Name in ItemFilter]: string | null
})[]

beforeAll(async () => {
  const { prisma } = t.database
  const data = Array.from({ length: COUNT }, (_, n) => ({
    ...{ id: idOf(n), datasetId: DATASET.archived, latitude: (n % 170) - 85, longitude: (n % 360) - 180 },
    ...{ administrativeAreaCode: '', categoryCode: '', name: `Item ${(n * 7919) % 1000}` },
    ...{ createdAt: new Date(1_700_000_000_000 + (n % 50)), updatedAt: new Date(0) },
    parentItemId: random(`parent ${n}`, 4) === 0 && n > 1 ? idOf(n % 2) : null,
    ...Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, valueFor(filter, n)])),
  }))
  await prisma.item.createMany({ data })
  items = await prisma.item.findMany({ where: { datasetId: DATASET.archived } })
})

const NONE: FilterValues = {}
const ONE = ITEM_FILTERS.flatMap((filter): FilterValues[] => [
  { [filter]: COMMON },
  { [filter]: TEXTS[ITEM_FILTERS.indexOf(filter)] },
  { [filter]: 'x'.repeat(100) },
  { [filter]: 'x'.repeat(101) },
])
const TWO = ITEM_FILTERS.flatMap((first, n) =>
  ITEM_FILTERS.slice(n + 1).map((second): FilterValues => ({ [first]: COMMON, [second]: COMMON })),
)
const ALL: FilterValues = Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, COMMON]))
const SELECTIONS = [NONE, ...ONE, ...TWO, ALL]

/** The ids that a list should have, in order. */
function expectedIds(
  filters: FilterValues,
  sort: 'NAME' | 'CREATED_AT' = 'NAME',
  parentItemId?: string | null,
): string[] {
  const isSelected = (item: (typeof items)[number]) =>
    givenFilters(filters).every(([filter, value]) => item[filter] === value) &&
    (parentItemId === undefined || item.parentItemId === parentItemId)
  const key = ({ id, name, createdAt }: (typeof items)[number]) =>
    `${sort === 'NAME' ? name : createdAt.toISOString()}\0${id}`
  return items
    .filter(isSelected)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map(({ id }) => id)
}

const VARIABLES = ITEM_FILTERS.map((filter) => `$${filter}: String`).join(', ')
const ARGUMENTS = ITEM_FILTERS.map((filter) => `${filter}: $${filter}`).join(', ')

const PAGE = `query ($page: Int, $sort: ItemSort, $parentItemId: ID, ${VARIABLES}) {
  dataset(id: "archived") {
    items(page: $page, limit: ${PAGE_SIZE}, sort: $sort, parentItemId: $parentItemId, ${ARGUMENTS}) { total nodes { id } }
  }
}`

/** Reads a page of a list. */
async function readPage(variables: object): Promise<{ total: number; ids: string[] }> {
  const { body } = await t.graphql(PAGE, { ...variables })
  expect(body.errors).toBeUndefined()
  const { total, nodes } = body.data.dataset.items
  return { total, ids: nodes.map(({ id }: { id: string }) => id) }
}

describe.each([
  ['all items', undefined],
  ['root items', null],
  ['children', idOf(1)],
])('Among %s', (_what, parentItemId) => {
  test.each(['NAME', 'CREATED_AT'] as const)('pages by %s of any depth have the items and the total', async (sort) => {
    const parent = parentItemId === undefined ? {} : { parentItemId }
    for (let page = 1; (page - 1) * PAGE_SIZE <= COUNT; page += 1) {
      // The lists take turns, so that each deep page follows one of another selection.
      for (const filters of SELECTIONS) {
        const expected = expectedIds(filters, sort, parentItemId)
        if ((page - 1) * PAGE_SIZE > expected.length) continue
        const ids = expected.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
        const found = await readPage({ page, sort, ...parent, ...filters })
        expect(found, JSON.stringify({ page, ...filters })).toEqual({ total: expected.length, ids })
      }
    }
  })
})

test.each(SELECTIONS.map((filters) => [filters]))(
  'a connection, the tool listItems and /ogc with %j have the items and the total',
  async (filters) => {
    const expected = expectedIds(filters)
    const query = `query (${VARIABLES}) {
      dataset(id: "archived") { itemConnection(first: 100, ${ARGUMENTS}) { totalCount nodes { id } } } }`
    const { totalCount, nodes } = (await t.graphql(query, { ...filters })).body.data.dataset.itemConnection
    const ids = expected.slice(0, 100).map((id) => ({ id }))
    expect([totalCount, nodes]).toEqual([expected.length, ids])
    const { structuredContent } = await callTool(t.url, t.key, 'listItems', {
      datasetId: 'archived',
      limit: 100,
      ...filters,
    })
    expect(structuredContent.meta.total).toBe(expected.length)
    expect(structuredContent.data.map(({ id }: { id: string }) => id)).toEqual(expected.slice(0, 100))
    for (const [query, isInside] of [
      ['', () => true],
      ['bbox=-180,-85,-80,15', (n: number) => n % 360 <= 100 && n % 170 <= 100],
      ['datetime=../1970-01-02T00:00:00Z', () => true],
    ] as const) {
      const parameters = new URLSearchParams(givenFilters(filters))
      const pages = await readPages(t, `/ogc/collections/archived/items?limit=400&${query}&${parameters}`)
      const inside = expected.filter((id) => id.startsWith('66666666') && isInside(Number(id.slice(-12)))).sort()
      const ids = idsOf(pages).filter((id) => id.startsWith('66666666'))
      expect(ids, query).toEqual(inside)
      for (const { numberMatched } of pages) expect(numberMatched).toBe(idsOf(pages).length)
    }
  },
)

const REST_FILTERS = Object.keys(REST_ROUTES.find(({ name }) => name === 'listItems')?.query.shape ?? {})

test.each(ITEM_FILTERS.filter((filter) => !REST_FILTERS.includes(filter)))(
  '/v1 ignores %s, which is not in its specification',
  async (filter) => {
    for (const path of ['/v1/datasets/archived/items?limit=5', '/v1/dataset-items/nearby?latitude=0&longitude=0']) {
      const asked = [path, `${path}&${filter}=${encodeURIComponent(COMMON)}`]
      const [plain, ignored] = await Promise.all(asked.map((each) => t.get(each)))
      expect([ignored?.status, ignored?.headers.get('link')]).toEqual([200, plain?.headers.get('link')])
      expect(await ignored?.text()).toBe(await plain?.text())
    }
  },
)

test('/v1 has the filters of its specification', () => {
  expect(REST_FILTERS).toEqual([
    ...['page', 'limit', 'sort', 'order'],
    ...['administrativeAreaCode', 'categoryCode', 'parentItemId'],
  ])
})

test.each(ITEM_FILTERS)('an empty %s is refused, and null is none', async (filter) => {
  const { body } = await t.graphql(PAGE, { [filter]: '' })
  expect(body.errors[0].extensions).toEqual({
    code: 'VALIDATION_FAILED',
    details: [{ field: filter, message: 'must not be empty' }],
  })
  const tool = await callTool(t.url, t.key, 'listItems', { datasetId: 'archived', [filter]: '' })
  expect(tool._meta?.error.details).toEqual([{ field: filter, message: 'must not be empty' }])
  const ogc = await getOgc(t, `/ogc/collections/archived/items?${filter}=`)
  expect([ogc.status, ogc.body.details]).toEqual([400, [{ field: filter, message: 'must not be empty' }]])
  expect((await readPage({ [filter]: null })).total).toBe(items.length)
})

test.each(ITEM_FILTERS)('the total by %s follows each change within a second', async (filter) => {
  const { prisma } = t.database
  const matched = async () => {
    const { body } = await getOgc(t, `/ogc/collections/archived/items?${filter}=changed`)
    return [(await readPage({ [filter]: 'changed' })).total, body.numberMatched]
  }
  expect(await matched()).toEqual([0, 0])
  await prisma.item.update({ where: { id: idOf(2) }, data: { [filter]: 'changed' } })
  await expect.poll(matched).toEqual([1, 1])
  await prisma.item.update({ where: { id: idOf(2) }, data: { [filter]: valueFor(filter, 2) } })
  await expect.poll(matched).toEqual([0, 0])
})

describe('A value', () => {
  /** Different characters of three bytes, because PostgreSQL compresses the values of an index. */
  const longText = (name: string, length: number) =>
    Array.from({ length }, (_, n) => String.fromCodePoint(0x4e00 + random(`${name} ${n}`, 20_000))).join('')

  test.each(ITEM_FILTERS.flatMap((filter) => [100, 101, 1_000].map((length) => [filter, length] as const)))(
    'of %s with %i characters is found, or the import refuses it',
    async (filter, length) => {
      const importer = await createImporter(t.database)
      const value = longText('value', length)
      const rows = ndjson(row({ [filter]: value, name: longText('name', 500) }))
      const message = await importer.fail({ 'a.ndjson': rows }, { dataset: { slug: 'long' } })
      await importer.close()
      if (!message.startsWith('loaded')) {
        expect(length).toBeGreaterThan(100)
        expect(message).toContain(`${filter} must be at most 100 characters long`)
        return
      }
      await t.hearChanges()
      const query = `query ($value: String) { dataset(id: "long") { items(${filter}: $value) { total nodes { ${filter} } } } }`
      const { body } = await t.graphql(query, { value })
      expect(body.data.dataset.items).toEqual({ total: 1, nodes: [{ [filter]: value }] })
      await t.database.prisma.dataset.delete({ where: { slug: 'long' } })
    },
  )
})
