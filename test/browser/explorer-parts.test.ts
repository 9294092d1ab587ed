import { readFileSync } from 'node:fs'
import { VectorTile } from '@mapbox/vector-tile'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import fc from 'fast-check'
import { PbfReader } from 'pbf'
import { expect, test, vi } from 'vitest'
import { type Bounds, boxAround, boxAroundAll, visibleBox } from '../../src/explorer/map/box.ts'
import { LIGHT } from '../../src/explorer/map/colours.ts'
import { circle, destination } from '../../src/explorer/map/geodesic.ts'
import type { Legend } from '../../src/explorer/map/legend.ts'
import { groupDots, radiusOf } from '../../src/explorer/map/place-groups.ts'
import { placeFeatures, placeLayers } from '../../src/explorer/map/place-layers.ts'
import { dotsOf, tileSources } from '../../src/explorer/map/tiles.ts'
import { worldMap } from '../../src/explorer/map/world.ts'
import { formatAddress, isSearch, parseAddress, type View } from '../../src/explorer/views/address.ts'
import { embedFrame, embedKeyCommand, embedPage } from '../../src/explorer/views/embed-page.ts'
import { sizeText } from '../../src/explorer/views/export-links.ts'
import { formsOf, graphiqlPath } from '../../src/explorer/views/request-forms.ts'
import { requestOf } from '../../src/explorer/views/requests.ts'
import { pictureUrl, safeUrl } from '../../src/explorer/views/safe-url.ts'
import { useApp } from '../support/app.ts'
import { runShell } from '../support/process.ts'

/*
 * The explorer's parts that need no browser.
 */

const t = useApp({ data: 'sample' })

const BASE = 'http://127.0.0.1:4000'

test.each([
  [126.977, 37.5796, 1000],
  [179.9, -16.7, 50_000],
  [0, 0, 1],
  [-73.8, 89.9, 5_000],
  [10, -89.99, 50_000],
])('each point of the circle around %f, %f is exactly %i m away, as PostGIS measures it', async (x, y, radius) => {
  for (const azimuth of [0, 31, 90, 180, 270, 333]) {
    const [longitude, latitude] = destination([x, y], azimuth, radius)
    const [row] = await t.database.prisma.$queryRaw<{ metres: number }[]>`
      select ST_Distance(ST_Point(${x}, ${y})::geography, ST_Point(${((longitude + 540) % 360) - 180}, ${latitude})::geography) as metres`
    expect(Math.abs((row?.metres ?? 0) - radius)).toBeLessThan(0.001)
  }
})

test('a circle around a pole covers the edge of the map from side to side', () => {
  const ring = circle([10, -89.9], 50_000)
  expect(ring[0]).toEqual(ring.at(-1))
  expect([Math.min(...ring.map(([x]) => x)), Math.max(...ring.map(([x]) => x))]).toEqual([-180, 180])
})

test.each([
  {},
  { dataset: 'seoul-landmarks', at: { latitude: 37.5, longitude: 127.1, zoom: 11.25 } },
  { dataset: 'x y&z', category: '가', area: '11110' },
  { text: '100% "경복궁" & <b>_', within: [179.5, -90, -179.5, 90] as [number, number, number, number] },
  { at: { latitude: 0, longitude: 115, zoom: -0.54 } },
  { dataset: 'x', isAbout: true },
  { dataset: 'x', table: { fields: ['name', 'url'], sort: 'updatedAt' as const, isDescending: true, page: 3 } },
  { near: { latitude: -90, longitude: 180, radius: 50_000 }, item: '7748716f-f0aa-5779-a29b-4066ccbe3bdb' },
])('an address describes the view: %j', (view) => {
  expect(parseAddress(formatAddress(view).slice(1))).toEqual({
    ...{
      dataset: undefined,
      category: undefined,
      area: undefined,
      item: undefined,
      at: undefined,
      near: undefined,
      table: undefined,
      isAbout: undefined,
    },
    ...view,
  })
})

const words = (text: string) => text.split(' ')

