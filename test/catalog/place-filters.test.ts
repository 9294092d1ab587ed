import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FilterValues, givenFilters, ITEM_FILTERS, type ItemFilter } from '../../src/catalog/filters.ts'
import { callTool } from '../mcp/client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'

/*
 * Every filter of the table FILTERS, alone and together, where a request has a place and not a dataset's list. A plain filter in
 * memory says what a selection has. The places stand in a row to the north, 11 metres from each to the next.
 */

const COUNT = 700
const START = { latitude: -20, longitude: 10 }
const COMMON = "it's"
const RARE = 'x category'

const idOf = (n: number) => `99999999-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A whole number below `bound`, which the name decides. */
const random = (name: string, bound: number) => createHash('sha256').update(name).digest().readUInt32BE() % bound

function valueFor(filter: ItemFilter, n: number): string {
  return random(`${filter} ${n}`, 10) < 8 ? COMMON : random(`rare ${filter} ${n}`, 4) === 0 ? RARE : 'other'
}

let t: TestApp
beforeAll(async () => {
  t = await startApp()
  const row = (n: number) => ({
    ...{ id: idOf(n), datasetId: DATASET.seoul, name: `Place ${n}`, administrativeAreaCode: '', categoryCode: '' },
    ...{ latitude: (START.latitude + n / 10_000).toFixed(7), longitude: START.longitude },
    ...{ createdAt: new Date(0), updatedAt: new Date(0) },
    ...Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, valueFor(filter, n)])),
  })
  const rows = Array.from({ length: COUNT }, (_, n) => row(n))
  // A key without a grant sees none of these copies.
  const hidden = rows.map((each, n) => ({ ...each, id: idOf(COUNT + n), datasetId: DATASET.draft }))
  await t.database.prisma.item.createMany({ data: [...rows, ...hidden] })
})
afterAll(() => t.close())

const ALL: FilterValues = Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, COMMON]))
const SELECTIONS: FilterValues[] = [
  {},
  ...ITEM_FILTERS.flatMap((filter) => [{ [filter]: COMMON }, { [filter]: RARE }, { [filter]: 'none' }]),
  ...ITEM_FILTERS.flatMap((first, n) =>
    ITEM_FILTERS.slice(n + 1).flatMap((second) => [
      { [first]: COMMON, [second]: COMMON },
      { [first]: COMMON, [second]: RARE },
    ]),
  ),
  ALL,
]

/** The ids of the selected places, from south to north. */
function expectedIds(filters: FilterValues, isChosen: (n: number) => boolean = () => true): string[] {
  return Array.from({ length: COUNT }, (_, n) => n)
    .filter((n) => isChosen(n) && givenFilters(filters).every(([filter, value]) => valueFor(filter, n) === value))
    .map(idOf)
}

const VARIABLES = ITEM_FILTERS.map((filter) => `$${filter}: String`).join(', ')
const ARGUMENTS = ITEM_FILTERS.map((filter) => `${filter}: $${filter}`).join(', ')
const CIRCLE = `latitude: ${START.latitude}, longitude: ${START.longitude}`

test.each(SELECTIONS.map((filters) => [filters]))(
  'a nearby search with %j has the order and the total, in GraphQL and as a tool',
  async (filters) => {
    const nearest = expectedIds(filters, (n) => n <= 180)
    const page = '{ total nodes { item { id } } }'
    const query = `query (${VARIABLES}) {
      near: nearbyItems(${CIRCLE}, radius: 2000, limit: 7, ${ARGUMENTS}) ${page}
      deep: nearbyItems(${CIRCLE}, radius: 2000, page: 5, limit: 7, ${ARGUMENTS}) ${page}
      dataset(id: "seoul") { nearbyItems(${CIRCLE}, radius: 50000, limit: 100, ${ARGUMENTS}) ${page} }
    }`
    const { body } = await t.graphql(query, { ...filters })
    const ids = ({ nodes }: { nodes: { item: { id: string } }[] }) => nodes.map(({ item }) => item.id)
    const { near, deep, dataset } = body.data
    expect([near.total, ids(near)]).toEqual([nearest.length, nearest.slice(0, 7)])
    expect([deep.total, ids(deep)]).toEqual([nearest.length, nearest.slice(28, 35)])
    const all = expectedIds(filters)
    expect([dataset.nearbyItems.total, ids(dataset.nearbyItems)]).toEqual([all.length, all.slice(0, 100)])
    const { structuredContent } = await callTool(t.url, t.key, 'findNearbyItems', {
      ...{ ...START, radius: 2000, limit: 7 },
      ...filters,
    })
    expect(structuredContent.meta.total).toBe(nearest.length)
    expect(structuredContent.data.map(({ id }: { id: string }) => id)).toEqual(nearest.slice(0, 7))
  },
)

test.each(ITEM_FILTERS)('a nearby search with an empty %s is refused, and null is none', async (filter) => {
  const query = `query ($value: String) { nearbyItems(${CIRCLE}, ${filter}: $value) { total } }`
  const { body } = await t.graphql(query, { value: '' })
  expect(body.errors[0].extensions.details).toEqual([{ field: filter, message: 'must not be empty' }])
  expect((await t.graphql(query, { value: null })).body.data.nearbyItems.total).toBe(91)
})

test.each(ITEM_FILTERS)('/v1 ignores %s in a nearby search, as it does in its specification', async (filter) => {
  const path = `/v1/dataset-items/nearby?latitude=${START.latitude}&longitude=${START.longitude}`
  const [plain, ignored] = await Promise.all([t.get(path), t.get(`${path}&${filter}=${RARE}`)])
  expect(ignored.headers.get('link')).toBe(plain.headers.get('link'))
  expect(await ignored.text()).toBe(await plain.text())
})
