import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { withinTime } from '../../src/gateway/admission/budget.ts'
import { LIMITS } from '../../src/graphql/operation/limits.ts'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'
import { postGraphql } from '../support/graphql.ts'

const t = useApp()

test('an operation may be as deep as the limit, but not deeper', async () => {
  const nested = (parents: number) =>
    `{ dataset(id: "seoul") { items(limit: 1) { nodes { ${'parent { '.repeat(parents)}name${' }'.repeat(parents)} } } } }`
  expect((await t.graphql(nested(LIMITS.depth - 4))).body.errors).toBeUndefined()
  expect((await t.graphql(nested(LIMITS.depth - 3))).body.errors).toMatchObject([
    { message: 'depth must be at most 12, but this operation has 13' },
  ])
})

describe('The cost of an operation', () => {
  test.each(['items(limit: 5000)', 'itemConnection(first: 5000)', 'itemConnection(last: 5000)'])(
    'counts the default page size for %s, so that the error names the argument',
    async (field) => {
      const selection = 'nodes { id name description latitude longitude createdAt updatedAt url }'
      const { body } = await t.graphql(`{ dataset(id: "seoul") { ${field} { ${selection} } } }`)
      const argument = /\((\w+)/.exec(field)?.[1]
      expect(body.errors).toMatchObject([{ message: `${argument} must be at most 100` }])
    },
  )

  test('is in the response on request', async () => {
    const ask = async (extensions?: object) => {
      return (await postGraphql(t, { query: '{ datasets { total } }', extensions })).json()
    }
    expect(await ask({ cost: true })).toEqual({
      data: { datasets: { total: 2 } },
      extensions: { cost: { requested: 101, maximum: LIMITS.cost } },
    })
    expect(await ask()).toEqual({ data: { datasets: { total: 2 } } })
  })
})

const namesOf = (length: number, name: (n: number) => string) => Array.from({ length }, (_, n) => name(n)).join(' ')

const nested = (depth: number) =>
  `{ item(id: "${ITEM.gate}") ${'{ parent '.repeat(depth)} { id } ${'}'.repeat(depth)} }`

describe('An operation that exceeds a limit is refused with a code and the limit, and runs no SQL', () => {
  const four =
    '{ datasets { nodes { items(limit: 100) { nodes { children(limit: 100) { nodes { children(limit: 100) { nodes { id } } } } } } } } }'
  const searches = Array.from(
    { length: 40 },
    (_, n) => `s${n}: nearbyItems(latitude: ${n}, longitude: 0, limit: 100) { nodes { item { name url } } }`,
  )
  test.each<[string, string, RegExp, object?]>([
    ['four lists of a hundred, one in the other', four, /^cost must be at most 25000, but this operation has \d+$/],
    [
      'the same by variables',
      'query ($n: Int) { datasets { nodes { items(limit: $n) { nodes { children(limit: $n) { nodes { children(limit: $n) { nodes { id } } } } } } } } }',
      /^cost /,
      { n: 100 },
    ],
    [
      'the same by default values',
      'query ($n: Int = 100) { datasets { nodes { items(limit: $n) { nodes { children(limit: $n) { nodes { children(limit: $n) { nodes { id } } } } } } } } }',
      /^cost /,
    ],
    ['forty searches', `{ ${searches.join(' ')} }`, /^cost /],
    ['parents of parents', nested(20), /^depth must be at most 12, but this operation has \d+$/],
    [
      'as many parents of parents as the tokens allow',
      nested(1_300),
      /^depth must be at most 12, but this operation has 1302$/,
    ],
    [
      'values nested as deep as the tokens allow',
      `{ nodes(ids: ${'['.repeat(1_990)}${']'.repeat(1_990)}) { id } }`,
      /^The document is nested too deeply$|^ID cannot represent/,
    ],
    ['4,001 tokens', `{ ${'__typename '.repeat(3_999)} }`, /Document contains more than 4000 tokens/],
    [
      '51 aliases',
      `{ ${Array.from({ length: 51 }, (_, n) => `a${n}: __typename`).join(' ')} }`,
      /^aliases must be at most 50, but this operation has 51$/,
    ],
    [
      '101 lookups by id',
      `{ ${Array.from({ length: 101 }, (_, n) => `a${n}: item(id: "${ITEM.gate}") { id }`).join(' ')} }`,
      /^lookups must be at most 100, but this operation has 101$/,
    ],
    [
      '100 lookups by id whose lists cost too much',
      `{ ${Array.from({ length: 100 }, (_, n) => `a${n}: item(id: "${ITEM.gate}") { children(limit: 100) { nodes { id name } } }`).join(' ')} }`,
      /^cost must be at most 25000, but this operation has 31100$/,
    ],
    [
      '51 directives',
      `{ ${'__typename @include(if: true) '.repeat(51)} }`,
      /^directives must be at most 50, but this operation has 51$/,
    ],
    [
      '10,000 aliases',
      `{ ${Array.from({ length: 10_000 }, (_, n) => `a${n}: __typename`).join(' ')} }`,
      /at most 50000 bytes long/,
    ],
    ['5,000 directives', `{ __typename ${'@skip(if: false) '.repeat(5000)} }`, /at most 50000 bytes long/],
    [
      '5,000 fragments',
      `{ __typename } ${Array.from({ length: 5_000 }, (_, n) => `fragment f${n} on Query { a }`).join(' ')}`,
      /at most 50000 bytes long/,
    ],
    ['a long document', `{ __typename } #${'x'.repeat(50_000)}`, /^query must be at most 50000 bytes long$/],
    [
      'introspection of introspection',
      `{ __schema { types ${'{ fields { type '.repeat(8)} { name } ${'} }'.repeat(8)} } }`,
      /introspection depth/i,
    ],
    [
      'fragments in a cycle',
      '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
      /Cannot spread fragment/,
    ],
    [
      'fragments in a cycle through fields',
      '{ datasets { nodes { ...a } } } fragment a on Dataset { items { nodes { ...b } } } fragment b on Item { dataset { ...a } }',
      /Cannot spread fragment/,
    ],
    [
      'the same field 101 times',
      `{ ${'datasets { total } '.repeat(101)} }`,
      /^repetitions must be at most 100, but this operation selects datasets 101 times$/,
    ],
    [
      'a field 102 times at one place, in parts that are merged',
      `{ datasets { nodes { ${'id '.repeat(51)} } } ... on Query { datasets { ...f } } } fragment f on DatasetList { nodes { ${'id '.repeat(51)} } }`,
      /^repetitions must be at most 100, but this operation selects id 102 times$/,
    ],
    [
      'a field 102 times inside of an object, in fragments that the object uses too',
      `{ datasets { nodes { items { nodes { ...a parent { ...b parent { ...a ...b } } } } } } } fragment a on Item { ${'id '.repeat(51)} } fragment b on Item { ${'id '.repeat(51)} }`,
      /^repetitions must be at most 100, but this operation selects id 102 times$/,
    ],
    [
      'the same field 101 times, in a fragment that is not used',
      `{ __typename } fragment f on Query { ${'__typename '.repeat(101)} }`,
      /^repetitions must be at most 100, but this operation selects __typename 101 times$/,
    ],
    [
      '101 fragments of one object',
      `{ ${namesOf(101, (n) => `...f${n}`)} } ${namesOf(101, (n) => `fragment f${n} on Query { a${n % 50}: __typename }`)}`,
      /^repetitions must be at most 100, but 101 fragments select fields of one object$/,
    ],
    [
      'fragments that double at each level',
      `{ dataset(id: "a") { ...f0 } } ${namesOf(40, (n) => `fragment f${n} on Dataset { items { nodes { dataset { ...f${n + 1} } } } itemConnection { nodes { dataset { ...f${n + 1} } } } }`)} fragment f40 on Dataset { id }`,
      /^selections must be at most 25000$/,
    ],
  ])('%s', async (_what, query, message, variables = {}) => {
    t.statements.length = 0
    const { status, body } = await t.graphql(query, { ...variables })
    expect(status).toBeLessThan(500)
    expect(body.data ?? null).toBeNull()
    expect(body.errors[0].extensions.code).toBe('VALIDATION_FAILED')
    expect(body.errors[0].message).toMatch(message)
    expect(t.statements.filter((sql) => !/api_keys|grants/.test(sql))).toEqual([])
  })

  test('an execution that never ends gives an error with the time limit', async () => {
    await expect(withinTime(new Promise(() => {}), 10, () => {})).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The operation took longer than 15 seconds',
    })
    expect(await withinTime(Promise.resolve('in time'), 60_000, () => {})).toBe('in time')
  })

  test.each<[string, object]>([
    ['many members', Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`member${n}`, n]))],
    ['a long name', { ['x'.repeat(1_001)]: 1 }],
    ['a long text', { west: 'x'.repeat(1_001) }],
    ['objects in objects', { west: Array.from({ length: 100 }, () => ({ member: 'text' })) }],
  ])('an object with %s in a variable is refused before it is printed', async (_what, within) => {
    const query = `query ($within: BoundingBox) { searchItems(within: $within) { total } }`
    const { status, body } = await t.graphql(query, { within })
    expect(status).toBe(400)
    expect(body.errors[0].extensions.details).toEqual([
      { field: 'variables.within', message: 'must be at most 1000 characters long' },
    ])
  })

  test('an object of 1,000 characters in a variable is read', async () => {
    const within = { west: 126, south: 37, east: 128, north: 38 }
    const padded = { ...within, ['x'.repeat(960)]: 1 }
    const query = `query ($within: BoundingBox) { searchItems(within: $within) { total } }`
    expect((await t.graphql(query, { within })).body.errors).toBeUndefined()
    expect((await t.graphql(query, { within: padded })).body.errors[0].message).toMatch(/not to include unknown field/)
  })

  test('an alias has at most 100 characters, because the response repeats it for each item', async () => {
    const query = (alias: string) => `{ datasets { nodes { ${alias}: name } } }`
    expect((await t.graphql(query('a'.repeat(100)))).body.errors).toBeUndefined()
    const { body } = await t.graphql(query('a'.repeat(101)))
    expect(body.errors).toMatchObject([{ message: 'aliasLength must be at most 100, but this operation has 101' }])
  })

  test.each(['operationName', 'documentId'])('%s has at most 1,000 characters', async (field) => {
    const response = await postGraphql(t, { query: '{ datasets { total } }', [field]: 'x'.repeat(1_001) })
    expect((await response.json()).errors[0].extensions.details).toEqual([
      { field, message: 'must be at most 1000 characters long' },
    ])
  })

  test('of a document with many errors, 20 are named', async () => {
    const { body } = await t.graphql(`{ ${namesOf(1_000, (n) => `field${n}`)} }`)
    expect(body.errors).toHaveLength(21)
    expect(body.errors[20].message).toMatch(/Validation aborted/)
  })

  test('variables nested 100,000 deep are refused, and the next request succeeds', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const response = await postGraphql(
      t,
      `{"query":"query ($ids: [ID!]!) { nodes(ids: $ids) { id } }","variables":{"ids":${deep}}}`,
    )
    expect(response.status).toBeLessThan(500)
    expect((await response.json()).errors[0].extensions.code).toBe('VALIDATION_FAILED')
    expect((await t.get('/v1/datasets')).status).toBe(200)
  })
})

