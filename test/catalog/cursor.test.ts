import { describe, expect, test } from 'vitest'
import { encodeCursor, parseConnectionArguments, positionOf } from '../../src/catalog/cursor.ts'
import { type Item, parseItem } from '../../src/catalog/models.ts'
import { ITEM_SORTS, type ItemSort } from '../../src/catalog/sorts.ts'
import { DATASET, ITEM } from '../support/catalog.ts'

const item = (more: Partial<Item> = {}): Item => ({
  ...parseItem(JSON.stringify({ id: ITEM.gate, datasetId: DATASET.seoul, name: 'Gwanghwamun "gate"' })),
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  updatedAt: '2026-01-03T03:04:05.678Z',
  ...more,
})

const content = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

const parse = (input: Parameters<typeof parseConnectionArguments>[0]) => parseConnectionArguments(input, DATASET.seoul)
const refusal = (input: Parameters<typeof parseConnectionArguments>[0]): string => {
  try {
    return JSON.stringify(parse(input))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('A cursor', () => {
  test.each(ITEM_SORTS)('by %s is the position of its item, also between two of them', (sort) => {
    const [after, before] = [item(), item({ id: ITEM.palace, name: 'Palace', updatedAt: new Date(0) })]
    const cursors = { after: encodeCursor(after, sort), before: encodeCursor(before, sort) }
    expect(parse({ ...cursors, sort, first: 3 })).toMatchObject({
      sort,
      first: 3,
      after: positionOf(after, sort),
      before: positionOf(before, sort),
    })
    expect(positionOf(after, sort)).toEqual({ value: TIMES[sort] ?? item()[sort], id: ITEM.gate })
  })

  test('is of its dataset and of its sort only', () => {
    const after = encodeCursor(item({ datasetId: DATASET.paid }), 'name')
    expect(refusal({ after })).toBe('after is a cursor of another dataset')
    expect(refusal({ before: encodeCursor(item(), 'createdAt'), sort: 'updatedAt' })).toBe(
      'before is a cursor of a list by createdAt',
    )
    // Without a sort, the list is by name.
    expect(refusal({ before: encodeCursor(item(), 'createdAt') })).toBe('before is a cursor of a list by createdAt')
  })

  test.each([
    ['no JSON', 'nonsense'],
    ['no array', content()],
    ['a value with NUL', content(DATASET.seoul, 'name', 'a\0', ITEM.gate)],
    ['an unknown sort', content(DATASET.seoul, 'unknown', 'a', ITEM.gate)],
    ['an id that is not a UUID', content(DATASET.seoul, 'name', 'a', 'gate')],
    ['a fifth part', content(DATASET.seoul, 'name', 'a', ITEM.gate, 1)],
  ])('with %s is refused', (_what, after) => {
    expect(refusal({ after })).toBe('after must be a cursor of this list')
  })

  test('is refused with all other problems', () => {
    expect(refusal({ after: 'x', before: 'y', first: 0 })).toBe(
      'first must be at least 1; after must be a cursor of this list; before must be a cursor of this list',
    )
  })

  test.each(['createdAt', 'updatedAt'] as const)('by %s has a time to the millisecond, from the year 1 on', (sort) => {
    const at = (value: string) => ({ after: content(DATASET.seoul, sort, value, ITEM.gate), sort })
    for (const value of ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      expect(parse(at(value)).after).toEqual({ value, id: ITEM.gate })
    }
    for (const value of [
      '0000-12-31T23:59:59.999Z',
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.0000Z',
      '2026-02-30T00:00:00.000Z',
      'then',
    ]) {
      expect(refusal(at(value))).toBe('after must be a cursor of this list')
    }
  })
})

/** The times of `item()` as cursors have them. */
const TIMES: Partial<Record<ItemSort, string>> = {
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-03T03:04:05.678Z',
}
