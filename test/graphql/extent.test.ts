import { describe, expect, test } from 'vitest'
import { grantDataset } from '../../src/auth/grants.ts'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, newPlace } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'
import { getOgc } from '../support/ogc.ts'

const t = useApp()

const QUERY = 'query ($dataset: ID!) { dataset(id: $dataset) { extent { west south east north } } }'
const extentOf = async (dataset: string, key?: string) =>
  (await t.graphql(QUERY, { dataset }, key)).body.data.dataset.extent
/** The same of OGC API Features. */
const boxOf = async (dataset: string) => {
  const [[west, south, east, north]] = (await getOgc(t, `/ogc/collections/${dataset}`)).body.extent.spatial.bbox
  return { west, south, east, north }
}
const addItem = (latitude: number, longitude: number) =>
  t.database.prisma.item.create({ data: newPlace({ datasetId: DATASET.archived, name: 'Added', latitude, longitude }) })

describe('Dataset.extent', () => {
  test('is the box of the items, as in OGC API Features', async () => {
    const [box] = await t.database.prisma.$queryRaw<object[]>`
      SELECT min(longitude)::float8 AS west, min(latitude)::float8 AS south, max(longitude)::float8 AS east, max(latitude)::float8 AS north
        FROM items WHERE dataset_id = ${DATASET.seoul}::uuid`
    expect(await extentOf('seoul')).toEqual(box)
    expect(await boxOf('seoul')).toEqual(box)
  })

  test('is the place of an only item, and null without items', async () => {
    const { longitude, latitude } = await t.database.prisma.item.findUniqueOrThrow({ where: { id: ITEM.archived } })
    const [x, y] = [Number(longitude), Number(latitude)]
    expect(await extentOf('archived')).toEqual({ west: x, south: y, east: x, north: y })
    await t.database.prisma.item.delete({ where: { id: ITEM.archived } })
    await expectWithinASecond(
      () => extentOf('archived'),
      (extent) => expect(extent).toBeNull(),
    )
    expect((await getOgc(t, '/ogc/collections/archived')).body.extent).toBeUndefined()
  })

  test('has the times of the items of its dataset only', async () => {
    await t.database.prisma.item.update({ where: { id: ITEM.draft }, data: { updatedAt: new Date('2199-01-01') } })
    // By its UUID, because the response to the slug is cached.
    const { interval } = (await getOgc(t, `/ogc/collections/${DATASET.seoul}`)).body.extent.temporal
    expect(interval[0][1] < '2199').toBe(true)
  })

  test('shows a change within a second', async () => {
    await addItem(-17, 179.9)
    await expectWithinASecond(
      () => extentOf('archived'),
      (extent) => expect(extent).toEqual({ west: 179.9, south: -17, east: 179.9, north: -17 }),
    )
  })

  test('of items on both sides of the antimeridian has a west that is greater than its east, as in OGC API Features', async () => {
    await addItem(-16, -179.9)
    const box = { west: 179.9, south: -17, east: -179.9, north: -16 }
    await expectWithinASecond(
      () => extentOf('archived'),
      (extent) => expect(extent).toEqual(box),
    )
    expect(await boxOf('archived')).toEqual(box)
    await addItem(-16.5, 180)
    await addItem(-16.5, -180)
    expect(await extentOf('archived')).toEqual(box)
  })

  test.each([
    ['from the smallest longitude on if the other way is wider than half of the world', [10, -160], [-160, 10]],
    ['across the antimeridian if that is half of the world', [90, -90], [90, -90]],
    ['of items at longitude 180 and west of it', [180, -179], [180, -179]],
    ['of items at longitudes 180 and -180', [180, -180], [180, -180]],
    ['of items around the prime meridian', [-1, 0, 2], [-1, 2]],
    ['of items at longitude 180 only', [180], [180, 180]],
  ])('goes %s', async (_, longitudes, [west, east]) => {
    await t.database.prisma.item.deleteMany({ where: { datasetId: DATASET.archived } })
    for (const longitude of longitudes) await addItem(0, longitude)
    await expectWithinASecond(
      () => extentOf('archived'),
      (extent) => expect(extent).toEqual({ west, south: 0, east, north: 0 }),
    )
  })

  test('is that of each dataset of a list, and of no dataset that the key may not access', async () => {
    const { key, id } = await createKey(t.database.prisma, { name: 'other' })
    const list = async () => {
      const { body } = await t.graphql('{ datasets { nodes { slug extent { west } } } }', {}, key)
      return body.data.datasets.nodes
    }
    const seoul = { slug: 'seoul', extent: { west: (await extentOf('seoul')).west } }
    const archived = { slug: 'archived', extent: { west: 180 } }
    expect(await list()).toEqual([archived, seoul])
    const { body } = await t.graphql(QUERY, { dataset: 'restricted' }, key)
    expect([body.data.dataset, body.errors[0].extensions.code]).toEqual([null, 'DATASET_ACCESS_DENIED'])
    await grantDataset(t.database.prisma, { keyId: id, dataset: 'restricted', expiresAt: null })
    await expectWithinASecond(list, (nodes) => expect(nodes).toHaveLength(3))
    expect(await extentOf('restricted', key)).toMatchObject({ west: expect.any(Number) })
  })
})
