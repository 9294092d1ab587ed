import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { DATASET, newDataset, newPlace } from '../support/catalog.ts'

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

describe('Bad input', () => {
  const box = { west: 0, south: 0, east: 1, north: 1 }
  test.each<[Record<string, unknown>, string, string]>([
    [{}, 'text', 'must be given if within is not'],
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

describe('Facets', () => {
  test('count the items of each code, most first, then by code', async () => {
    const codes = ["it's", "' category '", 'a', "''", 'é']
    const { prisma } = t.database
    const { id } = await prisma.dataset.create({ data: newDataset({ slug: 'facets' }) })
    const QUERY = '{ dataset(id: "facets") { categories { code total } administrativeAreas { code total } } }'
    expect((await t.graphql(QUERY)).body.data.dataset).toEqual({ categories: [], administrativeAreas: [] })
    await prisma.item.createMany({
      data: Array.from({ length: 25 }, (_, n) => {
        const [administrativeAreaCode = '', categoryCode = ''] = [codes[n < 3 ? 0 : n % 5], codes[n % 2]]
        return newPlace({ datasetId: id, administrativeAreaCode, categoryCode })
      }),
    })
    // The gateway may still have the empty response in its cache.
    await expect.poll(async () => (await t.graphql(QUERY)).body.data.dataset.categories.length).toBe(2)
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
