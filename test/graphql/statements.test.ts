import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET, newPlace } from '../support/catalog.ts'
import { countStatements } from '../support/statements.ts'

/*
 * The number of SQL statements of a query depends on its depth and its aliases, and not on the number of rows.
 */

const t = useApp({ responseCacheBytes: 0 })
let key: string
const many = Array.from({ length: 100 }, (_, n) => n)
const id = (group: number, n: number) => `${group}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

beforeAll(async () => {
  const { prisma } = t.database
  ;({ key } = await createKey(prisma, {
    name: 'all',
    accessTiers: ['gold'],
    datasets: ['restricted', 'draft', 'inactive'],
  }))
  // A hundred items in ten families of three generations, with two images each.
  const items = many.map((n) =>
    newPlace({
      id: id(6, n),
      datasetId: DATASET.archived,
      parentItemId: n % 10 === 0 ? null : id(6, n % 10 < 4 ? n - (n % 10) : n - 3),
      name: `Item ${String(n).padStart(3, '0')}`,
      latitude: '10',
      longitude: `10.${String(n).padStart(4, '0')}`,
      administrativeAreaCode: 'many',
      categoryCode: 'many',
    }),
  )
  await prisma.item.createMany({ data: items })
  const urls = {
    originalUrl: 'o',
    cdnUrl: 'c',
    thumbnailSmallUrl: 's',
    thumbnailMediumUrl: 'm',
    thumbnailLargeUrl: 'l',
  }
  await prisma.image.createMany({
    data: items.flatMap((item, n) =>
      [0, 1].map((sortOrder) => ({
        id: id(7 + sortOrder, n),
        itemId: item.id,
        sortOrder,
        isPrimary: sortOrder === 0,
        ...urls,
      })),
    ),
  })
})

const statementsOf = (query: string) =>
  countStatements(t, async () => {
    const { body } = await t.graphql(query, {}, key)
    expect(body.errors).toBeUndefined()
  })

const items = (limit: number, selection: string) =>
  `{ dataset(id: "archived") { items(limit: ${limit}) { ${selection} } } }`
const ids = (limit: number) => JSON.stringify(many.slice(0, limit).flatMap((n) => [id(6, n)]))

/** The statement that checks that all others saw the same state. It is not needed if they return the revisions that they saw. */
const FRAME = 1

test.each<[string, (limit: number) => string, number]>([
  ['images of items', (limit) => items(limit, 'nodes { images { id } }'), 3],
  [
    'parents of parents, and totals',
    (limit) => items(limit, 'total nodes { parent { parent { parent { name } } } }'),
    6,
  ],
  [
    'datasets, images and parents of a nearby page',
    (limit) =>
      `{ nearbyItems(latitude: 10, longitude: 10, radius: 50000, limit: ${limit}) { total nodes { item { dataset { name } images { id } parent { name } } } } }`,
    6,
  ],
  [
    'children, their totals, their images, their dataset',
    (limit) => items(limit, 'nodes { children(limit: 3) { total nodes { images { id } dataset { name } } } }'),
    5,
  ],
  [
    'children of children of children',
    (limit) =>
      items(
        limit,
        'nodes { children(limit: 2) { nodes { children(limit: 2) { nodes { children(limit: 2) { nodes { id } } } } } } }',
      ),
    5,
  ],
  [
    'children under three aliases with other arguments',
    (limit) =>
      items(
        limit,
        'nodes { a: children(limit: 1) { nodes { id } } b: children(limit: 1, page: 2) { nodes { id } } c: children { total nodes { id } } }',
      ),
    6,
  ],
  [
    'one list under four aliases with other arguments',
    (limit) =>
      `{ dataset(id: "archived") { a: items(limit: ${limit}) { nodes { id } } b: items(limit: ${limit}, order: DESC) { nodes { id } } c: items(limit: ${limit}, sort: CREATED_AT) { nodes { id } } d: items(limit: ${limit}, parentItemId: null) { nodes { id } } } }`,
    5,
  ],
  [
    'a connection with its page info, total and parents',
    (limit) =>
      `{ dataset(id: "archived") { itemConnection(first: ${limit}) { totalCount pageInfo { hasNextPage hasPreviousPage endCursor } edges { node { parent { id } } } } } }`,
    4,
  ],
  [
    'nodes of every kind with what hangs on them',
    (limit) =>
      `{ nodes(ids: ${ids(limit)}) { ... on Item { dataset { name } parent { id } images { id } children { total nodes { id } } } } }`,
    7,
  ],
  [
    'items down and up again',
    (limit) =>
      items(
        limit,
        'nodes { children(limit: 2) { nodes { parent { children(limit: 2) { nodes { parent { dataset { name } } } } } } } }',
      ),
    4,
  ],
])('%s takes as many statements for 100 items as for 10', async (_what, query, expected) => {
  const few = await statementsOf(query(10))
  expect(await statementsOf(query(100))).toBe(few)
  expect(few).toBeLessThanOrEqual(FRAME + expected)
})

test.each([
  ['items of every dataset', 'items(limit: 2) { total nodes { images { id } } }', 1],
  [
    'a search in every dataset',
    'nearbyItems(latitude: 37.58, longitude: 126.977) { total nodes { item { name } } }',
    FRAME + 1,
  ],
  ['a connection of every dataset', 'itemConnection(first: 1) { totalCount nodes { id } pageInfo { hasNextPage } }', 1],
])('%s takes one statement for each field, for any number of datasets', async (_what, selection, expected) => {
  expect(await statementsOf(`{ datasets { nodes { ${selection} } } }`)).toBe(expected)
})

/** Looks up a stored number of items, or counts. */
const COUNTING = /item_counts|count\(/

test('a total that is not selected is not counted', async () => {
  await statementsOf('{ dataset(id: "archived") { items { nodes { id } } } }')
  expect(t.statements.join('\n')).not.toMatch(COUNTING)
  await statementsOf('{ dataset(id: "archived") { items { total nodes { id } } } }')
  expect(t.statements.join('\n')).toMatch(COUNTING)
})
