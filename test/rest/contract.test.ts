import { describe, expect, test } from 'vitest'
import { getJson, useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM, newDataset, newPlace } from '../support/catalog.ts'
import { expectWithinASecond } from '../support/freshness.ts'

const t = useApp()

const json = (path: string) => getJson(t, path)
const names = async (path: string) => {
  const { data } = await json(path)
  return data.map((item: { name: string }) => item.name)
}

const words = (text: string) => text.split(' ')

const DATASET_MEMBERS = words('id slug name description status visibility accessTier createdAt updatedAt')
const DETAIL_MEMBERS = words('id slug name description visibility accessTier attribution createdAt updatedAt')
const ITEM_MEMBERS = [
  ...words('id datasetId name description administrativeAreaCode categoryCode parentItemId streetAddress'),
  ...words('addressRegion addressLocality postalCode roadAddress jibunAddress latitude longitude'),
  ...words('thumbnailUrl createdAt updatedAt'),
]
const ITEM_DETAIL_MEMBERS = [
  ...ITEM_MEMBERS,
  ...words('contactName telephone email url openingHours extraAttributes dataset images'),
]
const NEARBY_MEMBERS = [
  ...ITEM_MEMBERS.filter((name) => !['parentItemId', 'createdAt', 'updatedAt'].includes(name)),
  ...words('url openingHours createdAt distance'),
]
const IMAGE_MEMBERS = words(
  'id originalUrl cdnUrl thumbnailSmallUrl thumbnailMediumUrl thumbnailLargeUrl altText sortOrder isPrimary',
)

describe('GET /v1/datasets', () => {
  test('lists the datasets that the key may access, by name, with their total', async () => {
    const { data, meta } = await json('/v1/datasets')
    expect(data.map((dataset: { slug: string }) => dataset.slug)).toEqual(['archived', 'seoul'])
    expect(meta).toEqual({ total: 2 })
  })

  test('gives the members of the specification, in its order', async () => {
    const body = await json('/v1/datasets')
    expect(Object.keys(body)).toEqual(['data', 'meta'])
    expect(Object.keys(body.data[1])).toEqual(DATASET_MEMBERS)
    expect(body.data[1]).toEqual({
      id: DATASET.seoul,
      slug: 'seoul',
      name: 'Seoul',
      description: 'Places in Seoul',
      status: 'active',
      visibility: 'public',
      accessTier: null,
      createdAt: '2026-01-01T09:00:00.000Z',
      updatedAt: '2026-01-02T09:00:00.000Z',
    })
  })
})

