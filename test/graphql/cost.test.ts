import { buildSchema, type GraphQLSchema, Kind, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { greatestSize, measureOperation } from '../../src/graphql/operation/cost.ts'
import { findExcessLength } from '../../src/graphql/operation/limits.ts'
import { schema as REAL } from '../../src/graphql/schema.ts'

/* The size of an operation on a schema without weights: each field costs 1. */

const SCHEMA = buildSchema(`
  type Query { lists(page: Int, limit: Int): [Inner] slices(first: Int, last: Int): [Inner] one: Inner
               byId(ids: [ID]): [Inner] _entities(representations: [ID]): [Inner] some: [Inner] }
  type Inner { a: Int b: Int inner(limit: Int): [Inner] }`)
const costly = SCHEMA.getQueryType()?.getFields().some
if (costly) costly.extensions = { cost: 7, assumedLength: 3 }

/** Returns a function that measures the same operation with variables, as requests repeat it. */
function prepare(text: string, schema: GraphQLSchema = SCHEMA) {
  const { definitions } = parse(text)
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const named = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  if (!operation) throw new Error('no operation')
  const fragments = Object.fromEntries(named.map((fragment) => [fragment.name.value, fragment]))
  return (variables: Record<string, unknown> = {}) => measureOperation(operation, { schema, fragments, variables })
}

describe('The cost of an operation', () => {
  test.each<[string, object, number]>([
    ['{ one { a b } }', {}, 1 + 2],
    ['{ lists(limit: 7) { a b } one { a } }', {}, 1 + 7 * 2 + 2],
    ['{ slices(first: 7) { a } }', {}, 1 + 7],
    ['{ slices(last: 7) { a } }', {}, 1 + 7],
    ['{ lists(limit: 100) { a } }', {}, 1 + 100],
    ['{ byId(ids: ["a", "b"]) { a } }', {}, 1 + 2],
    ['query ($r: [ID]) { _entities(representations: $r) { a } }', { r: ['a', 'b', 'c'] }, 1 + 3],
    ['{ some { a } }', {}, 7 + 3],
    ['query ($n: Int = 9) { lists(limit: $n) { a } }', {}, 1 + 9],
    ['query ($n: Int = 9) { lists(limit: $n) { a } }', { n: 4 }, 1 + 4],
  ])('%s with %j is %i', (text, variables, cost) => {
    expect(prepare(text)({ ...variables }).cost).toBe(cost)
  })

  test.each([0, -1, -1_000, 101, 5_000, 'many', null, undefined])(
    'counts the default page size for %j, which is no page size',
    (n) => {
      expect(prepare('query ($n: Int) { lists(limit: $n) { a } }')({ n }).cost).toBe(1 + 20)
    },
  )

  test('is measured again when any of its page sizes changes', () => {
    const measure = prepare('query ($n: Int, $m: Int) { lists(limit: $n) { inner(limit: $m) { a } } }')
    for (const [n, m] of [
      [1, 1],
      [1, 100],
      [100, 1],
      [100, 100],
      [1, 1],
    ] as const) {
      expect(measure({ n, m }).cost).toBe(1 + n * (1 + m))
    }
    expect(measure({ n: 2 }).cost).toBe(1 + 2 * (1 + 20))
  })

  test('grows for a deep page, whether its number is in the document or in a variable', () => {
    expect(prepare('{ lists(page: 100) { a } }')().cost).toBe(1 + 20)
    expect(prepare('{ lists(page: 101) { a } }')().cost).toBe(1 + 500 + 20)
    const measure = prepare('query ($page: Int) { lists(page: $page) { a } }')
    for (const page of [1, 101, 900, 2]) expect(measure({ page }).cost).toBe(1 + (page > 100 ? 500 : 0) + 20)
  })

  test('is measured again when the number of ids changes', () => {
    const measure = prepare('query ($ids: [ID]) { byId(ids: $ids) { a } }')
    for (const length of [1, 50, 2]) {
      expect(measure({ ids: Array.from({ length }, () => 'a') }).cost).toBe(1 + length)
    }
  })
})

describe('With the weights of the schema, the cost', () => {
  test.each<[string, object, number]>([
    ['{ dataset(id: "a") { name } }', {}, 2],
    ['{ datasets { nodes { name } } }', {}, 1 + 20 * 2],
    ['{ dataset(id: "a") { items { nodes { name } } } }', {}, 1 + 10 + 20 * 2],
    ['{ dataset(id: "a") { itemConnection(last: 5) { nodes { images { id } } } } }', {}, 1 + 10 + 5 * (1 + 1 + 5)],
    ['query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', 'b', 'c'] }, 1 + 3],
    ['{ a: __typename ...f ... on Query { ...f } } fragment f on Query { node(id: "a") { id } }', {}, 1 + 2 + 2],
    ['{ searchItems(text: "a") { total } }', {}, 1_000 + 20 * 5],
    ['{ findItems(text: "a") { total } }', {}, 1_000 + 20 * 5],
    ['{ nearbyItems(latitude: 0, longitude: 0) { total } }', {}, 500 + 20 * 5],
  ])('of %s is the weighted number of fields in the largest response', (text, variables, cost) => {
    expect(prepare(text, REAL)({ ...variables }).cost).toBe(cost)
  })

  test.each<[string, number]>([
    ['items', 0],
    ['items(sort: UPDATED_AT)', 0],
    ['items(categoryCode: "a")', 0],
    ['items(categoryCode: "a", sort: NAME, order: DESC)', 0],
    ['items(categoryCode: null, sort: CREATED_AT)', 0],
    ['items(parentItemId: null)', 0],
    ['items(categoryCode: "a", sort: UPDATED_AT)', 200],
    ['items(parentItemId: null, sort: UPDATED_AT)', 200],
    ['items(categoryCode: "a", administrativeAreaCode: "b")', 200],
    ['items(categoryCode: "a", parentItemId: null)', 200],
    ['items(postalCode: "a")', 200],
    ['items(addressRegion: "a")', 200],
    ['itemConnection(addressRegion: "a", sort: UPDATED_AT)', 200],
  ])('of %s grows by %i for a list that no index has in its order, or that no trigger counts', (field, more) => {
    expect(prepare(`{ dataset(id: "a") { ${field} { pageSize: __typename } } }`, REAL)().cost).toBe(1 + 10 + more + 20)
  })

  test('of fragments that contain each other is measured in linear time', () => {
    const doubling = Array.from(
      { length: 200 },
      (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`,
    ).join('\n')
    expect(prepare(`{ ...f0 } ${doubling} fragment f200 on Query { __typename }`, REAL)().cost).toBe(2 ** 200)
  })

  test('is measured for any schema', () => {
    expect(prepare('{ a { b } }', buildSchema('type Query { a: Query b: Int }'))()).toEqual({ cost: 2, depth: 2 })
  })
})

describe('The greatest cost of an operation', () => {
  const greatest = (text: string) => {
    const [operation] = parse(text).definitions
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
    return greatestSize(operation, { schema: SCHEMA, fragments: {} }).cost
  }

  test.each<[string, number]>([
    ['{ lists(limit: 7, page: 2) { a } }', 1 + 7],
    ['query ($n: Int) { lists(limit: $n) { a } }', 1 + 100],
    ['query ($n: Int = 9) { slices(last: $n) { a } }', 1 + 100],
    ['query ($n: Int) { lists(page: $n) { a } }', 1 + 500 + 20],
    ['query ($a: ID, $b: ID) { byId(ids: [$a, $b]) { a } }', 1 + 2],
    ['query ($ids: [ID]) { byId(ids: $ids) { a } }', Number.POSITIVE_INFINITY],
  ])('of %s is %d', (text, cost) => {
    expect(greatest(text)).toBe(cost)
  })
})

test('the depth of an operation is that of its deepest field, wherever it is', () => {
  expect(prepare('{ one { inner { inner { a } } b } lists { a } }')().depth).toBe(4)
  expect(prepare('{ one { a } }')().depth).toBe(2)
})

test('a document may have 50,000 bytes, and the characters of other scripts have several', () => {
  expect(findExcessLength(`${'한'.repeat(16_666)}xx`)).toBeUndefined()
  expect(findExcessLength('한'.repeat(16_667))).toMatchObject({ message: 'query must be at most 50000 bytes long' })
})
