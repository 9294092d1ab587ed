import { describe, expect, test } from 'vitest'
import { countsAtOnce, planSearch, readsWholeBox, walksIds, walksNames } from '../../src/catalog/plan.ts'

const circle = { latitude: 37.5, longitude: 127, radius: 1_000 }
const within = { west: 126, south: 37, east: 128, north: 38 }
const updatedFrom = new Date(0)

describe('The way of a search', () => {
  test.each([
    ['grid', { circle }],
    ['grid', { circle, categoryCode: 'museum', postalCode: '04524' }],
    ['circle', { circle: { ...circle, latitude: 84.999 } }],
    ['circle', { circle, text: 'tower' }],
    ['circle', { circle, within }],
    ['circle', { circle, updatedFrom }],
    ['circle', { circle, text: 'tower', within, categoryCode: 'museum' }],
    ['words', { text: 'tower' }],
    ['words', { text: 'tower', within, categoryCode: 'museum' }],
    ['box', { within }],
    ['box', { within, categoryCode: 'museum' }],
    ['none', {}],
    ['none', { categoryCode: 'museum' }],
  ])('is %s for %j', (way, selection) => {
    expect(planSearch(selection).way).toBe(way)
  })
})

describe('A page of a box', () => {
  test.each([
    ['of few items', true, 1_000, {}],
    ['of many items', false, 1_001, {}],
    ['of many items with a filter', true, 1_000_000, { categoryCode: 'museum' }],
  ])('%s is found among all its items: %s', (_of, expected, total, filters) => {
    expect(readsWholeBox(total, filters)).toBe(expected)
  })

  test.each([
    ['at its beginning', true, { total: 20_000, size: 1_000_000 }, { offset: 0, limit: 20 }],
    ['far from its beginning', false, { total: 20_000, size: 1_000_000 }, { offset: 1_000, limit: 20 }],
    ['in a small part of the datasets', false, { total: 2_000, size: 1_000_000 }, { offset: 0, limit: 20 }],
    ['in all of the datasets', true, { total: 1_000_000, size: 1_000_000 }, { offset: 900_000, limit: 20 }],
  ])('%s is found by a walk in the order of names: %s', (_where, expected, sizes, window) => {
    expect(walksNames(sizes, window)).toBe(expected)
  })
})

test.each([
  ['of half of the items', true, { total: 500_000, size: 1_000_000 }, 10_000],
  ['of few items', false, { total: 100, size: 1_000_000 }, 10],
  ['of all items', true, { total: 100, size: 100 }, 10_000],
])('A page in order of id %s is found by a walk over all items: %s', (_of, expected, sizes, limit) => {
  expect(walksIds(sizes, limit)).toBe(expected)
})

test.each([
  ['a text in a large part of the items', true, { postalCode: '04524' }, { points: 51, size: 1_000 }],
  ['a text in a small part of the items', false, { postalCode: '04524' }, { points: 50, size: 1_000 }],
  ['a code in a large part of the items', false, { categoryCode: 'museum' }, { points: 1_000, size: 1_000 }],
])('The items of a circle are counted at once with a filter by %s: %s', (_by, expected, filters, sizes) => {
  expect(countsAtOnce(filters, sizes)).toBe(expected)
})
