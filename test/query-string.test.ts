import { expect, test } from 'vitest'
import { unknownParameter } from '../src/query-string.ts'

const KNOWN = ['text', 'within', 'latitude', 'longitude', 'radius', 'administrativeAreaCode', 'categoryCode', 'limit']

test.each([
  ['limits', 'limit'],
  ['lmit', 'limit'],
  ['LIMIT', 'limit'],
  ['lat', 'latitude'],
  ['lon', 'longitude'],
  ['category', 'categoryCode'],
  ['area', 'administrativeAreaCode'],
  ['radious', 'radius'],
  ['categry', 'categoryCode'],
  ['categories', 'categoryCode'],
  ['lng', 'longitude'],
  ['txet', 'text'],
  ['q', 'text'],
  ['', 'text'],
])('an unknown parameter names the nearest known one: %s, %s', (name, nearest) => {
  expect(unknownParameter(name, KNOWN)).toEqual({
    field: name,
    message: `is not a parameter of this resource; the nearest one is ${nearest}`,
  })
})

test('an unknown parameter of a route without parameters names no other', () => {
  expect(unknownParameter('limit', [])).toEqual({ field: 'limit', message: 'is not a parameter of this resource' })
})

test('a long name is shortened', () => {
  expect(unknownParameter('limit'.repeat(2000), KNOWN).field).toBe(`${'limit'.repeat(8)}…`)
})
