import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TileSelection } from '../../src/catalog/arguments.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { cellRange, MAX_FEATURES, MAX_SHARES, MAX_ZOOM, rangeAtZoom, type TileAddress } from '../../src/catalog/tile.ts'
import type { Item } from '../../src/generated/prisma/client.ts'
import { DATASET, newDataset, newPlace, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'
import { fold } from '../support/fold.ts'
import { createPublicReader } from '../support/reader.ts'
import { tileOf, totalOf } from '../support/tiles.ts'

/*
 * Over all tiles of a zoom each item counts once. The items are at random, at the poles, at the antimeridian, on the edges of tiles,
 * many at one place and many close together, in two datasets.
 */

interface Place {
  latitude: number
  longitude: number
}

/** A number from 0 to 1, the same for the same n. */
const noise = (n: number) => Math.abs(Math.sin(n * 12.9898) * 43758.5453) % 1

const EDGES: Place[] = [
  -90, -85.06, -85.0511288, -85.05, -66.5132604, 0, 40.9798981, 85.05, 85.0511287, 85.06, 90,
].flatMap((latitude) =>
  [-180, -179.9999999, -90, -0.0000001, 0, 11.25, 179.9999999, 180].map((longitude) => ({ latitude, longitude })),
)
const ANYWHERE: Place[] = Array.from({ length: 100 }, (_, n) => ({
  latitude: rounded(noise(n) * 180 - 90),
  longitude: rounded(noise(n + 1000) * 360 - 180),
}))
const ONE_PLACE: Place[] = Array.from({ length: 300 }, () => ({ latitude: 37.5665, longitude: 126.978 }))
const CLOSE_TOGETHER: Place[] = Array.from({ length: 700 }, (_, n) => ({
  latitude: rounded(-33.86 + noise(n) / 1000),
  longitude: rounded(151.2 + noise(n + 5000) / 1000),
}))

const PLACES: ReadonlyMap<string, readonly Place[]> = new Map([
  [DATASET.seoul, [...EDGES, ...ONE_PLACE, ...CLOSE_TOGETHER.slice(300)]],
  [DATASET.archived, [...ANYWHERE, ...ONE_PLACE.slice(100), ...CLOSE_TOGETHER.slice(0, 300)]],
])

function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7
}

const db = useDatabase()
let read: <Result>(use: (catalog: Catalog) => Promise<Result>) => Promise<Result>
beforeAll(async () => {
  const { prisma } = db.database
  await seedCatalog(prisma)
  await prisma.item.deleteMany()
  for (const [datasetId, places] of PLACES) await addItems(datasetId, places)
  read = createPublicReader(db.database)
})

async function addItems(datasetId: string, places: readonly Place[]): Promise<void> {
  await db.database.prisma.item.createMany({
    data: places.map((place) => newPlace({ datasetId, name: `${place.latitude} ${place.longitude}`, ...place })),
  })
}

const placesOf = (datasetId: string | undefined) =>
  datasetId === undefined ? [...PLACES.values()].flat() : (PLACES.get(datasetId) ?? [])

const ZOOMS = Array.from({ length: MAX_ZOOM + 1 }, (_, z) => z)
const SCOPES = [
  ['a dataset', DATASET.seoul],
  ['another dataset', DATASET.archived],
  ['all datasets', undefined],
] as const

describe.each(SCOPES)('The tiles of %s', (_what, datasetId) => {
  test.each(ZOOMS)(
    'at zoom %i show each item once, in the tile that contains its place',
    { timeout: 600_000 },
    async (z) => {
      const places = placesOf(datasetId)
      const byTile = Map.groupBy(places, (place) => JSON.stringify(tileOf(place, z)))
      const ids = new Set<unknown>()
      let items = 0
      await read(async (catalog) => {
        for (const [json, inTile] of byTile) {
          const features = await catalog.tile(JSON.parse(json), datasetId)
          expect(totalOf(features), json).toBe(inTile.length)
          expect(features.length).toBeLessThanOrEqual(MAX_FEATURES)
          for (const { properties, x, y } of features) {
            expect(x >= 0 && x < 4096 && y >= 0 && y < 4096).toBe(true)
            if ('total' in properties) expect(properties.total).toBeGreaterThan(1)
            else {
              items += 1
              ids.add(properties.id)
              expect(inTile.map(({ latitude, longitude }) => `${latitude} ${longitude}`)).toContain(properties.name)
            }
          }
        }
      })
      expect(ids.size).toBe(items)
    },
  )
})

test('a cluster lies among its items', async () => {
  const tile = tileOf({ latitude: -33.86, longitude: 151.2 }, 10)
  const [cluster] = await read((catalog) => catalog.tile(tile, DATASET.seoul))
  expect(cluster?.properties).toEqual({ total: 400 })
  const [first, last] = [
    { latitude: -33.859, longitude: 151.2 },
    { latitude: -33.86, longitude: 151.201 },
  ].map((place) => tileOf(place, 22))
  expect(cluster && tile.x * 4096 + cluster.x).toBeGreaterThanOrEqual(first?.x ?? Number.NaN)
  expect(cluster && tile.x * 4096 + cluster.x).toBeLessThanOrEqual(last?.x ?? Number.NaN)
  expect(cluster && tile.y * 4096 + cluster.y).toBeGreaterThanOrEqual(first?.y ?? Number.NaN)
  expect(cluster && tile.y * 4096 + cluster.y).toBeLessThanOrEqual(last?.y ?? Number.NaN)
})

