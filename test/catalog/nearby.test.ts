import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { pointAt, straightLine } from '../../src/catalog/circle.ts'
import type { FilterValues } from '../../src/catalog/filters.ts'
import { type NearbyItem, parseItems } from '../../src/catalog/models.ts'
import { NO_ITEMS, recordsWith } from '../../src/catalog/projection.ts'
import { searchNearby } from '../../src/catalog/sql/nearby-by-grid.ts'
import { fetchSearchPage } from '../../src/catalog/sql/search.ts'
import { createBatchers } from '../../src/catalog/sql/statement-batcher.ts'
import { newDataset, newPlace } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/*
 * The search by grid has the same results as plain ST_DWithin and ST_Distance, with and without filters, over random places: a city
 * with many places at the same point, both poles, the antimeridian, the edge of the map, and the rest of the world.
 */

const db = useDatabase()
const DATASETS: string[] = Array.from({ length: 3 }, () => randomUUID())
const random = generator(20261121)

beforeAll(async () => {
  const { prisma } = db.database
  await prisma.dataset.createMany({
    data: DATASETS.map((id, n) => newDataset({ id, slug: `d${n}`, name: `D${n}` })),
  })
  await prisma.item.createMany({ data: Array.from({ length: 6_000 }, (_, n) => newItem(n)) })
})

function newItem(n: number) {
  const [latitude, longitude] = place(n)
  return newPlace({
    // The second dataset has every twentieth item, in all regions.
    datasetId: DATASETS[n % 20 === 0 ? 1 : n % 3 === 0 ? 2 : 0] ?? '',
    name: String(n),
    administrativeAreaCode: random() < 0.5 ? 'a' : 'b',
    categoryCode: random() < 0.9 ? 'common' : 'rare',
    postalCode: random() < 0.9 ? '04524' : null,
    latitude: latitude.toFixed(7),
    longitude: longitude.toFixed(7),
  })
}

/** Every other place is in the city, and a third of these are on the points of a grid. */
function place(n: number): [number, number] {
  if (n % 2 === 0) {
    const spread = n % 3 === 0 ? Math.round((random() - 0.5) * 8) / 200 : (random() + random() + random() - 1.5) / 10
    return [37.5 + spread, 127 + (n % 3 === 0 ? Math.round((random() - 0.5) * 8) / 200 : (random() - 0.5) / 5)]
  }
  if (n % 11 === 0) return [90 - random() * random(), random() * 360 - 180]
  if (n % 13 === 0) return [-90 + random() / 100, random() * 360 - 180]
  if (n % 17 === 0) return [(n % 34 < 17 ? 1 : -1) * (84.9 + random() * 0.3), 29 + random() * 2]
  if (n % 7 === 0) return [10 + random(), ((180 + (random() - 0.5) + 180) % 360) - 180]
  return [random() * 180 - 90, random() * 360 - 180]
}

const SPOTS = [
  { latitude: 37.5, longitude: 127 },
  { latitude: 37.5, longitude: 127.05 },
  { latitude: 90, longitude: 0 },
  { latitude: -90, longitude: 77 },
  { latitude: 89.7, longitude: -180 },
  { latitude: 10.5, longitude: 180 },
  { latitude: 10.5, longitude: -179.9 },
  { latitude: 0, longitude: 0 },
  { latitude: 85.05, longitude: 30 },
  { latitude: -85.06, longitude: 29.5 },
]

/** Some match most items, some half of them, some few, and some none. */
const FILTERS: FilterValues[] = [
  ...[{}, { categoryCode: 'common' }, { categoryCode: 'rare' }, { administrativeAreaCode: 'a' }],
  ...[{ postalCode: '04524' }, { categoryCode: 'common', postalCode: '04524' }, { categoryCode: 'none' }],
  ...[
    { administrativeAreaCode: 'b', categoryCode: 'common' },
    { administrativeAreaCode: 'b', categoryCode: 'rare' },
  ],
]

function someSearch(n: number) {
  const spot = SPOTS[n % SPOTS.length] ?? SPOTS[0]
  const jitter = n % 3 === 0 ? 0 : 0.3 * (random() - 0.5)
  return {
    circle: {
      latitude: Math.max(-90, Math.min(90, Number(((spot?.latitude ?? 0) + jitter).toFixed(6)))),
      longitude: Math.max(-180, Math.min(180, Number(((spot?.longitude ?? 0) + jitter).toFixed(6)))),
      radius: [1, 50_000, 10 ** (random() * 4.69)][n % 3] ?? 1,
    },
    limit: [1, 20, 100][Math.floor(random() * 3)] ?? 20,
    offset: [0, 0, 20, 100, 1_000, 2_900][Math.floor(random() * 6)] ?? 0,
    projection: recordsWith({ fields: ['id', 'name'] }),
    scope: [DATASETS, DATASETS.slice(1, 2), DATASETS.slice(1), []][Math.floor(random() * 4)] ?? [],
    filters: FILTERS[Math.floor(random() * FILTERS.length)] ?? {},
  }
}

