import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { REST_ROUTES } from '../../src/api/rest/routes.ts'
import { NDJSON } from '../../src/catalog/export-formats.ts'
import { type FilterValues, givenFilters, ITEM_FILTERS, type ItemFilter } from '../../src/catalog/filters.ts'
import { fetchExportBatch } from '../../src/catalog/sql/export.ts'
import { callTool } from '../mcp/client.ts'
import { useApp } from '../support/app.ts'
import { DATASET, newPlace } from '../support/catalog.ts'
import { authorization, recordsOf } from '../support/exports.ts'
import { decodeTile, tileOf, totalOf } from '../support/tiles.ts'

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

const t = useApp()
beforeAll(async () => {
  const row = (n: number) => ({
    ...newPlace({ id: idOf(n), datasetId: DATASET.seoul, name: `Place ${n}`, longitude: START.longitude }),
    latitude: (START.latitude + n / 10_000).toFixed(7),
    ...Object.fromEntries(ITEM_FILTERS.map((filter) => [filter, valueFor(filter, n)])),
  })
  const rows = Array.from({ length: COUNT }, (_, n) => row(n))
  // A key without a grant sees none of these copies.
  const hidden = rows.map((each, n) => ({ ...each, id: idOf(COUNT + n), datasetId: DATASET.draft }))
  await t.database.prisma.item.createMany({ data: [...rows, ...hidden] })
})

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

test.each(SELECTIONS.map((filters) => [filters]))(
  'a search by text, and in a box, in a circle with %j has the order and the total, in GraphQL, in REST and as a tool',
  async (filters) => {
    const nearest = expectedIds(filters, (n) => n <= 180)
    const circle = `${CIRCLE}, radius: 2000, limit: 7, ${ARGUMENTS}`
    const box = `within: { west: 9, south: ${START.latitude + 0.00095}, east: 11, north: 0 }`
    const page = '{ total nodes { item { id } } }'
    const query = `query (${VARIABLES}) {
      text: findItems(text: "pläce", ${circle}) ${page}
      box: findItems(${box}, ${circle}) ${page}
    }`
    const { data } = (await t.graphql(query, { ...filters })).body
    const found = ({ total, nodes }: { total: number; nodes: { item: { id: string } }[] }) => [
      total,
      nodes.map(({ item }) => item.id),
    ]
    const expected = [nearest.length, nearest.slice(0, 7)]
    expect(found(data.text)).toEqual(expected)
    const inBox = nearest.filter((id) => id >= idOf(10))
    expect(found(data.box)).toEqual([inBox.length, inBox.slice(0, 7)])
    const searched = REST_ROUTES.find(({ name }) => name === 'searchItems')?.query.shape ?? {}
    if (Object.keys(filters).some((name) => !(name in searched))) return
    const given = { text: 'pläce', ...START, radius: 2000, limit: 7, ...filters }
    const search = new URLSearchParams(Object.entries(given).map(([name, value]) => [name, String(value)]))
    const responses = [await (await t.get(`/search?${search}`)).json()]
    responses.push((await callTool(t.url, t.key, 'searchItems', given)).structuredContent)
    for (const { data, meta } of responses)
      expect([meta.total, data.map(({ id }: { id: string }) => id)]).toEqual(expected)
  },
)

test('the only selected item of a square of a tile is shown, whatever other items are in the square', async () => {
  const place = (n: number, categoryCode: string, longitude: number) =>
    newPlace({ id: idOf(9_000 + n), datasetId: DATASET.archived, categoryCode, latitude: 51, longitude })
  const others = Array.from({ length: 5 }, (_, n) => place(n, 'not selected', 7))
  const crowd = Array.from({ length: 300 }, (_, n) => place(100 + n, 'selected', 7.02))
  await t.database.prisma.item.createMany({ data: [...others, place(50, 'selected', 7), ...crowd] })
  const { z, x, y } = tileOf({ latitude: 51, longitude: 7 }, 11)
  const response = await t.get(`/tiles/archived/${z}/${x}/${y}.mvt?categoryCode=selected`)
  const features = decodeTile(await response.arrayBuffer(), { z, x, y })
  expect(features.map(({ properties }) => properties.id ?? properties.total).sort()).toEqual([300, idOf(9_050)].sort())
})

/** The features of the tiles at a zoom that have the places. Over all of these, each selected place counts once. */
async function readTiles(zoom: number, query: URLSearchParams, dataset = 'seoul') {
  const places = Array.from({ length: COUNT }, (_, n) => ({ ...START, latitude: START.latitude + n / 10_000 }))
  const tiles = new Set(places.map((place) => JSON.stringify(tileOf(place, zoom))))
  const features = []
  for (const tile of tiles) {
    const { z, x, y } = JSON.parse(tile)
    const response = await t.get(`/tiles/${dataset}/${z}/${x}/${y}.mvt?${query}`)
    expect(response.status).toBe(200)
    features.push(...decodeTile(await response.arrayBuffer(), { z, x, y }))
  }
  return features
}

