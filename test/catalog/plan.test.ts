import { describe, expect, test } from 'vitest'
import { comparesNames, countsAtOnce, planBox, planSearch, walksIds } from '../../src/catalog/plan.ts'

const circle = { latitude: 37.5, longitude: 127, radius: 1_000 }
const within = { west: 126, south: 37, east: 128, north: 38 }
const updatedFrom = new Date(0)

describe('The way of a search', () => {
  test.each([
    ['grid', { circle }],
    ['grid', { circle, categoryCode: 'museum', postalCode: '04524' }],
    ['grid', { circle: { ...circle, latitude: -84.999 } }],
    ['circle', { circle: { ...circle, latitude: -90 } }],
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

describe('A page of a box with many items', () => {
  const first = { offset: 0, limit: 20 }
  test.each([
    ['at its beginning', 'names', { total: 20_000, size: 1_000_000 }, first],
    ['far from its beginning', 'cells', { total: 20_000, size: 1_000_000 }, { offset: 1_000, limit: 20 }],
    ['in a small part of the datasets', 'cells', { total: 2_000, size: 1_000_000 }, first],
    ['in all of the datasets', 'names', { total: 1_000_000, size: 1_000_000 }, { offset: 900_000, limit: 20 }],
    ['with a code of a tenth as many items', 'codes', { total: 1_000_000, size: 100_000 }, first, false],
    ['with a code of more items', 'cells', { total: 1_000_000, size: 100_001 }, first, false],
    ['with a code of 1,000 items', 'codes', { total: 1_001, size: 1_000 }, first, false],
    ['with a code of 1,001 items', 'cells', { total: 1_001, size: 1_001 }, first, false],
    ['with the category of 1,000 items', 'codes', { total: 500, size: 1_000 }, first],
    ['with the category of more items', 'names', { total: 20_000, size: 50_000 }, first],
    ['with the category of many items elsewhere', 'cells', { total: 900, size: 50_000 }, first],
  ] as const)('%s is found by %s', (_where, way, sizes, window, isCounted: boolean = true) => {
    expect(planBox(sizes, window, isCounted)).toBe(way)
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

test.each([
  ['few items, of a frequent text', true, { total: 3_000, size: 1_000_000 }, 0.01],
  ['more items', false, { total: 3_001, size: 1_000_000 }, 0.01],
  ['an item, of a text that the statistics do not know', false, { total: 1, size: 1_000_000 }, 0],
])('A part with %s is compared by name: %s', (_with, expected, sizes, share) => {
  expect(comparesNames(sizes, share)).toBe(expected)
})