type Search = ReturnType<typeof someSearch> & { text?: string }

/** The search as the contract defines it, without optimization. */
async function plainSearch({ circle: { latitude, longitude, radius }, limit, offset, scope, filters, text }: Search) {
  const { administrativeAreaCode, categoryCode, postalCode } = filters
  return db.database.withSession(async (session) => {
    const { rows } = await session.query<{ id: string; distance: number }>(
      `SELECT id, ST_Distance(location, centre) AS distance
         FROM items CROSS JOIN (SELECT ST_SetSRID(ST_MakePoint($2, $1), 4326)::geography AS centre) AS circle
        WHERE ST_DWithin(location, centre, $3) AND dataset_id = ANY ($4::uuid[])
          AND ($5::text IS NULL OR administrative_area_code = $5) AND ($6::text IS NULL OR category_code = $6)
          AND ($7::text IS NULL OR postal_code = $7) AND ($8::text IS NULL OR strpos(name, $8) > 0)
        ORDER BY distance, id`,
      [latitude, longitude, radius, scope, administrativeAreaCode, categoryCode, postalCode, text],
    )
    return { total: rows.length, nodes: rows.slice(offset, offset + limit) }
  })
}

/** Runs searches at the same time, and compares each with the plain search. Returns the greatest total. */
async function expectSame(searches: readonly Search[]): Promise<number> {
  const { sql } = db.database
  const { startSearch } = createBatchers(sql)
  const found = await Promise.all(
    searches.map(({ scope, filters, ...window }) => {
      const search = { ...window, ...filters }
      return window.text === undefined
        ? searchNearby(sql, search, scope, startSearch)
        : fetchSearchPage(sql, search, scope)
    }),
  )
  for (const [index, { total, json }] of found.entries()) {
    const search = searches[index]
    const nodes = parseItems<NearbyItem>(json).map(({ id, distance }) => ({ id, distance }))
    expect({ total, nodes }, JSON.stringify(search)).toEqual(search && (await plainSearch(search)))
  }
  return Math.max(...found.map(({ total }) => total ?? 0))
}

async function expectExact(searches: number): Promise<number> {
  let greatest = 0
  for (let n = 0; n < searches; n += 4) {
    const group = Array.from({ length: 4 }, (_, index) => someSearch(n + index))
    greatest = Math.max(greatest, await expectSame(group))
  }
  return greatest
}

test('A search by text in a circle has the results of a plain search', async () => {
  const searches = Array.from({ length: 100 }, (_, n) => ({ ...someSearch(n), text: String(n % 24) }))
  expect(await expectSame(searches)).toBeGreaterThan(100)
})

describe('A search by grid has the results of a plain search', () => {
  test('in 400 circles of all sizes, on pages of all depths, in all datasets, with all kinds of filters', async () => {
    expect(await expectExact(400)).toBeGreaterThan(2_000)
  })

  test('with each filter where most places are', async () => {
    const circle = { latitude: 37.5, longitude: 127, radius: 50_000 }
    for (const filters of FILTERS) await expectSame([{ ...someSearch(1), circle, scope: DATASETS, filters }])
  })

  test('after items are created, deleted and moved, and after they change their dataset', async () => {
    const { item } = db.database.prisma
    await item.createMany({ data: Array.from({ length: 500 }, (_, n) => newItem(n)) })
    await item.updateMany({ where: { name: { endsWith: '7' } }, data: { latitude: 37.51, longitude: 127.01 } })
    await item.updateMany({ where: { name: { endsWith: '3' } }, data: { datasetId: DATASETS[1] ?? '' } })
    await item.deleteMany({ where: { name: { endsWith: '5' } } })
    await item.updateMany({ where: { name: { endsWith: '1' } }, data: { categoryCode: 'rare' } })
    await expectExact(120)
  })
})

/*
 * Groups of items near a centre and crowds far away: at the end of a group, one item more or less decides which tiles are read.
 */

/** Degrees for a metre along a meridian. */
const DEGREES = 1 / 111_195

/** More than the points of a tile that is not divided, in each of the two datasets. */
const GROUP_SIZE = 60
/** Metres from the centre. */
const GROUPS = [300, 1_200, 2_600, 5_000, 9_000, 15_000]

