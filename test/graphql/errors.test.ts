import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

const t = useApp()

describe('Errors', () => {
  test.each([
    ['{ dataset(id: "nowhere") { id } }', 'NOT_FOUND', 'dataset'],
    ['{ dataset(id: "") { id } }', 'NOT_FOUND', 'dataset'],
    ['{ dataset(id: "restricted") { id } }', 'DATASET_ACCESS_DENIED', 'dataset'],
    ['{ item(id: "palace") { id } }', 'NOT_FOUND', 'item'],
    [`{ item(id: "${ITEM.restricted}") { id } }`, 'DATASET_ACCESS_DENIED', 'item'],
  ])('%s is null with the error %s', async (query, code, field) => {
    const { status, body } = await t.graphql(query)
    expect(status).toBe(200)
    expect(body.data).toEqual({ [field]: null })
    expect(body.errors).toMatchObject([{ path: [field], extensions: { code } }])
  })

  test.each([
    ['{ dataset(id: "seoul") { items(limit: 101, page: 0) { total } } }', ['page', 'limit']],
    ['{ dataset(id: "seoul") { items(categoryCode: "") { total } } }', ['categoryCode']],
    ['{ dataset(id: "seoul") { items(parentItemId: "null") { total } } }', ['parentItemId']],
    ['{ dataset(id: "seoul") { items(parentItemId: 7) { total } } }', ['parentItemId']],
    [
      '{ dataset(id: "seoul") { nearbyItems(latitude: 91, longitude: -181, radius: 0) { total } } }',
      ['latitude', 'longitude', 'radius'],
    ],
    ['{ nearbyItems(latitude: 0, longitude: 0, datasetId: "") { total } }', ['datasetId']],
    [`{ item(id: "${ITEM.palace}") { children(limit: 101) { total } } }`, ['limit']],
  ])('%s is VALIDATION_FAILED, naming %j', async (query, fields) => {
    const { body } = await t.graphql(query)
    expect(body.errors[0].extensions.code).toBe('VALIDATION_FAILED')
    expect(body.errors[0].extensions.details.map((detail: { field: string }) => detail.field).sort()).toEqual(
      fields.sort(),
    )
  })

  test.each([
    ['{', {}],
    ['{ nope }', {}],
    ['query ($l: Int) { dataset(id: "seoul") { items(limit: $l) { total } } }', { l: 2_147_483_648 }],
    ['query ($id: ID!) { dataset(id: $id) { id } }', {}],
    ['query ($a: Float!) { nearbyItems(latitude: $a, longitude: 0) { total } }', { a: '37.5' }],
    ['mutation { drop }', {}],
    [`{ dataset(id: "seoul") { items { nodes ${'{ parent '.repeat(3000)} { id } ${'}'.repeat(3000)} } } }`, {}],
    [`{ ${'__typename '.repeat(20_000)} }`, {}],
    ['query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }', {}],
    ['{ ...toString }', {}],
    ['{ datasets { ...__proto__ } }', {}],
  ])('a document or variables that are wrong are refused with a code: %.40s', async (query, variables) => {
    const { status, body } = await t.graphql(query, variables)
    expect(status).toBeLessThan(500)
    expect(body.data ?? null).toBeNull()
    for (const error of body.errors) expect(error.extensions.code).toBe('VALIDATION_FAILED')
  })

  test.each([
    ['$l: Int', { l: 'many' }, 'Variable "$l" has invalid value: Int cannot represent non-integer value: "many"'],
    [
      '$l: Int!',
      { l: null },
      'Variable "$l" has invalid value: Expected value of non-null type "Int!" not to be null.',
    ],
    ['$l: Int!', {}, 'Variable "$l" has invalid value: Expected a value of non-null type "Int!" to be provided.'],
    [
      '$at: BoundingBox',
      { at: { west: 'x', south: 0, east: 1, north: 1 } },
      'Variable "$at" has invalid value at .west: Float cannot represent non numeric value: "x"',
    ],
  ])('the error of a variable %s that is %j names the variable', async (definition, variables, message) => {
    const field = definition.startsWith('$at') ? 'searchItems(within: $at)' : 'searchItems(text: "a", limit: $l)'
    const { body } = await t.graphql(`query (${definition}) { ${field} { total } }`, variables)
    expect(body.errors).toMatchObject([{ message, extensions: { code: 'VALIDATION_FAILED' } }])
    expect(body.errors[0].extensions.details).toEqual([{ field: definition.slice(1).split(':')[0], message }])
  })

  test.each([
    ['query { dataset(id: "seoul") { items(limit: "x") { total } } }', 'limit'],
    ['query { dataset(id: "seoul") { items(page: 2147483648) { total } } }', 'page'],
    ['query { dataset(id: "seoul") { items(sort: DISTANCE) { total } } }', 'sort'],
    ['query { dataset(id: "seoul") { items(offset: 1) { total } } }', 'offset'],
    ['query { searchItems(within: { west: "x", south: 0, east: 1, north: 1 }) { total } }', 'west'],
    ['query ($n: String) { dataset(id: "seoul") { items(limit: $n) { total } } }', 'n'],
  ])('the error of %s names the argument or variable in details', async (query, field) => {
    const { body } = await t.graphql(query)
    const [{ message, extensions }] = body.errors
    expect(extensions).toEqual({ code: 'VALIDATION_FAILED', details: [{ field, message }] })
  })

  test('the error of a long variable is short', async () => {
    const { body } = await t.graphql('query ($l: Int) { dataset(id: "seoul") { items(limit: $l) { total } } }', {
      l: 'x'.repeat(100_000),
    })
    expect(body.errors[0].message).toMatch(/^Variable "\$l" has invalid value: /)
    expect(body.errors[0].message.length).toBeLessThan(600)
  })
})
