import { VectorTile } from '@mapbox/vector-tile'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import fc from 'fast-check'
import { PbfReader } from 'pbf'
import { expect, test, vi } from 'vitest'
import type { View } from '../../src/explorer/data/address.ts'
import { tileSources } from '../../src/explorer/data/tile-sources.ts'
import { type Bounds, boxAround, boxAroundAll, visibleBox } from '../../src/explorer/map/box.ts'
import { LIGHT } from '../../src/explorer/map/colours.ts'
import { circle, destination } from '../../src/explorer/map/geodesic.ts'
import { groupDots, radiusOf } from '../../src/explorer/map/place-groups.ts'
import { placeFeatures, placeLayers } from '../../src/explorer/map/place-layers.ts'
import { dotsOf } from '../../src/explorer/map/tiles.ts'
import { worldMap } from '../../src/explorer/map/world.ts'
import { asMapped } from '../../src/explorer/page/camera.ts'
import type { Legend } from '../../src/explorer/views/legend/legend.ts'
import { useApp } from '../support/app.ts'

/*
 * The map's parts that need no browser.
 */

const t = useApp({ data: 'sample' })

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

test.each([
  ['the world', [-180, -90, 180, 82], [-169, -58, 191, 84]],
  ['a country that reaches a pole', [20, -90, 30, -70], [20, -90, 30, -70]],
  ['a ring around a pole', [-180, -90, 180, -70], [-180, -90, 180, -70]],
] as const)('only a map of most of the world leaves out the poles: %s', (_what, [west, south, east, north], shown) => {
  expect(asMapped([west, south, east, north])).toEqual(shown)
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
  const tile = async (address: string) =>
    new VectorTile(new PbfReader(await (await read(address)).arrayBuffer())).layers
  const layers = async (address: string) => Object.keys(await tile(address)).sort()
  expect(await layers('0/0/0')).toEqual(['borders', 'cities', 'countries', 'lakes', 'land'])
  // Korea with Seoul, Europe, and the South Pacific.
  expect(await layers('6/54/24')).toEqual([
    ...['borders', 'cities', 'countries', 'districts', 'lakes', 'land', 'parks', 'roads', 'streams'],
  ])
  expect(await layers('3/4/2')).toEqual(['borders', 'cities', 'countries', 'lakes', 'land', 'rivers'])
  expect(await layers('6/8/40')).toEqual([])
  expect((await read('7/0/0')).status).toBe(404)
  expect((await read('6/64/0')).status).toBe(404)
  // The names of cities by language; the German ones only where they differ.
  const { cities } = await tile('2/3/1')
  const names = Array.from({ length: cities?.length ?? 0 }, (_, n) => cities?.feature(n).properties)
  expect(names).toContainEqual(expect.objectContaining({ name: 'Tokyo', name_ko: '도쿄', name_de: 'Tokio' }))
  expect(names.find((city) => city?.name === 'Seoul')).toEqual(expect.not.objectContaining({ name_de: 'Seoul' }))
})
