import { readFileSync } from 'node:fs'
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { expect, test } from 'vitest'
import { NODE_TYPES } from '../../src/graphql/operation/selected-fields.ts'
import { schema } from '../../src/graphql/schema.ts'

test('schema.graphql is up to date (npm run schema)', () => {
  const committed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
  expect(committed).toBe(`${printSchema(lexicographicSortSchema(schema))}\n`)
})

test('every type, field, argument and enum value has a description', () => {
  const undescribed: string[] = []
  const check = (name: string, { description }: { description?: string | null | undefined }) => {
    if (!description?.trim()) undescribed.push(name)
  }
  for (const type of Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))) {
    check(type.name, type)
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value)
    if (!isObjectType(type) && !isInputObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      check(`${type.name}.${field.name}`, field)
      if ('args' in field) for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg)
    }
  }
  expect(undescribed).toEqual([])
})

test('every scalar of the schema names its specification', () => {
  const scalars = Object.values(schema.getTypeMap()).filter(
    (type) => isScalarType(type) && !isSpecifiedScalarType(type),
  )
  expect(scalars.map((type) => [type.name, isScalarType(type) && type.specifiedByURL])).toEqual([
    ['DateTime', 'https://scalars.graphql.org/andimarek/date-time.html'],
    ['Decimal', 'https://www.w3.org/TR/xmlschema11-2/#decimal'],
    ['JSONObject', 'https://www.rfc-editor.org/rfc/rfc8259#section-4'],
  ])
})

/** The fields on which clients rely. test/catalog/columns.test.ts has the columns of items and images. */
const FIXED = {
  Query: ['dataset', 'datasets', 'item', 'nearbyItems', 'node'],
  DatasetList: ['nodes', 'total'],
  Dataset: [
    ...[
      'accessTier',
      'attribution',
      'createdAt',
      'description',
      'id',
      'itemConnection',
      'items',
      'name',
      'nearbyItems',
      'slug',
      'status',
    ],
    ...['updatedAt', 'visibility'],
  ],
  ItemPage: ['limit', 'nodes', 'page', 'total'],
  NearbyItemPage: ['limit', 'nodes', 'page', 'total'],
  NearbyItem: ['distance', 'item'],
  Item: ['children', 'dataset', 'images', 'parent'],
}

test.each(Object.entries(FIXED))('the type %s has the fields of the contract', (name, fields) => {
  const type = schema.getType(name)
  expect(isObjectType(type) && Object.keys(type.getFields())).toEqual(expect.arrayContaining(fields))
})

test('the projection knows each type of the interface Node', () => {
  const node = schema.getType('Node')
  if (!isInterfaceType(node)) throw new TypeError('Node is no interface')
  expect(new Set(schema.getPossibleTypes(node).map(({ name }) => name))).toEqual(new Set(NODE_TYPES))
})

test('there are no mutations and no subscriptions', () => {
  expect(schema.getMutationType()).toBeUndefined()
  expect(schema.getSubscriptionType()).toBeUndefined()
})
