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

const namesOf = ({ nodes }: { nodes: { name: string }[] }) => nodes.map(({ name }) => name)

describe('searchItems', () => {
  test('finds items whose names contain every word, in any case', async () => {
    expect(namesOf(await search({ text: 'GYEONGBOK' }))).toEqual(['Gyeongbokgung'])
    expect(namesOf(await search({ text: ' mun\u3000GWANG' }))).toEqual(['Gwanghwamun'])
    expect((await search({ text: 'gwang gyeong' })).total).toBe(0)
  })

  test('finds items in a box, in one across the antimeridian, and by both', async () => {
    const seoul = { west: 126, south: 37, east: 128, north: 38 }
    const all = await search({ within: seoul, limit: 100 })
    expect(all.total).toBe(all.nodes.length)
    expect(all.total).toBeGreaterThan(5)
    const rest = await search({ within: { west: 128, south: -90, east: 126, north: 90 }, limit: 100 })
    const world = await search({ within: { west: -180, south: -90, east: 180, north: 90 }, limit: 100 })
    expect(all.total + rest.total).toBe(world.total)
    expect(namesOf(await search({ within: seoul, text: 'gyeong' }))).toEqual(['Gyeongbokgung'])
  })

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

  test('finds and counts nothing of datasets that the key may not access', async () => {
    const hidden = [ITEM.paid, ITEM.restricted, ITEM.draft, ITEM.inactive] as string[]
    const within = { west: -180, south: -90, east: 180, north: 90 }
    const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id)
    const open = await search({ within, limit: 100 })
    expect(open.total).toBe(open.nodes.length)
    expect(idsOf(open).filter((id) => hidden.includes(id))).toEqual([])
    const { key } = await createKey(t.database.prisma, { name: 'gold', accessTiers: ['gold'] })
    const gold = await search({ within, limit: 100 }, key)
    expect(idsOf(gold).filter((id) => hidden.includes(id))).toEqual([ITEM.paid])
    expect(gold.total).toBe(open.total + 1)
  })

  test('sees a renamed item', async () => {
    const totalOf = async (text: string) => (await search({ text })).total
    expect(await totalOf('이름')).toBe(0)
    await t.database.prisma.item.update({ where: { id: ITEM.palace }, data: { name: '새 이름' } })
    // A gateway hears of a change of another process a moment after it.
    await expect.poll(() => totalOf('이름')).toBe(1)
    expect(namesOf(await search({ text: '이름' }))).toEqual(['새 이름'])
    expect(await totalOf('gyeongbok')).toBe(0)
    await t.database.prisma.item.update({ where: { id: ITEM.palace }, data: { name: 'Gyeongbokgung' } })
    await expect.poll(() => totalOf('gyeongbok')).toBe(1)
  })
})

describe('Bad input', () => {
  const box = { west: 0, south: 0, east: 1, north: 1 }
  test.each<[Record<string, unknown>, string, string]>([
    [{}, 'text', 'must be given if within is not'],
    [{ text: '' }, 'text', 'must not be empty'],
    [{ text: ' \t\u3000\u2028' }, 'text', 'must not be only white space'],
    [{ text: 'a'.repeat(201) }, 'text', 'must be at most 200 characters long'],
    [{ text: 'a\0b' }, 'text', 'must not contain NUL'],
    [{ text: 'a\ud800' }, 'text', 'must be well-formed Unicode'],
    [{ within: { ...box, south: 2 } }, 'within.south', 'must be at most north'],
    [{ within: { ...box, west: -180.1 } }, 'within.west', 'must be at least -180'],
    [{ within: { ...box, east: 181 } }, 'within.east', 'must be at most 180'],
    [{ within: { ...box, north: 91 } }, 'within.north', 'must be at most 90'],
    [{ within: { ...box, south: -1e300 } }, 'within.south', 'must be at least -90'],
    [{ text: 'a', category: '\ud800' }, 'categoryCode', 'must be well-formed Unicode'],
  ])('%j is refused: %s %s', async (variables, field, message) => {
    const { body } = await t.graphql(SEARCH, variables)
    expect(body.errors[0].extensions).toEqual({ code: 'VALIDATION_FAILED', details: [{ field, message }] })
  })

  test('characters that are special in SQL, patterns or JSON are plain text', async () => {
    for (const text of [
      '%',
      '_',
      "'",
      '"',
      '\\',
      '{',
      '}',
      ',',
      '$1',
      '.*',
      '<script>',
      '(',
      "'; DROP TABLE items; --",
      '\ufffd',
      '\u0301',
    ]) {
      expect(await search({ text })).toMatchObject({ total: 0, nodes: [] })
    }
    await t.database.prisma.item.update({ where: { id: ITEM.tower }, data: { name: `50%_'"\\{x},$1` } })
    await expect.poll(async () => (await search({ text: '%' })).total).toBe(1)
    for (const text of ['%', '_', "'", '"', '\\', '{', '}', ',', '$1', `%_'"\\{`]) {
      expect((await search({ text })).nodes.map(({ id }: { id: string }) => id)).toEqual([ITEM.tower])
    }
    expect((await search({ text: '𠮷'.repeat(200) })).total).toBe(0)
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