const address = fc
  .nat(MAX_ZOOM)
  .chain((z) => fc.record({ z: fc.constant(z), x: fc.nat(2 ** z - 1), y: fc.nat(2 ** z - 1) }))

test('the cells of a tile are the cells of the four tiles in it', () => {
  fc.assert(
    fc.property(address, ({ z, x, y }) => {
      const { first, end } = cellRange({ z, x, y })
      const quarters = [0, 1, 2, 3].map((n) => cellRange({ z: z + 1, x: 2 * x + (n % 2), y: 2 * y + (n >> 1) }))
      expect(quarters.map((quarter) => quarter.first)).toEqual([
        first,
        ...quarters.slice(0, 3).map((quarter) => quarter.end),
      ])
      expect(quarters[3]?.end).toBe(end)
    }),
  )
  expect(rangeAtZoom({ z: 0, x: 0, y: 0 }, 5)).toEqual({ first: 0n, end: 1024n })
})

test('the cell that the database computes for a place lies in the tile of the place, at any zoom', async () => {
  const places = fc.sample(
    fc.record({ latitude: fc.integer({ min: -9e8, max: 9e8 }), longitude: fc.integer({ min: -18e8, max: 18e8 }) }),
    500,
  )
  const degrees = [
    ...EDGES,
    ...places.map(({ latitude, longitude }) => ({ latitude: latitude / 1e7, longitude: longitude / 1e7 })),
  ]
  const { rows } = await db.database.withSession((session) =>
    session.query<{ cell: string; x: string; y: string }>(
      `SELECT cell::text, even_bits(cell)::text AS x, even_bits(cell >> 1)::text AS y
         FROM unnest($1::numeric[], $2::numeric[]) WITH ORDINALITY AS place (latitude, longitude, n)
        CROSS JOIN LATERAL (SELECT tile_cell_of(latitude, longitude) AS cell) AS cell ORDER BY n`,
      [degrees.map(({ latitude }) => latitude), degrees.map(({ longitude }) => longitude)],
    ),
  )
  for (const [n, place] of degrees.entries()) {
    const { cell = '', x, y } = rows[n] ?? {}
    const expected = tileOf(place, 30)
    // Mathematical functions differ in the last bit, which counts at the edge of a cell of 4 cm.
    expect(Math.abs(Number(x) - expected.x)).toBeLessThanOrEqual(1)
    expect(Math.abs(Number(y) - expected.y)).toBeLessThanOrEqual(1)
    for (const z of ZOOMS) {
      const { first, end } = cellRange({ z, x: Number(x) >> (30 - z), y: Number(y) >> (30 - z) })
      expect(BigInt(cell) >= first && BigInt(cell) < end).toBe(true)
    }
  }
})

test('a cluster tells how many of its items are of each dataset or category, also of selected items', async () => {
  const { prisma } = db.database
  const [{ id } = { id: '' }] = await prisma.item.findMany({ where: { datasetId: DATASET.archived }, take: 1 })
  const isArchived = { datasetId: DATASET.archived }
  await prisma.item.updateMany({ where: { ...isArchived, latitude: { lt: 0 } }, data: { categoryCode: 'south' } })
  await prisma.item.update({ where: { id }, data: { categoryCode: 'a "quoted" code' } })
  const world = { z: 0, x: 0, y: 0 }
  const sharesOf = async (datasetId: string | undefined, selection: TileSelection) => {
    const features = await read((catalog) => catalog.tile(world, datasetId, selection))
    const sums: Record<string, number> = {}
    for (const { properties } of features) {
      if (!('total' in properties)) continue
      const shares: Record<string, number> = JSON.parse(properties.shares ?? '')
      expect(Object.values(shares).reduce((sum, n) => sum + n, 0)).toBe(properties.total)
      for (const [value, n] of Object.entries(shares)) sums[value] = (sums[value] ?? 0) + n
    }
    for (const { properties } of features) {
      if ('total' in properties) continue
      const value = properties[selection.shares ?? 'datasetId']
      sums[value] = (sums[value] ?? 0) + 1
    }
    return sums
  }
  const byDataset = Object.fromEntries([...PLACES].map(([datasetId, places]) => [datasetId, places.length]))
  expect(await sharesOf(undefined, { shares: 'datasetId' })).toEqual(byDataset)
  const groups = await prisma.item.groupBy({ by: ['categoryCode'], where: isArchived, _count: true })
  const byCategory = Object.fromEntries(groups.map(({ categoryCode, _count }) => [categoryCode, _count]))
  expect(await sharesOf(DATASET.archived, { shares: 'categoryCode' })).toEqual(byCategory)
  const { south = 0 } = byCategory
  expect(await sharesOf(undefined, { shares: 'datasetId', categoryCode: 'south' })).toEqual({
    [DATASET.archived]: south,
  })
  expect(await sharesOf(undefined, { shares: 'categoryCode', categoryCode: 'south' })).toEqual({ south })
})