describe('GET /v1/datasets/:datasetId', () => {
  test('gives the same dataset by slug, by UUID and by UUID in capitals', async () => {
    const bySlug = await json('/v1/datasets/seoul')
    expect(Object.keys(bySlug.data)).toEqual(DETAIL_MEMBERS)
    expect(bySlug.data.attribution).toBe('Credit of seoul')
    expect(bySlug.meta).toEqual({})
    expect(await json(`/v1/datasets/${DATASET.seoul}`)).toEqual(bySlug)
    const id = 'abcdefab-0000-4000-8000-00000000000a'
    await t.database.prisma.dataset.create({ data: newDataset({ id, slug: 'hex', name: 'Hex' }) })
    const byCapitals = async () => (await (await t.get(`/v1/datasets/${id.toUpperCase()}`)).json()).data?.id
    await expectWithinASecond(byCapitals, (found) => expect(found).toBe(id))
    await t.database.prisma.dataset.delete({ where: { id } })
  })

  test.each([
    ['an unknown slug', 'nowhere', 404, 'NOT_FOUND'],
    ['a slug in another letter case', 'SEOUL', 404, 'NOT_FOUND'],
    ['an unknown UUID', '99999999-0000-4000-8000-000000000001', 404, 'NOT_FOUND'],
    ['the id of an item', ITEM.palace, 404, 'NOT_FOUND'],
    ['a dataset of a tier that the key has not', 'paid', 403, 'DATASET_ACCESS_DENIED'],
    ['a restricted dataset', 'restricted', 403, 'DATASET_ACCESS_DENIED'],
    ['a draft', 'draft', 403, 'DATASET_ACCESS_DENIED'],
    ['an inactive dataset', DATASET.inactive, 403, 'DATASET_ACCESS_DENIED'],
  ])('answers %s with %s: %i %s', async (_what, id, status, code) => {
    const response = await t.get(`/v1/datasets/${id}`)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
  })
})
describe('GET /v1/datasets/:datasetId/items', () => {
  const ITEMS = '/v1/datasets/seoul/items'
  const BY_NAME = [
    'Geunjeongjeon',
    'Gwanghwamun',
    'Gyeongbokgung',
    'N Seoul Tower',
    'Twin',
    'Twin',
    'Zero',
    'national museum',
    'Älg',
  ]

  test('sorts by name in the order of code points: capitals, small letters, then other letters', async () => {
    expect(await names(ITEMS)).toEqual(BY_NAME)
    expect(await names(`${ITEMS}?sort=name&order=desc`)).toEqual(BY_NAME.toReversed())
  })

  test('gives page 1 with 20 items by default', async () => {
    expect((await json(ITEMS)).meta).toEqual({ page: 1, limit: 20, total: 9 })
    expect(Object.keys((await json(ITEMS)).meta)).toEqual(['page', 'limit', 'total'])
  })

  test('gives the members of the specification, in its order, with null and "" where there is no value', async () => {
    const { data } = await json(`${ITEMS}?categoryCode=museum`)
    expect(Object.keys(data[0])).toEqual(ITEM_MEMBERS)
    expect(data[0]).toEqual({
      id: ITEM.museum,
      datasetId: DATASET.seoul,
      name: 'national museum',
      description: '',
      administrativeAreaCode: '11170',
      categoryCode: 'museum',
      parentItemId: null,
      streetAddress: '',
      addressRegion: null,
      addressLocality: null,
      postalCode: null,
      roadAddress: null,
      jibunAddress: null,
      latitude: '37.5239',
      longitude: '126.9804',
      thumbnailUrl: null,
      createdAt: '2026-01-03T09:00:00.000Z',
      updatedAt: '2026-01-04T09:00:00.000Z',
    })
  })

  test('sorts ties by id, in the direction of the order', async () => {
    const ids = async (order: string) => {
      const { data } = await json(`${ITEMS}?categoryCode=twin&order=${order}`)
      return data.map((item: { id: string }) => item.id)
    }
    expect(await ids('asc')).toEqual([ITEM.same1, ITEM.same2])
    expect(await ids('desc')).toEqual([ITEM.same2, ITEM.same1])
  })

  test.each([
    ['createdAt', 'asc', ['national museum', 'Twin']],
    ['createdAt', 'desc', ['Gyeongbokgung', 'Geunjeongjeon']],
    ['updatedAt', 'desc', ['Gyeongbokgung', 'Älg']],
  ])('sorts by %s %s', async (sort, order, first) => {
    expect((await names(`${ITEMS}?sort=${sort}&order=${order}`)).slice(0, 2)).toEqual(first)
  })

  test('walks the pages without losing or repeating an item, ties included', async () => {
    const walked: string[] = []
    for (let page = 1; page <= 5; page += 1) walked.push(...(await names(`${ITEMS}?limit=2&page=${page}`)))
    expect(walked).toEqual(BY_NAME)
  })

  test('gives an empty page past the end, with the true total', async () => {
    expect(await json(`${ITEMS}?page=2147483647&limit=100`)).toEqual({
      data: [],
      meta: { page: 2147483647, limit: 100, total: 9 },
    })
  })

  test.each([
    ['administrativeAreaCode=11680', ['Twin', 'Twin']],
    ['categoryCode=gate', ['Gwanghwamun']],
    ['administrativeAreaCode=11110&categoryCode=palace', ['Gyeongbokgung']],
    [`parentItemId=${ITEM.palace}`, ['Geunjeongjeon', 'Gwanghwamun']],
    [`parentItemId=${ITEM.palace}&categoryCode=hall`, ['Geunjeongjeon']],
    ['parentItemId=99999999-0000-4000-8000-000000000009', []],
    [`parentItemId=${ITEM.restricted}`, []],
    ['parentItemId=null&categoryCode=gate', []],
    ['categoryCode=GATE', []],
    ['categoryCode=gate%20', []],
  ])('filters by %s', async (query, expected) => {
    const body = await json(`${ITEMS}?${query}`)
    expect(body.data.map((item: { name: string }) => item.name)).toEqual(expected)
    expect(body.meta.total).toBe(expected.length)
  })

  test('gives only root items for parentItemId=null', async () => {
    expect((await json(`${ITEMS}?parentItemId=null`)).meta.total).toBe(7)
  })

  test('writes coordinates as plain decimals, without an exponent or trailing zeros', async () => {
    const { data } = await json(`${ITEMS}?categoryCode=point`)
    expect(data.map((item: { latitude: string; longitude: string }) => [item.latitude, item.longitude])).toEqual([
      ['0.0000001', '-0.5'],
      ['-90', '180'],
    ])
  })

  test('answers 404 for an unknown dataset and 403 without access, and 400 before either', async () => {
    expect((await t.get('/v1/datasets/nowhere/items')).status).toBe(404)
    expect((await t.get('/v1/datasets/restricted/items')).status).toBe(403)
    expect((await t.get('/v1/datasets/nowhere/items?limit=101')).status).toBe(400)
    expect((await t.get('/v1/datasets/restricted/items?limit=101')).status).toBe(400)
  })
})

