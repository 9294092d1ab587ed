import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { IMAGE, ITEM } from '../support/catalog.ts'

const t = useApp()

const data = async (query: string, variables?: Record<string, unknown>) => {
  const { status, body } = await t.graphql(query, variables)
  expect(body.errors).toBeUndefined()
  expect(status).toBe(200)
  return body.data
}

describe('A composed query', () => {
  test('may select one field under several aliases with different arguments, at every level', async () => {
    const { dataset } = await data(
      `query ($none: ID, $one: ID) {
        dataset(id: "seoul") {
          roots: items(parentItemId: $none) { total }
          all: items { total }
          children: items(parentItemId: $one, order: DESC) { nodes { name } }
          last: items(sort: UPDATED_AT, order: DESC, limit: 1) { nodes { name children(limit: 1) { nodes { name } } second: children(limit: 1, page: 2) { nodes { name } } } }
        }
      }`,
      { none: null, one: ITEM.palace },
    )
    expect(dataset).toEqual({
      roots: { total: 7 },
      all: { total: 9 },
      children: { nodes: [{ name: 'Gwanghwamun' }, { name: 'Geunjeongjeon' }] },
      last: {
        nodes: [
          {
            name: 'Gyeongbokgung',
            children: { nodes: [{ name: 'Geunjeongjeon' }] },
            second: { nodes: [{ name: 'Gwanghwamun' }] },
          },
        ],
      },
    })
  })

  test('may select other fields of the same list under another alias', async () => {
    const { dataset } = await data(
      '{ dataset(id: "seoul") { a: items(limit: 1) { nodes { name } } b: items(limit: 1) { nodes { id } } } }',
    )
    const [nameOnly, idOnly] = [dataset.a.nodes[0], dataset.b.nodes[0]]
    expect(nameOnly).toEqual({ name: expect.any(String) })
    expect(idOnly).toEqual({ id: expect.any(String) })
  })

  test('may select several pages of the same list', async () => {
    const page = (n: number) => `p${n}: items(limit: 1, page: ${n}) { nodes { name } }`
    const { dataset } = await data(
      `{ dataset(id: "seoul") { ${[1, 2, 3].map(page).join(' ')} items(limit: 3) { nodes { name } } } }`,
    )
    expect([dataset.p1, dataset.p2, dataset.p3].flatMap(({ nodes }) => nodes)).toEqual(dataset.items.nodes)
  })

  test('treats a variable without a value as an absent argument, and null as null', async () => {
    const query =
      'query ($parent: ID, $limit: Int) { dataset(id: "seoul") { items(parentItemId: $parent, limit: $limit) { total limit } } }'
    expect((await data(query)).dataset.items).toEqual({ total: 9, limit: 20 })
    expect((await data(query, { parent: null, limit: null })).dataset.items).toEqual({ total: 7, limit: 20 })
  })

  test('finds items near a point, in all datasets and in each', async () => {
    const result = await data(`{
      nearbyItems(latitude: 37.579617, longitude: 126.977041, limit: 2) { total nodes { distance item { name dataset { slug } } } }
      datasets { nodes { slug nearbyItems(latitude: 37.579617, longitude: 126.977041) { total nodes { item { name } } } } }
    }`)
    expect(result.nearbyItems).toMatchObject({
      total: 4,
      nodes: [
        { distance: 0, item: { name: 'Gyeongbokgung', dataset: { slug: 'seoul' } } },
        { item: { dataset: { slug: 'archived' } } },
      ],
    })
    expect(
      result.datasets.nodes.map((dataset: { nearbyItems: { total: number } }) => dataset.nearbyItems.total),
    ).toEqual([1, 3])
  })

  test.each([
    [
      'in a page of items, with __typename',
      '{ dataset(id: "seoul") { items(limit: 1) { nodes { __typename ... on Node { __typename id ... on Dataset { name } } } } } }',
      { dataset: { items: { nodes: [{ __typename: 'Item', id: ITEM.hall }] } } },
    ],
    [
      'in an item, with a field that items do not have',
      `{ item(id: "${ITEM.palace}") { id ... on Node { ... on Dataset { name description slug } } } }`,
      { item: { id: ITEM.palace } },
    ],
    [
      'in the images of an item',
      `{ item(id: "${ITEM.palace}") { images { id ... on Node { ... on Item { name } } } } }`,
      { item: { images: [IMAGE.first, IMAGE.second, IMAGE.tied].map((id) => ({ id })) } },
    ],
    [
      'in the dataset and the parent of an item',
      '{ dataset(id: "seoul") { items(limit: 1) { nodes { dataset { slug ... on Node { ... on Item { description } } } parent { id ... on Node { ... on Dataset { name } } } } } } }',
      { dataset: { items: { nodes: [{ dataset: { slug: 'seoul' }, parent: { id: ITEM.palace } }] } } },
    ],
    [
      'by name, first inside of one that does not apply',
      `{ item(id: "${ITEM.palace}") { ... on Node { ... on Dataset { ...Id } ...Names ...Id } ...Names } }
       fragment Names on Node { ...OfDataset ...OfItem } fragment OfDataset on Dataset { name description }
       fragment OfItem on Item { categoryCode } fragment Id on Node { id ...OfDataset }`,
      { item: { categoryCode: 'palace', id: ITEM.palace } },
    ],
  ])('selects nothing by a fragment on another type: %s', async (_where, query, expected) => {
    expect(await data(query)).toEqual(expected)
  })

  test('works over GET', async () => {
    const query = encodeURIComponent('query ($id: ID!) { item(id: $id) { name extraAttributes } }')
    const response = await t.get(
      `/graphql?query=${query}&variables=${encodeURIComponent(JSON.stringify({ id: ITEM.palace }))}`,
    )
    expect(await response.json()).toEqual({
      data: { item: { name: 'Gyeongbokgung', extraAttributes: { built: 1395, open: true, tags: ['royal', '조선'] } } },
    })
  })
})