interface Centre {
  latitude: number
  longitude: number
}
const CENTRES: Record<string, Centre> = {
  'a city': { latitude: -33.9, longitude: -0.01 },
  'the pole and the antimeridian': { latitude: 89.9999, longitude: 180 },
}

/** A place about so many metres from a centre, in a direction in radians. */
function placeAt({ latitude, longitude }: Centre, metres: number, direction: number) {
  const north = latitude + metres * DEGREES * Math.cos(direction)
  // Beyond the pole, the meridian continues on the other side.
  const isBeyond = north > 90
  const east = (metres * DEGREES * Math.sin(direction)) / Math.max(0.01, Math.cos((latitude * Math.PI) / 180))
  const turned = longitude + east + (isBeyond ? 180 : 0)
  return {
    latitude: (isBeyond ? 180 - north : north).toFixed(7),
    longitude: (((((turned + 180) % 360) + 360) % 360) - 180).toFixed(7),
  }
}

describe.each(Object.entries(CENTRES))('Around %s, where items stand in groups, it has them too', (_name, centre) => {
  const GROUPED: string[] = [randomUUID(), randomUUID()]
  beforeAll(async () => {
    const { prisma } = db.database
    await prisma.dataset.createMany({ data: GROUPED.map((id) => newDataset({ id, slug: id.replace('-', '_') })) })
    const places = [
      // Groups of items at the same place. Their tiles are divided to the smallest ones, and lie apart from each other.
      ...GROUPS.flatMap((metres, group) =>
        Array.from({ length: GROUP_SIZE }, () => placeAt(centre, metres, group * 2.4)),
      ),
      // Two crowds, and one that is partly outside of the circle.
      ...Array.from({ length: 900 }, (_, n) => placeAt(centre, 20_000 + n / 4, 3 + n / 10_000)),
      ...Array.from({ length: 700 }, (_, n) => placeAt(centre, 40_000 + n, 5 + n / 3_000)),
      ...Array.from({ length: 600 }, (_, n) => placeAt(centre, 49_000 + n * 3, 1 + n / 500)),
    ]
    await prisma.item.createMany({
      data: places.map((place, n) =>
        newPlace({ datasetId: GROUPED[n % 3 === 0 ? 1 : 0] ?? '', name: String(n), ...place }),
      ),
    })
  })
  const search = (offset: number, limit: number, radius = 50_000, scope = GROUPED) => ({
    ...{ circle: { ...centre, radius }, offset, limit, scope, filters: {} },
    projection: recordsWith({ fields: ['id'] }),
  })

  test('on the pages at the ends of groups', async () => {
    const searches = GROUPS.flatMap((_, group) =>
      [-1, 0].flatMap((n) => [1, 2, 20].map((limit) => search(Math.max(0, group * GROUP_SIZE + n), limit))),
    )
    expect(await expectSame(searches)).toBeGreaterThan(2_000)
  })

  test('on pages inside, at the end of, and after the crowds, and on a last page that is longer than what is left', async () => {
    const offsets = [359, 360, 1_259, 1_260, 1_960, 2_100, 2_600]
    await expectSame([...offsets.map((offset) => search(offset, 20)), search(1_000, 2_000), search(2_200, 2_000)])
  })

  test('in each dataset, and in circles of other sizes', async () => {
    const [one = '', two = ''] = GROUPED
    for (const scope of [[one], [two], [two, one]]) {
      await expectSame([100, 7_000, 20_100, 40_500].map((radius) => search(3, 5, radius, scope)))
    }
  })
})

test('a search for the total alone reads no more places than one for a page', async () => {
  const { sql } = db.database
  /** The ranges of cells in which the last statement measures or tests places. */
  const rangesFor = async (limit: number) => {
    const circle = { latitude: 37.5, longitude: 127, radius: 50_000 }
    const window = { circle, offset: 0, limit, projection: NO_ITEMS }
    await searchNearby(sql, window, DATASETS)
    const parameters: unknown[] = JSON.parse(db.parameters.at(-1) ?? '[]')
    return parameters.reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0)
  }
  expect(await rangesFor(0)).toBeLessThanOrEqual(await rangesFor(1))
})

test('pointAt agrees with PostGIS', async () => {
  const [row] = await db.database.prisma.$queryRaw<{ arc: number }[]>`
    SELECT ST_Distance('POINT(127 37.5)'::geography, 'POINT(127.001 37.5)'::geography) AS arc`
  expect(straightLine(pointAt(37.5, 127), pointAt(37.5, 127.001))).toBeCloseTo(row?.arc ?? 0, 5)
})

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