function parametersOf(filters: FilterValues, more: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams([...givenFilters(filters), ...Object.entries(more)])
}

/** The ids of the features that are items, and the number of all items. */
async function showTiles(zoom: number, query: URLSearchParams, dataset?: string) {
  const features = await readTiles(zoom, query, dataset)
  expect(features.length).toBeLessThanOrEqual(256 * 4)
  return {
    total: totalOf(features),
    ids: features.flatMap(({ properties }) => ('id' in properties ? [properties.id] : [])).sort(),
  }
}

const BOX = `${START.longitude - 1},${START.latitude + 0.00995},${START.longitude},${START.latitude + 0.03005}`
const NEAR = { latitude: String(START.latitude), longitude: String(START.longitude), radius: '2000' }

test.each<[string, Record<string, string>, (n: number) => boolean]>([
  ['of a circle', NEAR, (n) => n <= 180],
  ['in a box', { within: BOX }, (n) => n >= 100 && n <= 300],
  ['found by a word', { text: 'PLÄCE' }, () => true],
  ['found by a number', { text: 'place 12' }, (n) => String(n).includes('12')],
  ['found by nothing', { text: 'palace' }, () => false],
  ['of a circle and in a box', { ...NEAR, within: BOX }, (n) => n >= 100 && n <= 180],
  ['of a circle and found by a number', { ...NEAR, text: 'place 12' }, (n) => n <= 180 && String(n).includes('12')],
])('tiles of the places %s have exact clusters and items, alone and with filters', async (_what, query, isChosen) => {
  for (const filters of [{}, ...ITEM_FILTERS.map((filter) => ({ [filter]: RARE })), { categoryCode: COMMON }, ALL]) {
    const all = expectedIds(filters, isChosen)
    for (const zoom of [9, 14]) {
      for (const dataset of ['seoul', 'all']) {
        const { total, ids } = await showTiles(zoom, parametersOf(filters, query), dataset)
        expect([zoom, dataset, total]).toEqual([zoom, dataset, all.length])
        if (all.length <= 200) expect(ids).toEqual(all)
      }
    }
  }
})

test('each selection of a tile has its own ETag and cached response', async () => {
  const { z, x, y } = tileOf(START, 9)
  const path = `/tiles/seoul/${z}/${x}/${y}.mvt`
  const queries = ['', '?text=place%2012', ...ITEM_FILTERS.map((filter) => `?${filter}=other`)]
  const tags = async () =>
    Promise.all(queries.map(async (query) => (await t.get(`${path}${query}`)).headers.get('etag')))
  const first = await tags()
  expect(new Set(first).size).toBe(queries.length)
  expect(await tags()).toEqual(first)
})

test.each(SELECTIONS.map((filters) => [filters]))(
  'an export with %j has the items, in order of id',
  async (filters) => {
    const all = expectedIds(filters)
    const isOurs = (id: string) => id.startsWith('99999999')
    const response = await t.get(`/exports/seoul.ndjson?${parametersOf(filters)}`)
    const ids = recordsOf(await response.text()).map(({ id }: { id: string }) => id)
    expect(ids.filter(isOurs)).toEqual(all)
    if (givenFilters(filters).length > 0) expect(ids).toEqual(all)
  },
)

test('a part of an export begins after its id', async () => {
  const window = { after: idOf(3), limit: 2 }
  const content = { format: NDJSON }
  const { lines, isLast } = await fetchExportBatch(t.database.prisma, DATASET.seoul, content, window)
  expect(recordsOf(`${lines}\n`).map(({ id }: { id: string }) => id)).toEqual([idOf(4), idOf(5)])
  expect(isLast).toBe(false)
})

test('each selection of an export has its own ETag, and a change of the items changes it', async () => {
  const queries = ['', ...ITEM_FILTERS.map((filter) => `?${filter}=other`), `?${parametersOf(ALL)}`]
  const tagOf = async (path: string) => {
    const response = await t.get(path)
    await response.text()
    return response.headers.get('etag')
  }
  const tagsOf = async (format: string) => {
    const tags: (string | null)[] = []
    for (const query of queries) tags.push(await tagOf(`/exports/seoul.${format}${query}`))
    return tags
  }
  const before = [...(await tagsOf('ndjson')), ...(await tagsOf('csv')), ...(await tagsOf('geojson'))]
  expect(new Set(before).size).toBe(before.length)
  const [tag = ''] = before
  const sent = { ...authorization(t.key), 'if-none-match': tag ?? '' }
  expect((await t.get('/exports/seoul.ndjson', sent)).status).toBe(304)
  expect((await t.get('/exports/seoul.ndjson?categoryCode=other', sent)).status).toBe(200)
  await t.database.prisma.item.update({ where: { id: idOf(0) }, data: { description: 'changed' } })
  await expect.poll(() => tagsOf('ndjson')).not.toContain(tag)
})
