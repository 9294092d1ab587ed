import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, IMAGE, ITEM, newPlace } from '../support/catalog.ts'
import { countStatements } from '../support/statements.ts'

const t = useApp()

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

interface Connection {
  totalCount: number
  edges: { cursor: string; node: { id: string; name: string } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
}

const QUERY = `query ($dataset: ID!, $first: Int, $after: String, $last: Int, $before: String, $sort: ItemSort, $order: SortOrder, $category: String, $parent: ID) {
  dataset(id: $dataset) {
    itemConnection(first: $first, after: $after, last: $last, before: $before, sort: $sort, order: $order, categoryCode: $category, parentItemId: $parent) {
      totalCount
      edges { cursor node { id name } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}`
const ask = (variables: Record<string, unknown>) => t.graphql(QUERY, { dataset: 'seoul', ...variables })
const connection = async (variables: Record<string, unknown> = {}): Promise<Connection> => {
  const { body } = await ask(variables)
  expect(body.errors).toBeUndefined()
  return body.data.dataset.itemConnection
}
const names = ({ edges }: Connection) => edges.map(({ node }) => node.name)

describe('itemConnection', () => {
  test('gives the first 20 items by default', async () => {
    const page = await connection()
    expect(names(page)).toEqual(BY_NAME)
    expect(page.totalCount).toBe(9)
    expect(page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
    expect([page.pageInfo.startCursor, page.pageInfo.endCursor]).toEqual([page.edges[0]?.cursor, page.edges[8]?.cursor])
  })

  test.each([
    ['ASC', undefined],
    ['DESC', undefined],
    ['ASC', 'twin'],
    ['DESC', 'palace'],
  ])('by name %s with the category %s is a slice of the list for every two cursors', async (order, category) => {
    const { edges: all } = await connection({ order })
    const selected = (await connection({ order, category })).edges
    const placeOf = ({ cursor }: { cursor: string }) => all.findIndex((edge) => edge.cursor === cursor)
    // The cursors may be of items that the filter leaves out, and the second may come before the first.
    const cursors = category === undefined ? [undefined, ...all.keys()] : [undefined, 0, 3, 4, 8]
    const pages = cursors.flatMap((after) =>
      cursors.flatMap((before) =>
        ['first', 'last'].flatMap((side) => [1, 3, 9].map((limit) => ({ after, before, side, limit }))),
      ),
    )
    for (const { after, before, side, limit } of pages) {
      const at = (place: number | undefined) => (place === undefined ? undefined : all[place]?.cursor)
      const page = await connection({ order, category, after: at(after), before: at(before), [side]: limit })
      const isBetween = (place: number) => place > (after ?? -1) && place < (before ?? all.length)
      const between = selected.filter((edge) => isBetween(placeOf(edge)))
      const isLast = side === 'last'
      const isBefore = after !== undefined && selected.some((edge) => placeOf(edge) <= after)
      const isAfter = before !== undefined && selected.some((edge) => placeOf(edge) >= before)
      const what = JSON.stringify({ after, before, side, limit })
      expect(page.edges, what).toEqual(isLast ? between.slice(-limit) : between.slice(0, limit))
      expect([page.pageInfo.hasPreviousPage, page.pageInfo.hasNextPage], what).toEqual([
        isBefore || (isLast && between.length > limit),
        isAfter || (!isLast && between.length > limit),
      ])
    }
  })

  test('is empty past the end, with the true total and no cursors', async () => {
    const { pageInfo } = await connection()
    expect(await connection({ after: pageInfo.endCursor })).toEqual({
      totalCount: 9,
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    })
    expect((await connection({ category: 'none' })).pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: false,
    })
  })

  test('continues from the position of an item that was deleted', async () => {
    const gone = { id: '55555555-0000-4000-8000-000000000001', name: 'H', datasetId: DATASET.seoul }
    const { prisma } = t.database
    await prisma.item.create({ data: newPlace(gone) })
    const { pageInfo } = await connection({ first: 4 })
    await prisma.item.delete({ where: { id: gone.id } })
    expect(names(await connection({ first: 1, after: pageInfo.endCursor }))).toEqual(['N Seoul Tower'])
  })

  test('counts only if the total is selected, and the total may be selected alone', async () => {
    t.statements.length = 0
    await t.graphql('{ dataset(id: "seoul") { itemConnection { nodes { id } pageInfo { hasNextPage } } } }')
    // The stored number of items, or a count.
    expect(t.statements.join('\n')).not.toMatch(/item_counts|count\(/)
    t.statements.length = 0
    const { body } = await t.graphql('{ dataset(id: "seoul") { itemConnection(categoryCode: "none") { totalCount } } }')
    expect(body.data.dataset.itemConnection).toEqual({ totalCount: 0 })
    expect(t.statements.join('\n')).toContain('item_counts')
    expect(t.statements.join('\n')).not.toContain('LATERAL')
  })

  test.each([
    [{ first: 0 }, 'first'],
    [{ first: 101 }, 'first'],
    [{ last: -1 }, 'last'],
    [{ last: 101 }, 'last'],
    [{ first: 1, last: 1 }, 'last'],
    [{ after: '' }, 'after'],
    [{ after: 'nonsense' }, 'after'],
    [{ before: Buffer.from('["a",1]').toString('base64url') }, 'before'],
    [
      { after: Buffer.from(JSON.stringify([DATASET.seoul, 'name', 'a\0', ITEM.palace])).toString('base64url') },
      'after',
    ],
    [
      {
        sort: 'CREATED_AT',
        after: Buffer.from(JSON.stringify([DATASET.seoul, 'createdAt', 'then', ITEM.palace])).toString('base64url'),
      },
      'after',
    ],
    [{ after: 'A'.repeat(20_000) }, 'after'],
  ])('refuses %j, naming %s', async (variables, field) => {
    const { body } = await ask(variables)
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: [{ field }] } }])
  })

  test('names every bad argument, cursors included', async () => {
    const { pageInfo } = await connection({ first: 1 })
    const { body } = await ask({ first: 0, after: pageInfo.endCursor, before: 'y', sort: 'CREATED_AT', category: '' })
    expect(body.errors[0].extensions.details).toEqual([
      { field: 'categoryCode', message: 'must not be empty' },
      { field: 'first', message: 'must be at least 1' },
      { field: 'after', message: 'is a cursor of a list by name' },
      { field: 'before', message: 'must be a cursor of this list' },
    ])
  })

  test('takes a cursor in both directions and with any filter', async () => {
    const after = (await connection()).edges[2]?.cursor
    expect(names(await connection({ after, first: 2 }))).toEqual(['N Seoul Tower', 'Twin'])
    expect(names(await connection({ after, order: 'DESC' }))).toEqual(['Gwanghwamun', 'Geunjeongjeon'])
    expect(names(await connection({ after, category: 'twin' }))).toEqual(['Twin', 'Twin'])
    expect(names(await connection({ before: after, parent: ITEM.palace }))).toEqual(['Geunjeongjeon', 'Gwanghwamun'])
  })
})