/** The items of each square of a tile, by their categories: from the features of the tile. */
async function squaresOf(tile: TileAddress, datasetId: string | undefined, selection: TileSelection) {
  const squares = new Map<string, Record<string, number>>()
  const features = await read((catalog) => catalog.tile(tile, datasetId, { ...selection, shares: 'categoryCode' }))
  for (const { x, y, properties } of features) {
    const square = `${x >> 8} ${y >> 8}`
    const shares = 'id' in properties ? { [properties.categoryCode]: 1 } : JSON.parse(properties.shares ?? '{}')
    const sums = squares.get(square) ?? {}
    for (const [value, n] of Object.entries(shares)) sums[value] = (sums[value] ?? 0) + Number(n)
    squares.set(square, sums)
  }
  return squares
}

/** The same of items, in plain TypeScript. */
function expectedSquares({ z, x, y }: TileAddress, items: readonly Item[], { text = '', categoryCode }: TileSelection) {
  const squares = new Map<string, Record<string, number>>()
  const words = fold(text).split(' ')
  const isSelected = (item: Item) =>
    words.every((word) => fold(item.name).includes(word)) &&
    (categoryCode === undefined || item.categoryCode === categoryCode)
  for (const item of items.filter(isSelected)) {
    const place = tileOf({ latitude: Number(item.latitude), longitude: Number(item.longitude) }, z + 4)
    if (place.x >> 4 !== x || place.y >> 4 !== y) continue
    const square = `${place.x % 16} ${place.y % 16}`
    const sums = squares.get(square) ?? {}
    squares.set(square, { ...sums, [item.categoryCode]: (sums[item.categoryCode] ?? 0) + 1 })
  }
  return squares
}

const SELECTIONS: TileSelection[] = [
  {},
  { categoryCode: 'c1' },
  { categoryCode: 'rare' },
  { text: '7' },
  { text: '126.978' },
  { text: '151.2' },
]

describe('The squares of a tile have the items and shares of a plain count', () => {
  test.each([
    [
      'with other categories',
      `UPDATE items SET category_code = CASE WHEN name LIKE '%1' THEN 'rare' ELSE 'c' || length(name) % 3 END`,
    ],
    ['moved', `UPDATE items SET latitude = -latitude, longitude = longitude / 3 WHERE name LIKE '%2'`],
    ['less some', `DELETE FROM items WHERE name LIKE '%3'`],
  ])('%s', async (_what, sql) => {
    await db.database.prisma.$executeRawUnsafe(sql)
    // The way of a text depends on how many items have it.
    await db.database.prisma.$executeRaw`ANALYZE items`
    for (const datasetId of [DATASET.seoul, undefined]) {
      const items = await db.database.prisma.item.findMany({
        where: { datasetId: datasetId ?? { in: [...PLACES.keys()] } },
      })
      for (const z of [0, 5, 6, 14, 18])
        for (const place of [...ANYWHERE.slice(0, 1), ...ONE_PLACE.slice(0, 1), ...CLOSE_TOGETHER.slice(0, 1)])
          for (const selection of SELECTIONS) {
            const tile = tileOf(place, z)
            const squares = await squaresOf(tile, datasetId, selection)
            expect(squares, JSON.stringify({ ...tile, ...selection })).toEqual(expectedSquares(tile, items, selection))
          }
    }
  })
})

describe('At the limits of a tile', () => {
  const world = { z: 0, x: 0, y: 0 }
  const create = async (slug: string, count: number) => {
    const dataset = newDataset({ slug })
    const { prisma } = db.database
    await prisma.dataset.create({ data: dataset })
    const codes = Array.from({ length: count }, (_, n) => `code ${String(n).padStart(3, '0')}`)
    const data = codes.map((categoryCode) => newPlace({ datasetId: dataset.id, categoryCode }))
    await prisma.item.createMany({ data })
    return read((catalog) => catalog.tile(world, dataset.id, { shares: 'categoryCode' }))
  }

  test('it shows as many items as it may, and one more are a cluster with the shares of the first values', async () => {
    const items = await create('full', MAX_FEATURES)
    expect(items.map(({ properties }) => 'id' in properties)).toEqual(Array(MAX_FEATURES).fill(true))
    const [cluster, ...others] = await create('crowded', MAX_FEATURES + 1)
    expect([others, cluster?.properties]).toEqual([[], { total: MAX_FEATURES + 1, shares: expect.any(String) }])
    const shares = JSON.parse(cluster && 'shares' in cluster.properties ? String(cluster.properties.shares) : '{}')
    expect(Object.keys(shares)).toEqual(
      Array.from({ length: MAX_SHARES }, (_, n) => `code ${String(n).padStart(3, '0')}`),
    )
  })
})
