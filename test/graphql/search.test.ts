import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, ITEM, newDataset, newPlace } from '../support/catalog.ts'

const t = useApp()

const SEARCH = `query ($text: String, $within: BoundingBox, $datasetId: ID, $area: String, $category: String, $page: Int, $limit: Int) {
  searchItems(text: $text, within: $within, datasetId: $datasetId, administrativeAreaCode: $area, categoryCode: $category, page: $page, limit: $limit) {
    total page limit nodes { id name externalId }
  }
}`

async function search(variables: Record<string, unknown>, key?: string) {
  const { status, body } = await t.graphql(SEARCH, variables, key)
  expect(body.errors).toBeUndefined()
  expect(status).toBe(200)
  return body.data.searchItems
}

describe('searchItems', () => {
  test('takes a dataset by UUID or slug, codes, and pages; a page past the end has the true total', async () => {
    const within = { west: -180, south: -90, east: 180, north: 90 }
    const bySlug = await search({ within, datasetId: 'seoul', limit: 2 })
    expect(bySlug).toEqual(await search({ within, datasetId: DATASET.seoul.toUpperCase(), limit: 2 }))
    expect(bySlug.nodes).toHaveLength(2)
    const next = await search({ within, datasetId: 'seoul', limit: 2, page: 2 })
    expect(next).toMatchObject({ page: 2, limit: 2, total: bySlug.total })
    expect(next.nodes).not.toEqual(bySlug.nodes)
    expect(await search({ within, datasetId: 'seoul', page: 2147483647 })).toMatchObject({
      total: bySlug.total,
      nodes: [],
    })
    expect((await search({ within, category: 'no such code' })).total).toBe(0)
    expect((await search({ within, area: '11110', category: 'palace' })).total).toBeGreaterThan(0)
  })

  test('is a field of a dataset too, with any fields of the items, and with only total or only nodes', async () => {
    const { body } = await t.graphql(`{ dataset(id: "seoul") {
      alone: searchItems(text: "gwanghwa") { total }
      nodesOnly: searchItems(text: "gwanghwa") { nodes { name extraAttributes parent { name } children { total } } }
      both: searchItems(text: "GWANGHWA", limit: 1) { page limit total nodes { name __typename } }
    } }`)
    expect(body.errors).toBeUndefined()
    expect(body.data.dataset).toMatchObject({
      alone: { total: 1 },
      nodesOnly: { nodes: [{ name: 'Gwanghwamun', parent: { name: 'Gyeongbokgung' }, children: { total: 0 } }] },
      both: { page: 1, limit: 1, total: 1, nodes: [{ name: 'Gwanghwamun', __typename: 'Item' }] },
    })
  })

  test('refuses a dataset that does not exist or that the key may not access', async () => {
    const codeOf = async (datasetId: string) =>
      (await t.graphql(SEARCH, { text: 'a', datasetId })).body.errors[0].extensions.code
    expect(await codeOf('nowhere')).toBe('NOT_FOUND')
    expect(await codeOf('restricted')).toBe('DATASET_ACCESS_DENIED')
  })
})

test.each([
  '{ nearbyItems(POINT) { total } }',
  '{ dataset(id: "seoul") { nearbyItems(POINT) { total } } }',
  '{ findItems(POINT) { total } }',
  '{ searchItems(within: BOX) { total } }',
  '{ suggestItems(text: "gung", within: BOX) { id } }',
])('%s takes the edge of the world as libraries compute it for the edge', async (query) => {
  const answer = async (north: number, west: number) => {
    const point = `latitude: ${north}, longitude: ${west}, radius: 50000`
    const box = `{ west: ${west}, south: 0, east: 0, north: ${north} }`
    return (await t.graphql(query.replace('POINT', point).replace('BOX', box))).body
  }
  const edge = await answer(90, -180)
  expect(edge.errors).toBeUndefined()
  expect(await answer(90.000000001, -180.00000000000003)).toEqual(edge)
  const { errors } = await answer(90.0000000011, -180.0000000011)
  expect(errors[0].extensions.details).toHaveLength(2)
})

describe('Bad input', () => {
  const box = { west: 0, south: 0, east: 1, north: 1 }
  test.each<[Record<string, unknown>, string | null, string]>([
    [{}, null, 'give text or within'],
    [{ text: ' \t\u3000\u2028' }, 'text', 'must not be only white space'],
    [{ text: 'a\ud800' }, 'text', 'must be well-formed Unicode'],
    [{ within: { ...box, south: 2 } }, 'within.south', 'must be at most north'],
    [{ within: { ...box, west: -180.1 } }, 'within.west', 'must be at least -180'],
    [{ text: 'a', category: '\ud800' }, 'categoryCode', 'must be well-formed Unicode'],
  ])('%j is refused: %s %s', async (variables, field, message) => {
    const { body } = await t.graphql(SEARCH, variables)
    expect(body.errors[0].extensions).toEqual({ code: 'VALIDATION_FAILED', details: [{ field, message }] })
  })
})

test('The total of a text follows changes, whatever page or field is requested', async () => {
  const { prisma } = t.database
  const { id } = await prisma.dataset.create({ data: newDataset({ slug: 'totals' }) })
  await t.hearChanges()
  const totalAs = async (alias: string) =>
    (await t.graphql(`{ ${alias}: searchItems(text: "umbrella", datasetId: "totals") { total } }`)).body.data[alias]
      .total
  const add = async () => {
    await prisma.item.create({ data: newPlace({ datasetId: id, name: 'Umbrella museum' }) })
    await t.hearChanges()
  }
  expect(await totalAs('none')).toBe(0)
  await add()
  expect([await totalAs('one'), await totalAs('again')]).toEqual([1, 1])
  await add()
  expect(await totalAs('two')).toBe(2)
  await prisma.item.deleteMany({ where: { datasetId: id } })
  await t.hearChanges()
  expect(await totalAs('gone')).toBe(0)
})