describe('node and nodes', () => {
  const NODES = `query ($ids: [ID!]!) {
    nodes(ids: $ids) { __typename id ... on Dataset { slug } ... on Item { name dataset { slug } } ... on Image { altText } }
  }`

  test('give a dataset, an item and an image by UUID, in any letter case, in the order of the ids', async () => {
    const { body } = await t.graphql(NODES, {
      ids: [IMAGE.first, DATASET.seoul, ITEM.palace.toUpperCase(), DATASET.seoul],
    })
    expect(body).toEqual({
      data: {
        nodes: [
          { __typename: 'Image', id: IMAGE.first, altText: 'The first image' },
          { __typename: 'Dataset', id: DATASET.seoul, slug: 'seoul' },
          { __typename: 'Item', id: ITEM.palace, name: 'Gyeongbokgung', dataset: { slug: 'seoul' } },
          { __typename: 'Dataset', id: DATASET.seoul, slug: 'seoul' },
        ],
      },
    })
  })

  test('give null without an error for unknown ids and for ids that the key may not access', async () => {
    const ids = [
      'nonsense',
      '',
      'seoul',
      '99999999-0000-4000-8000-000000000001',
      DATASET.restricted,
      ITEM.restricted,
      IMAGE.restricted,
      DATASET.draft,
    ]
    expect((await t.graphql(NODES, { ids })).body).toEqual({ data: { nodes: ids.map(() => null) } })
    for (const id of ids) {
      expect((await t.graphql('query ($id: ID!) { node(id: $id) { id } }', { id })).body).toEqual({
        data: { node: null },
      })
    }
    const { key } = await createKey(t.database.prisma, { name: 'granted', datasets: ['restricted'] })
    const { body } = await t.graphql(NODES, { ids: [IMAGE.restricted, ITEM.restricted] }, key)
    expect(body.data.nodes.map(({ __typename }: { __typename: string }) => __typename)).toEqual(['Image', 'Item'])
  })

  test('read a hundred ids with as many statements as one', async () => {
    const count = (ids: string[]) => countStatements(t, () => t.graphql(NODES, { ids }))
    const one = await count([IMAGE.first])
    expect(
      await count([...Object.values(ITEM), ...Object.values(IMAGE), ...Object.values(DATASET)]),
    ).toBeLessThanOrEqual(one)
    const { body } = await t.graphql(NODES, { ids: Array.from({ length: 101 }, () => ITEM.palace) })
    expect(body.errors[0].extensions.details).toEqual([{ field: 'ids', message: 'must have at most 100 elements' }])
  })
})
