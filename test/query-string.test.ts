import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseQueryString } from '../src/gateway/query-string.ts'

const KNOWN = ['text', 'within', 'latitude', 'longitude', 'radius', 'administrativeAreaCode', 'categoryCode', 'limit']

/** The error of a query string with one parameter, for a route that knows these. */
function errorOf(name: string, known: readonly string[]): unknown {
  const schema = z.strictObject(Object.fromEntries(known.map((each) => [each, z.string().optional()])))
  try {
    return parseQueryString(schema, String(new URLSearchParams([[name, '1']])))
  } catch (error) {
    return error
  }
}

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
  expect(errorOf(name, KNOWN)).toMatchObject({
    details: [{ field: name, message: `is not a parameter of this resource; the nearest one is ${nearest}` }],
  })
})

test('an unknown parameter of a route without parameters names no other', () => {
  expect(errorOf('limit', [])).toMatchObject({
    details: [{ field: 'limit', message: 'is not a parameter of this resource' }],
  })
})

test('a long name is shortened', () => {
  expect(errorOf('limit'.repeat(2000), KNOWN)).toMatchObject({ details: [{ field: `${'limit'.repeat(12)}…` }] })
})