describe('Facets', () => {
  test('count the items of each code, most first, then by code', async () => {
    const codes = ["it's", "' category '", 'a', "''", 'é']
    const { prisma } = t.database
    const { id } = await prisma.dataset.create({ data: newDataset({ slug: 'facets' }) })
    await t.hearChanges()
    const QUERY = '{ dataset(id: "facets") { categories { code total } administrativeAreas { code total } } }'
    expect((await t.graphql(QUERY)).body.data.dataset).toEqual({ categories: [], administrativeAreas: [] })
    await prisma.item.createMany({
      data: Array.from({ length: 25 }, (_, n) => {
        const [administrativeAreaCode = '', categoryCode = ''] = [codes[n < 3 ? 0 : n % 5], codes[n % 2]]
        return newPlace({ datasetId: id, name: 'Counted', administrativeAreaCode, categoryCode })
      }),
    })
    await t.hearChanges()
    const { body } = await t.graphql(QUERY)
    expect(body.errors).toBeUndefined()
    expect(body.data.dataset).toEqual({
      categories: [
        { code: "it's", total: 13 },
        { code: "' category '", total: 12 },
      ],
      administrativeAreas: [
        { code: "it's", total: 7 },
        { code: "''", total: 5 },
        { code: 'é', total: 5 },
        { code: "' category '", total: 4 },
        { code: 'a', total: 4 },
      ],
    })
  })
})

const SUGGEST = `query ($text: String!, $datasetId: ID, $within: BoundingBox, $category: String, $limit: Int) {
  suggestItems(text: $text, datasetId: $datasetId, within: $within, categoryCode: $category, limit: $limit) { id name keywords }
}`

async function suggest(variables: Record<string, unknown>, key?: string) {
  const { status, body } = await t.graphql(SUGGEST, variables, key)
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data.suggestItems.map(({ id }: { id: string }) => id)
}

describe('suggestItems', () => {
  test('finds what was probably meant, in all datasets or in one', async () => {
    expect(await suggest({ text: 'gyeonbokgung' })).toEqual([ITEM.palace])
    expect(await suggest({ text: '경봉궁', limit: 1 })).toEqual([ITEM.palace])
    expect(await suggest({ text: 'gyeonbokgung', datasetId: 'seoul' })).toEqual([ITEM.palace])
    expect(await suggest({ text: 'gyeonbokgung', datasetId: 'archived' })).toEqual([])
    expect(await suggest({ text: 'twin', limit: 1 })).toEqual([ITEM.same1])
  })

  test('gives the best first, whatever their ids are', async () => {
    const first = 'ffffffff-0000-4000-8000-000000000000'
    const second = '00000000-0000-4000-8000-000000000001'
    await t.database.prisma.item.createMany({
      data: [
        newPlace({ id: first, datasetId: DATASET.seoul, name: 'Zebrafish' }),
        newPlace({ id: second, datasetId: DATASET.seoul, name: 'Zebrafish Hall' }),
      ],
    })
    await expect.poll(() => suggest({ text: 'zebrafihs' })).toEqual([first, second])
  })

  test('reads only what is selected, images and parents too', async () => {
    t.statements.length = 0
    await t.graphql('{ suggestItems(text: "gwanhwamun") { id } }')
    const read = t.statements.join()
    expect(read).toContain('letter_grams')
    expect(read).not.toMatch(/telephone|extra_attributes|parent_item_id|item_images|FROM images/)
    const { body } = await t.graphql(`{ suggestItems(text: "gwanhwamun", limit: 1) {
      __typename name parent { id name } images { altText } dataset { slug } children { total } } }`)
    expect(body.data.suggestItems).toEqual([
      {
        __typename: 'Item',
        name: 'Gwanghwamun',
        parent: { id: ITEM.palace, name: 'Gyeongbokgung' },
        images: [],
        dataset: { slug: 'seoul' },
        children: { total: 0 },
      },
    ])
  })

  test('gives nothing of datasets that the key may not access', async () => {
    expect(await suggest({ text: 'palce' })).toEqual([ITEM.palace, ITEM.archived])
    const { key } = await createKey(t.database.prisma, { name: 'gold', accessTiers: ['gold'] })
    expect((await suggest({ text: 'palce' }, key)).toSorted()).toEqual(
      [ITEM.palace, ITEM.paid, ITEM.archived].toSorted(),
    )
    const codeOf = async (datasetId: string) =>
      (await t.graphql(SUGGEST, { text: 'a', datasetId })).body.errors[0].extensions.code
    expect(await codeOf('nowhere')).toBe('NOT_FOUND')
    expect(await codeOf('restricted')).toBe('DATASET_ACCESS_DENIED')
  })

  test.each<[Record<string, unknown>, string, string]>([
    [{ text: '' }, 'text', 'must not be empty'],
    [{ text: 'a', limit: 101 }, 'limit', 'must be at most 100'],
    [{ text: 'a', category: '' }, 'categoryCode', 'must not be empty'],
    [{ text: 'a', within: { west: 0, south: 2, east: 1, north: 1 } }, 'within.south', 'must be at most north'],
  ])('refuses %j: %s %s', async (variables, field, message) => {
    const { body } = await t.graphql(SUGGEST, variables)
    expect(body.errors[0].extensions).toEqual({ code: 'VALIDATION_FAILED', details: [{ field, message }] })
  })
})
