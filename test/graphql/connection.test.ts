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
    ['NAME', 'ASC'],
    ['NAME', 'DESC'],
    ['CREATED_AT', 'ASC'],
    ['UPDATED_AT', 'DESC'],
  ])('gives the order of the list by %s %s, forward and backward, ties included', async (sort, order) => {
    const { body } = await t.graphql(
      `{ dataset(id: "seoul") { items(sort: ${sort}, order: ${order}) { nodes { id } } } }`,
    )
    const expected = body.data.dataset.items.nodes.map(({ id }: { id: string }) => id)
    const walk = async (forward: boolean) => {
      const ids: string[] = []
      let cursor: string | null = null
      for (let more = true; more; ) {
        const page: Connection = await connection({
          sort,
          order,
          ...(forward ? { first: 2, after: cursor } : { last: 2, before: cursor }),
        })
        const found = page.edges.map(({ node }) => node.id)
        if (forward) ids.push(...found)
        else ids.unshift(...found)
        expect(forward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage).toBe(cursor !== null)
        more = forward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage
        cursor = forward ? page.pageInfo.endCursor : page.pageInfo.startCursor
      }
      return ids
    }
    expect(await walk(true)).toEqual(expected)
    expect(await walk(false)).toEqual(expected)
  })

  test('accepts every filter', async () => {
    expect(names(await connection({ category: 'twin' }))).toEqual(['Twin', 'Twin'])
    expect(names(await connection({ parent: ITEM.palace }))).toEqual(['Geunjeongjeon', 'Gwanghwamun'])
    expect((await connection({ parent: null, first: 1 })).totalCount).toBe(7)
  })

  test('may be limited by two cursors', async () => {
    const all = await connection()
    const between = await connection({ after: all.edges[1]?.cursor, before: all.edges[5]?.cursor })
    expect(names(between)).toEqual(BY_NAME.slice(2, 5))
    expect(between.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
  })

  test('knows whether there are items before and after it, for every two cursors and every length', async () => {
    const { edges } = await connection()
    const cursors = [undefined, ...edges.map(({ cursor }) => cursor)]
    const pages = cursors.flatMap((after, a) =>
      cursors.flatMap((before, b) =>
        ['first', 'last'].flatMap((side) => [1, 3, 9].map((limit) => ({ after, before, a, b, side, limit }))),
      ),
    )
    for (const { after, before, a, b, side, limit } of pages) {
      const page = await connection({ after, before, [side]: limit })
      // `a` and `b` are the numbers of the items at the cursors, from 1.
      const between = edges.slice(a, b === 0 ? edges.length : Math.max(a, b - 1))
      const expected = side === 'first' ? between.slice(0, limit) : between.slice(-limit)
      expect(page.edges).toEqual(expected)
      const place = edges.findIndex(({ cursor }) => cursor === expected[0]?.cursor)
      expect([a, b, side, limit, page.pageInfo.hasPreviousPage, page.pageInfo.hasNextPage]).toEqual([
        ...[a, b, side, limit],
        expected.length > 0 ? place > 0 : a > 0,
        expected.length > 0 ? place + expected.length < edges.length : b > 0,
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

  test('refuses a cursor of another sort or another dataset', async () => {
    const { pageInfo } = await connection({ first: 1 })
    const errors = async (variables: Record<string, unknown>) => (await ask(variables)).body.errors[0].message
    expect(await errors({ after: pageInfo.endCursor, sort: 'CREATED_AT' })).toBe('after is a cursor of a list by name')
    expect(await errors({ before: pageInfo.endCursor, dataset: 'archived' })).toBe(
      'before is a cursor of another dataset',
    )
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
