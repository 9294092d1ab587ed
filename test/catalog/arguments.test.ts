import { describe, expect, test } from 'vitest'
import type { ZodType } from 'zod'
import {
  filterValue,
  isSlug,
  itemConnectionArguments,
  itemListArguments,
  latitude,
  limit,
  longitude,
  page,
  pageArguments,
  parentItemId,
  parseArguments,
  parseBounded,
  radius,
  searchArguments,
} from '../../src/catalog/arguments.ts'

const UUID = '1111111A-0000-4000-8000-00000000000b'

const problemsOf = (schema: ZodType, input: unknown): string[] =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => [...path, message].join(' ')) ?? []

describe('A number is valid up to its limits, and invalid beyond them:', () => {
  test.each([
    ['page', page, 1, 2_147_483_647, 1],
    ['limit', limit, 1, 100, 1],
    ['latitude', latitude, -90, 90, 1e-7],
    ['longitude', longitude, -180, 180, 1e-7],
    ['radius', radius, 1, 50_000, 1e-7],
  ] as const)('%s', (_name, schema, minimum, maximum, step) => {
    for (const value of [minimum, minimum + step, maximum - step, maximum])
      expect(problemsOf(schema, value)).toEqual([])
    expect(problemsOf(schema, minimum - step)).toEqual([`must be at least ${minimum}`])
    expect(problemsOf(schema, maximum + step)).toEqual([`must be at most ${maximum}`])
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '1', null])
      expect(problemsOf(schema, value)).not.toEqual([])
  })

  test('pages and limits are whole', () => {
    for (const schema of [page, limit]) expect(problemsOf(schema, 1.5)).toEqual(['must be a whole number'])
  })
})

test('the value of a filter is text that PostgreSQL can store, and not empty', () => {
  for (const value of ['0', ' ', '😀', "'"]) expect(problemsOf(filterValue, value)).toEqual([])
  expect(problemsOf(filterValue, '')).toEqual(['must not be empty'])
  expect(problemsOf(filterValue, 'a\0b')).toEqual(['must not contain NUL'])
  expect(problemsOf(filterValue, 'a\ud83d')).toEqual(['must be well-formed Unicode'])
  for (const value of ['x'.repeat(1_000), '😀'.repeat(1_000)]) expect(problemsOf(filterValue, value)).toEqual([])
  for (const value of ['x'.repeat(1_001), '😀'.repeat(1_001)])
    expect(problemsOf(filterValue, value)).toEqual(['must be at most 1000 characters long'])
})

test('a UUID is read in any letter case, and becomes lower case', () => {
  expect(parseArguments(parentItemId, UUID)).toBe(UUID.toLowerCase())
  expect(parseArguments(parentItemId, null)).toBeNull()
  expect(problemsOf(parentItemId, `${UUID}0`)).toEqual(['must be a UUID'])
})

test('a slug has up to 200 characters, and is not a UUID in any letter case', () => {
  for (const slug of ['a', 'A.b_c~d-1', 'x'.repeat(200)]) expect(isSlug(slug)).toBe(true)
  for (const text of ['', '-a', 'a/b', 'x'.repeat(201), UUID, UUID.toLowerCase()]) expect(isSlug(text)).toBe(false)
})

test('an argument that is null or absent has its default', () => {
  const defaults = { page: 1, limit: 20, sort: 'name', order: 'asc' }
  expect(parseArguments(itemListArguments, {})).toEqual(defaults)
  expect(
    parseArguments(itemListArguments, { page: null, limit: null, sort: null, order: null, categoryCode: null }),
  ).toEqual(defaults)
})

test('a parent of null means root items, and no parent means all items', () => {
  expect(parseArguments(itemListArguments, { parentItemId: null })).toMatchObject({ parentItemId: null })
  expect(parseArguments(itemListArguments, {})).not.toHaveProperty('parentItemId')
})

test('first and last exclude each other', () => {
  expect(problemsOf(itemConnectionArguments, { first: 1, last: null })).toEqual([])
  expect(problemsOf(itemConnectionArguments, { last: 1 })).toEqual([])
  expect(problemsOf(itemConnectionArguments, { first: 1, last: 1 })).toEqual([
    'last must not be given together with first',
  ])
})

describe('A search', () => {
  const box = { west: 1, south: 2, east: 1, north: 2 }

  test('needs a text or a box', () => {
    for (const input of [{ text: 'a' }, { within: box }, { text: 'a', within: box }]) {
      expect(problemsOf(searchArguments, input)).toEqual([])
    }
    expect(problemsOf(searchArguments, { categoryCode: 'a' })).toEqual(['give text or within'])
  })

  test('may have a box that is a point, or crosses the antimeridian, and none whose south is north of its north', () => {
    expect(problemsOf(searchArguments, { within: { ...box, west: 179, east: -179 } })).toEqual([])
    expect(problemsOf(searchArguments, { within: { ...box, south: 2.1 } })).toEqual([
      'within south must be at most north',
    ])
  })

  test('may have 200 characters, counted as code points', () => {
    for (const text of ['x'.repeat(200), '😀'.repeat(200)]) expect(problemsOf(searchArguments, { text })).toEqual([])
    expect(problemsOf(searchArguments, { text: 'x'.repeat(201) })).toEqual(['text must be at most 200 characters long'])
  })

  test('needs more than white space', () => {
    for (const text of [' ', '\u3000', '\t\n\u00a0']) {
      expect(problemsOf(searchArguments, { text })).toEqual(['text must not be only white space'])
    }
  })
})

test('a number that would be rounded to a bound keeps its side of it', () => {
  const numbers = [
    '90.00000000000000001',
    '-90.00000000000000001',
    '90',
    '89.99999999999999999999',
    '89.999999999999992',
  ]
  const isValid = (text: string) => latitude.safeParse(parseBounded(text, latitude)).success
  expect(numbers.map(isValid)).toEqual([false, false, true, true, true])
  expect(parseBounded('37.00000000000000000001', latitude)).toBe(37)
  expect(parseBounded('89.99999999999999999999', latitude)).toBe(90)
  expect(parseBounded('90.5', latitude)).toBe(90.5)
})

test('an error names the problems of other arguments too', () => {
  const problem = { field: 'after', message: 'must be a cursor' }
  expect(() => parseArguments(pageArguments, {}, [problem])).toThrow('after must be a cursor')
  expect(() => parseArguments(pageArguments, { page: 0 }, [problem])).toThrow(
    'page must be at least 1; after must be a cursor',
  )
})