test('a fragment that is used 200 times in one object counts once', async () => {
  const query = `{ ${'...f '.repeat(200)} } fragment f on Query { datasets { total } }`
  expect((await t.graphql(query)).body).toEqual({ data: { datasets: { total: 2 } } })
})

test('100 fragments of one object may each select the same field', async () => {
  const query = `{ ${namesOf(100, (n) => `...f${n}`)} } ${namesOf(100, (n) => `fragment f${n} on Query { datasets { total } }`)}`
  expect((await t.graphql(query)).body).toEqual({ data: { datasets: { total: 2 } } })
})

test('a gateway may batch 100 lookups by id with variables, and 50 other aliases with them', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => [ITEM.gate, ITEM.palace, ITEM.museum][n % 3])
  const definitions = ids.map((_, n) => `$_${n}_id: ID!`).join(' ')
  const fields = 'id name description latitude longitude categoryCode streetAddress createdAt dataset { slug name }'
  const lookups = ids.map((_, n) => `_${n}_item: item(id: $_${n}_id) { __typename ${fields} }`).join(' ')
  const others = Array.from({ length: 50 }, (_, n) => `a${n}: __typename`).join(' ')
  const variables = Object.fromEntries(ids.map((id, n) => [`_${n}_id`, id]))
  let attempts = 0
  const itemStatements = async () => {
    t.statements.length = 0
    // Another name each time, so that the response is not cached.
    attempts += 1
    const { body } = await t.graphql(`query Attempt${attempts}(${definitions}) { ${lookups} ${others} }`, variables)
    expect(body.errors).toBeUndefined()
    expect(ids.map((_, n) => body.data[`_${n}_item`].id)).toEqual(ids)
    return t.statements.filter((sql) => /FROM items/.test(sql)).length
  }
  // One statement finds all items. A read that also reads the dataset reads them again in a transaction.
  await expect.poll(itemStatements).toBe(1)
})

test('introspection, and a page of a hundred items with all fields, are within the limits', async () => {
  expect(
    (await t.graphql(getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }))).body.errors,
  ).toBeUndefined()
  const whole = `{ dataset(id: "seoul") { items(limit: 100) { total nodes {
    id datasetId name description administrativeAreaCode categoryCode parentItemId streetAddress addressRegion addressLocality
    postalCode roadAddress jibunAddress latitude longitude thumbnailUrl createdAt updatedAt contactName telephone email url
    openingHours extraAttributes dataset { slug name } parent { id name } children(limit: 5) { total nodes { id name } }
    images { id originalUrl cdnUrl thumbnailSmallUrl thumbnailMediumUrl thumbnailLargeUrl altText sortOrder isPrimary }
  } } } }`
  expect((await t.graphql(whole)).body.errors).toBeUndefined()
})