describe('GET /v1/dataset-items/:itemId', () => {
  test('gives the item with its dataset and its images in order', async () => {
    const { data, meta } = await json(`/v1/dataset-items/${ITEM.palace}`)
    expect(Object.keys(data)).toEqual(ITEM_DETAIL_MEMBERS)
    expect(meta).toEqual({})
    expect(data.dataset).toEqual({ slug: 'seoul', name: 'Seoul' })
    expect(Object.keys(data.images[0])).toEqual(IMAGE_MEMBERS)
    expect(data.images.map((image: { id: string }) => image.id)).toEqual([IMAGE.first, IMAGE.second, IMAGE.tied])
    expect(data.images[0]).toMatchObject({ sortOrder: 0, isPrimary: true, altText: 'The first image' })
    expect(data.extraAttributes).toEqual({ built: 1395, open: true, tags: ['royal', '조선'] })
    expect(data.jibunAddress).toBe('서울특별시 종로구 세종로 1-1')
  })

  test('gives {} and [] for an item without attributes and images', async () => {
    const { data } = await json(`/v1/dataset-items/${ITEM.tower}`)
    expect(data).toMatchObject({ extraAttributes: {}, images: [], openingHours: null, contactName: '', url: '' })
  })

  test('answers 404 for an unknown item and 403 for an item of a dataset without access', async () => {
    expect((await t.get('/v1/dataset-items/Gyeongbokgung')).status).toBe(404)
    expect((await t.get(`/v1/dataset-items/${DATASET.seoul}`)).status).toBe(404)
    for (const item of [ITEM.paid, ITEM.restricted, ITEM.draft, ITEM.inactive]) {
      expect((await t.get(`/v1/dataset-items/${item}`)).status).toBe(403)
    }
    expect((await t.get(`/v1/dataset-items/${ITEM.archived}`)).status).toBe(200)
  })
})

describe('GET /v1/dataset-items/nearby', () => {
  const NEARBY = '/v1/dataset-items/nearby?latitude=37.579617&longitude=126.977041'

  test('gives the items within 1,000 m, nearest first, from exactly the datasets that the key may access', async () => {
    const { data, meta } = await json(NEARBY)
    expect(data.map((item: { name: string }) => item.name)).toEqual([
      'Gyeongbokgung',
      'Archived place',
      'Geunjeongjeon',
      'Gwanghwamun',
    ])
    expect(meta).toEqual({ page: 1, limit: 20, total: 4 })
    expect(Object.keys(data[0])).toEqual(NEARBY_MEMBERS)
  })

  test('gives the distance that ST_Distance gives on the spheroid', async () => {
    const { data } = await json(NEARBY)
    const rows = await t.database.prisma.$queryRaw<{ distance: number }[]>`
      SELECT ST_Distance(location, ST_SetSRID(ST_MakePoint(126.977041, 37.579617), 4326)::geography) AS distance
        FROM items WHERE id = ${ITEM.gate}::uuid`
    expect(data[3].distance).toBe(rows[0]?.distance)
    expect(data[0].distance).toBe(0)
  })

  test('takes a radius, a page and a limit', async () => {
    expect((await json(`${NEARBY}&radius=50000`)).meta.total).toBe(8)
    expect((await json(`${NEARBY}&radius=1`)).meta.total).toBe(1)
    const { data, meta } = await json(`${NEARBY}&limit=1&page=3`)
    expect([data[0].name, meta]).toEqual(['Geunjeongjeon', { page: 3, limit: 1, total: 4 }])
    expect((await json(`${NEARBY}&page=2147483647`)).data).toEqual([])
  })

  test('searches one dataset by slug or UUID; an unknown dataset is 404, one without access 403', async () => {
    expect((await json(`${NEARBY}&datasetId=archived`)).meta.total).toBe(1)
    expect((await json(`${NEARBY}&datasetId=${DATASET.archived}`)).meta.total).toBe(1)
    expect((await t.get(`${NEARBY}&datasetId=nowhere`)).status).toBe(404)
    expect((await t.get(`${NEARBY}&datasetId=restricted`)).status).toBe(403)
  })

  test('sorts ties by id', async () => {
    const { data } = await json('/v1/dataset-items/nearby?latitude=37.5&longitude=127&limit=2')
    expect(data.map((item: { id: string }) => item.id)).toEqual([ITEM.same1, ITEM.same2])
  })

  test('works across the antimeridian and at the poles', async () => {
    await t.database.prisma.item.createMany({
      data: (
        [
          ['West', 10, 179.99],
          ['East', 10, -179.99],
          ['Arctic', 89.99, 90],
        ] as const
      ).map(([name, latitude, longitude], n) => {
        // Places at the same distance come in the order of their ids.
        const id = `00000000-0000-4000-8000-00000000000${n}`
        return newPlace({ id, datasetId: DATASET.seoul, name, latitude, longitude, categoryCode: 'line' })
      }),
    })
    expect(await names('/v1/dataset-items/nearby?latitude=10&longitude=-180&radius=2000')).toEqual(['West', 'East'])
    expect(await names('/v1/dataset-items/nearby?latitude=10&longitude=179.995&radius=50000')).toEqual(['West', 'East'])
    expect(await names('/v1/dataset-items/nearby?latitude=90&longitude=-33&radius=2000')).toEqual(['Arctic'])
    expect(await names('/v1/dataset-items/nearby?latitude=89.99&longitude=-90&radius=3000')).toEqual(['Arctic'])
    expect(await names('/v1/dataset-items/nearby?latitude=-90&longitude=12.5')).toEqual(['Älg'])
    await t.database.prisma.item.deleteMany({ where: { categoryCode: 'line' } })
  })
})
