import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type NearbyItem, parseItems } from '../../src/catalog/models.ts'
import { recordsWith } from '../../src/catalog/projection.ts'
import type { NearbyWindow } from '../../src/catalog/sql/nearby.ts'
import { searchNearby } from '../../src/catalog/sql/nearby-by-grid.ts'
import { createBatchers } from '../../src/catalog/sql/statement-batcher.ts'
import { newDataset, newPlace } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/*
 * The search by grid over groups of items near the centre and crowds far away. At the end of a group, one item more or less decides
 * which tiles are read.
 */

const [ONE, TWO] = [randomUUID(), randomUUID()]
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

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  await prisma.dataset.createMany({
    data: [ONE, TWO].map((id) => newDataset({ id, slug: id.replace('-', '_') })),
  })
  const items = Object.values(CENTRES).flatMap((centre) => [
    // Groups of items at the same place. Their tiles are divided to the smallest ones, and lie apart from each other.
    ...GROUPS.flatMap((metres, group) =>
      Array.from({ length: GROUP_SIZE }, () => placeAt(centre, metres, group * 2.4)),
    ),
    // Two crowds, and one that is partly outside of the circle.
    ...Array.from({ length: 900 }, (_, n) => placeAt(centre, 20_000 + n / 4, 3 + n / 10_000)),
    ...Array.from({ length: 700 }, (_, n) => placeAt(centre, 40_000 + n, 5 + n / 3_000)),
    ...Array.from({ length: 600 }, (_, n) => placeAt(centre, 49_000 + n * 3, 1 + n / 500)),
  ])
  await prisma.item.createMany({
    data: items.map((place, n) => newPlace({ datasetId: n % 3 === 0 ? TWO : ONE, name: String(n), ...place })),
  })
})

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

/** The ids and distances that PostGIS finds in a circle, without the grid. */
async function plain({ circle }: NearbyWindow, scope: readonly string[]): Promise<[id: string, distance: number][]> {
  const { latitude, longitude, radius } = circle
  const rows = await db.database.prisma.$queryRaw<{ id: string; distance: number }[]>`
    SELECT i.id, ST_Distance(i.location, centre) AS distance
      FROM items AS i CROSS JOIN (SELECT ST_MakePoint(${longitude}::float8, ${latitude}::float8)::geography) AS given (centre)
     WHERE i.dataset_id = ANY (${[...scope]}::uuid[]) AND ST_DWithin(i.location, centre, ${radius}::float8)
     ORDER BY 2, 1`
  return rows.map(({ id, distance }) => [id, distance])
}

async function search(window: NearbyWindow, scope: readonly string[]) {
  const { sql } = db.database
  const { startNearby } = createBatchers(sql)
  const { json, total } = await searchNearby(window, scope, { start: startNearby, refine: (run) => run(sql) })
  return { total, nodes: parseItems<NearbyItem>(json).map(({ id, distance }) => [id, distance]) }
}

/** Searches several pages of a circle by the grid, and compares them. Returns the total. */
async function expectSame(windows: readonly NearbyWindow[], scope: readonly string[]): Promise<number> {
  const all = windows[0] ? await plain(windows[0], scope) : []
  for (const window of windows) {
    const nodes = all.slice(window.offset, window.offset + window.limit)
    expect(await search(window, scope), JSON.stringify({ window, scope })).toEqual({ total: all.length, nodes })
  }
  return all.length
}

describe.each(Object.entries(CENTRES))('Around %s, the search by grid finds what PostGIS finds', (_name, centre) => {
  const window = (offset: number, limit: number, radius = 50_000): NearbyWindow => ({
    circle: { ...centre, radius },
    ...{ offset, limit, projection: recordsWith({ fields: ['id'] }) },
  })

  test('on the pages at the ends of groups', async () => {
    const windows = GROUPS.flatMap((_, group) =>
      [-1, 0].flatMap((n) => [1, 2, 20].map((limit) => window(Math.max(0, group * GROUP_SIZE + n), limit))),
    )
    expect(await expectSame(windows, [ONE, TWO])).toBeGreaterThan(2_000)
  })

  test('on pages inside, at the end of, and after the crowds', async () => {
    const offsets = [359, 360, 1_259, 1_260, 1_960, 2_100, 2_600]
    await expectSame(
      offsets.map((offset) => window(offset, 20)),
      [ONE, TWO],
    )
  })

  test('on a last page that is longer than what is left', async () => {
    await expectSame([window(1_000, 2_000), window(2_200, 2_000)], [ONE, TWO])
  })

  test('in each dataset, and in circles of other sizes', async () => {
    for (const scope of [[ONE], [TWO], [TWO, ONE]]) {
      for (const radius of [100, 7_000, 20_100, 40_500]) await expectSame([window(3, 5, radius)], scope)
    }
  })
})

test('a distance is that on the WGS 84 spheroid', async () => {
  const window = { circle: { latitude: -33.9, longitude: -0.01, radius: 50_000 }, offset: 0, limit: 3 }
  const { nodes } = await search({ ...window, projection: recordsWith({ fields: ['id'] }) }, [ONE, TWO])
  const ids = nodes.map(([id]) => id)
  const rows = await db.database.prisma.$queryRaw<{ id: string; distance: number }[]>`
    SELECT id, ST_Distance('POINT(-0.01 -33.9)'::geography, location, true) AS distance FROM items
     WHERE id = ANY (${ids}::uuid[]) ORDER BY 2, 1`
  expect(nodes).toEqual(rows.map(({ id, distance }) => [id, distance]))
})