test.each([
  ...words('at=x at=91,0,3 at=1,2 at=0,0,-3 at=0,0,23 at=,, near=0,181,5 near=0,0,0 near=0,0,60000 near=NaN,0,1'),
  ...words('within=1,2,3 within=1,2,3,4,5 within=181,0,1,1 within=0,-91,1,1 within=0,2,1,1 within=a,b,c,d within=,,,'),
])('an address that is not valid is left out: %s', (query) => {
  const { at, near, within } = parseAddress(query)
  expect([at, near, within]).toEqual([undefined, undefined, undefined])
})

test('filters without a dataset are left out, because codes are those of a dataset', () => {
  expect(formatAddress(parseAddress('category=palace&area=11110&text=gate'))).toBe('?text=gate')
})

test.each([
  ['inside the map', [126.1234567, 37, 127, 38], [126.12346, 37, 127, 38]],
  ['across the antimeridian', [170, -20, 190, -10], [170, -20, -170, -10]],
  ['in another copy of the world', [486, 37, 487, 38], [126, 37, 127, 38]],
  ['wider than the world', [-300, -85.06, 300, 85.06], [-180, -90, 180, 90]],
] as const)('the visible part of the map is a box of the API: %s', (_where, [west, south, east, north], box) => {
  expect(visibleBox([west, south, east, north])).toEqual(box)
})

test('a box around points is the smallest one, also across the antimeridian', () => {
  const points = [
    [179, -17],
    [-179, -16],
  ] as const
  expect(boxAround(points)).toEqual([179, -17, 181, -16])
  expect(boxAround([[127, 37]])).toEqual([127, 37, 127, 37])
})

test('the request for a search is the same in GraphQL, with its defaults or with its variables, and in curl', async () => {
  const request = requestOf({
    dataset: 'seoul-landmarks',
    text: 'palace',
    within: [126.9, 37.5, 127, 37.6],
    category: 'palace',
  })
  const { body } = await t.graphql(request.query)
  expect(body.data.searchItems.total).toBe(4)
  expect((await t.graphql(request.query, request.variables)).body).toEqual(body)
  const { curl = '' } = formsOf(request, t.url, t.key)
  const { data, meta } = JSON.parse((await runShell({}, `${curl} --silent`)).stdout)
  expect(meta.total).toBe(4)
  const ids = (items: { id: string }[]) => items.map(({ id }) => id)
  expect(ids(data)).toEqual(ids(body.data.searchItems.nodes))
})

test('a table of an address that is not valid has the default order, columns and page', () => {
  const table = parseAddress('view=table&columns=url,password,name&sort=id&order=up&page=0').table
  expect(table).toEqual({ fields: ['name', 'url'], sort: 'name', isDescending: false, page: 1 })
  expect(parseAddress('view=x&sort=name').table).toBeUndefined()
})

test('the request for a table has its order, its page and its columns, in REST and GraphQL', async () => {
  const table = { fields: ['name', 'updatedAt'], sort: 'name' as const, isDescending: true, page: 1 }
  const { path, query } = requestOf({ dataset: 'seoul-landmarks', category: 'palace', table })
  const { data } = await (await t.get(path)).json()
  const { body } = await t.graphql(query)
  const names = (items: { name: string }[]) => items.map(({ name }) => name)
  expect(names(data)).toEqual(names(body.data.dataset.items.nodes))
  expect(names(data)).toEqual(names(data).toSorted().toReversed())
  expect(Object.keys(body.data.dataset.items.nodes[0])).toEqual(['id', 'name', 'updatedAt'])
})

test.each<View>([
  { text: 'gung' },
  { dataset: 'seoul-landmarks', within: [126.9, 37.5, 127, 37.6] },
  { near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
])('the request for the table of %j has its columns and its page', async (view) => {
  const table = { fields: ['name', 'telephone'], sort: 'name' as const, isDescending: false, page: 2 }
  const { path, query, variables } = requestOf({ ...view, table })
  expect(new URL(path, BASE).searchParams.get('page')).toBe('2')
  const { body } = await t.graphql(query.replace('$limit: Int = 50', '$limit: Int = 3'), { ...variables, limit: 3 })
  const { nodes } = body.data.searchItems ?? body.data.nearbyItems
  expect(Object.keys(nodes[0].item ?? nodes[0])).toEqual(['id', 'name', 'telephone'])
  expect((await t.get(path)).status).toBe(200)
})

test.each([
  [0, true, ' (0 byte)'],
  [999, true, ' (1,000 byte)'],
  [12_345, true, ' (12 kB)'],
  [1_440_000, false, ' (about 1.4 MB)'],
  [25_000_000_000, false, ' (about 25 GB)'],
  [25_000_000_000_000, false, ' (about 25,000 GB)'],
])('%i bytes, exact %s, are written as%s', (bytes, isExact, expected) => {
  expect(sizeText({ format: 'csv', bytes, isExact })).toBe(expected)
})

test('the tiles of a view have its filters, its text or its circle', () => {
  const selection = (view: View) =>
    tileSources(view, 'datasetId', false)[0]?.template.slice('/tiles/all/{z}/{x}/{y}.mvt'.length)
  expect(selection({})).toBe('')
  expect(selection({ category: 'palace', area: '11 110', text: '경복' })).toBe(
    `?categoryCode=palace&administrativeAreaCode=11+110&text=${encodeURIComponent('경복')}`,
  )
  const near = { latitude: 37.5, longitude: 127, radius: 500 }
  expect(selection({ near, text: 'ignored' })).toBe('?latitude=37.5&longitude=127&radius=500')
  expect(selection({ within: [1, 2, 3, 4] })).toBe('')
  vi.unstubAllGlobals()
})

test.each([
  {},
  { dataset: 'seoul-landmarks' },
  { dataset: 'seoul-landmarks', category: 'palace', area: '11110' },
  { near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
  { dataset: 'seoul-landmarks', near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
  { dataset: 'seoul-landmarks', category: 'palace', near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
  { text: 'gung', category: 'palace' },
  { item: 'ed9ea7d8-caaf-5cf9-817b-36ba51a4744b' },
  { dataset: 'seoul-landmarks', isAbout: true },
])('the request for %j is the same in REST and GraphQL, and each form runs as copied', async (view) => {
  const request = requestOf(view)
  const rest = await (await t.get(request.path ?? '')).json()
  const { body } = await t.graphql(request.query)
  expect(body.errors).toBeUndefined()
  const named = (value: unknown) => [...JSON.stringify(value).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
  expect(named(body.data)).toEqual(expect.arrayContaining(named(rest.data).slice(0, 1)))
  expect(new URL(graphiqlPath(request), BASE).searchParams.get('query')).toBe(request.query)
  const { curl = '', Python = '' } = formsOf(request, t.url, t.key)
  expect(JSON.parse((await runShell({}, `${curl} --silent`)).stdout)).toEqual(rest)
  const python = await runShell({}, `command -v python3 >/dev/null || exit 0\npython3 - <<'END'\n${Python}\nEND`)
  if (python.stdout !== '') expect(JSON.parse(python.stdout)).toEqual(rest)
})

test('the request for the page of a dataset gives its facts, and not its places', async () => {
  const { path, query, variables } = requestOf({ dataset: 'world-airports', isAbout: true })
  expect((await (await t.get(path)).json()).data.slug).toBe('world-airports')
  const { dataset } = (await t.graphql(query, variables)).body.data
  expect(dataset.license).toBe('Unlicense')
  expect(dataset.categories.length).toBeGreaterThan(0)
  expect(dataset.items).toBeUndefined()
})

test('a key with quotes is one word of the shell command', async () => {
  const { curl = '' } = formsOf(requestOf({}), BASE, `a'; echo broken; '`)
  const { stdout } = await runShell({}, curl.replace('curl -H', "printf '%s|'"))
  expect(stdout).toBe(`Authorization: Bearer a'; echo broken; '|${BASE}/v1/datasets|`)
})

test.each([
  ...['', ' JaVaScRiPt:alert(1)'],
  ...words('javascript:alert(1) data:text/html,x vbscript:x file:///etc/passwd http://'),
])('is not shown as a link: %s', (text) => {
  expect(safeUrl(text, BASE)?.protocol ?? 'none').toMatch(text.includes(':') || text === '' ? /^none$/ : /^http/)
})

test.each(['www.museum.go.kr', '/v1/datasets', 'museum'])(
  'text without a scheme is a link only on a base: %s',
  (text) => {
    expect(safeUrl(text)).toBeUndefined()
    expect(safeUrl(text, BASE)?.origin).toBe(BASE)
  },
)

test('a view near a point is no search by name', () => {
  expect(isSearch(parseAddress('text=palace'))).toBe(true)
  expect(isSearch(parseAddress('text=palace&near=37.5,127,1000'))).toBe(false)
})

test('a picture of the sample data is loaded from this server, any other one from its URL', () => {
  expect(pictureUrl('http://10.0.0.1:9/sample/nmk-1.svg', BASE)?.href).toBe(`${BASE}/sample/nmk-1.svg`)
  expect(pictureUrl('https://x.example/sample/../a.png', BASE)?.href).toBe('https://x.example/a.png')
})

test('reads the positions, the items and the shares of the dots of a tile', async () => {
  const [source] = tileSources({}, 'datasetId')
  const url = `${t.url}${source?.template.replace('{z}/{x}/{y}', '0/0/0')}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${t.key}` } })
  const dots = dotsOf(await response.arrayBuffer(), 'datasetId', '0/0/0')
  expect(dots.reduce((sum, { total }) => sum + total, 0)).toBe(44)
  for (const { x, y, item, shares } of dots) {
    expect(Math.min(x, y, 1 - x, 1 - y)).toBeGreaterThanOrEqual(0)
    expect(shares).toEqual({ [item?.datasetId ?? '']: 1 })
  }
  const tile = fromGeojsonVt(
    { items: { features: [{ type: 1, geometry: [[2048, 1024]], tags: { total: 9, shares: '{"a":8,"b":1}' } }] } },
    { version: 2, extent: 4096 },
  )
  const [cluster] = dotsOf(new Uint8Array(tile).buffer, 'categoryCode', '1/1/0')
  expect(cluster).toEqual({ x: 0.75, y: 0.125, total: 9, shares: { a: 8, b: 1 } })
})

const dot = (x: number, category: string, total = 1) => {
  const item = { id: `${x}`, name: '', categoryCode: category, datasetId: '' }
  return { x, y: 0.5, total, shares: { [category]: total }, ...(total === 1 && { item }) }
}

test('dots that would overlap are one with the sums of their items and shares, and others stay as they are', () => {
  const dots = [dot(0.5, 'a'), dot(0.5, 'b'), dot(0.502, 'a', 40), dot(0.6, 'c')]
  const groups = groupDots(dots, 1000)
  expect(groups).toMatchObject([
    { x: 0.502, total: 42, shares: { a: 41, b: 1 } },
    { x: 0.6, total: 1, item: { id: '0.6' } },
  ])
  expect(groups[0]?.item).toBeUndefined()
  expect(groupDots(dots, 1_000_000)).toHaveLength(3)
  // Two items at the same point are one at any zoom, and no further than that point.
  expect(groupDots(dots.slice(0, 2), 1e9)).toMatchObject([{ total: 2, spread: 0 }])
})

test('circles on the map never overlap, and no item is lost', () => {
  const place = fc.record({
    x: fc.double({ min: 0, max: 0.1, noNaN: true }),
    y: fc.double({ min: 0, max: 0.1, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.integer({ min: 1, max: 3_000_000 })), { maxLength: 60 }), (places) => {
      const groups = groupDots(
        places.map(([at, total]) => ({ ...at, total, shares: { a: total } })),
        4096,
      )
      const sum = places.reduce((all, [, total]) => all + total, 0)
      expect(groups.reduce((all, { total }) => all + total, 0)).toBe(sum)
      expect(groups.reduce((all, { shares }) => all + (shares.a ?? 0), 0)).toBe(sum)
      for (const [n, one] of groups.entries()) {
        for (const other of groups.slice(n + 1)) {
          const pixels = Math.hypot(one.x - other.x, one.y - other.y) * 4096
          expect(pixels).toBeGreaterThanOrEqual(radiusOf(one.total) + radiusOf(other.total))
        }
      }
    }),
  )
})

test('a pie has the colours of the legend, and grey for all others', () => {
  const entries = ['b', 'a'].map((value) => ({ value, name: value, total: 1, view: {} }))
  const legend: Legend = { property: 'categoryCode', entries, isWhole: true, rest: [] }
  const group = { x: 0.5, y: 0.5, total: 6, shares: { a: 3, c: 1, b: 2 }, spread: 1 }
  const [feature] = placeFeatures([group], legend, LIGHT).features
  expect(JSON.parse(feature?.properties?.icon)).toMatchObject({
    arcs: [
      [LIGHT.values[0], 2],
      [LIGHT.values[1], 3],
      [LIGHT.others, 1],
    ],
  })
  expect(feature?.geometry).toEqual({ type: 'Point', coordinates: [0, 0] })
})

const KOREA: Bounds = [126, 37, 128, 38]
const FIJI: Bounds = [177, -19, -178, -16]
test.each<[string, Bounds[], Bounds]>([
  ['far from the antimeridian', [KOREA, [139, 35, 140, 36]], [126, 35, 140, 38]],
  ['across the antimeridian', [FIJI], [177, -19, 182, -16]],
  ['across it and beside it', [FIJI, [-172, -14, -171, -13], [166, -47, 179, -34]], [166, -47, 189, -13]],
  ['around the world', [[-179.9, -80, 179.9, 80], FIJI], [-180, -80, 180, 80]],
])('a box around boxes is the smallest one: %s', (_where, boxes, around) => {
  expect(boxAroundAll(boxes)).toEqual(around)
})

test('the map draws the name of the chosen place once', () => {
  const legend: Legend = { property: 'datasetId', entries: [], isWhole: true, rest: [] }
  const names = placeLayers({ source: 'places' }, legend, LIGHT, ['chosen id']).find(({ id }) => id === 'names')
  expect(JSON.stringify(names)).toContain('["!",["in",["get","id"],["literal",["chosen id"]]]]')
})

test.each([
  ['ko', 'KR', '대한민국'],
  ['ar', 'EG', 'مصر'],
  ['he', 'IL', 'ישראל'],
  ['tlh', 'KR', 'South Korea'],
])('the base map names countries in the language of the reader: %s', (language, code, name) => {
  const countries = worldMap(LIGHT, [language, 'en']).layers.find(({ id }) => id === 'countries')
  expect(JSON.stringify(countries)).toContain(`"${code}":"${name}"`)
})

test('the base map has a tile for each place of its zooms, and no others', async () => {
  const html = await (await fetch(t.url)).text()
  const [base = ''] = /\/assets\/\w+/.exec(html) ?? []
  const read = (address: string) => fetch(`${t.url}${base}/lib/world/${address}.mvt`)
  const layers = async (address: string) =>
    Object.keys(new VectorTile(new PbfReader(await (await read(address)).arrayBuffer())).layers).sort()
  expect(await layers('0/0/0')).toEqual(['borders', 'cities', 'countries', 'lakes', 'land'])
  // Korea with Seoul, Europe, and the South Pacific.
  expect(await layers('6/54/24')).toEqual([
    ...['borders', 'cities', 'countries', 'districts', 'lakes', 'land', 'parks', 'roads', 'streams'],
  ])
  expect(await layers('3/4/2')).toEqual(['borders', 'cities', 'countries', 'lakes', 'land', 'rivers'])
  expect(await layers('6/8/40')).toEqual([])
  expect((await read('7/0/0')).status).toBe(404)
  expect((await read('6/64/0')).status).toBe(404)
})

test('the frame and the page of the document about embedding are those of the explorer', () => {
  const view = { dataset: 'seoul-landmarks' }
  const text = readFileSync('docs/embed.md', 'utf8')
  for (const write of [embedFrame, embedPage])
    expect(text).toContain(`\`\`\`html\n${write(view, 'https://catalog.example')}\`\`\``)
  expect(text).toContain(`\n${embedKeyCommand(view)}\n`)
  expect(embedFrame({ ...view, category: 'a&b', area: '"' }, '')).toContain('&amp;category=a%26b&amp;area=%22#key')
  const filtered = embedPage({ ...view, category: 'palace' }, 'https://catalog.example')
  expect(filtered).toContain('/tiles/seoul-landmarks/{z}/{x}/{y}.mvt?categoryCode=palace`')
})
