import { describe, expect, test } from 'vitest'
import { parseExpiry, parseGrace } from '../../src/auth/expiry.ts'

const now = new Date('2026-11-20T12:00:00Z')

describe('An expiry', () => {
  test.each([
    ['90d', '2027-02-18T12:00:00.000Z'],
    ['12h', '2026-11-21T00:00:00.000Z'],
    ['4w', '2026-12-18T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:00:00+09:00', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:00:00.5Z', '2027-01-31T09:00:00.500Z'],
  ])('%s is %s', (text, expected) => {
    expect(parseExpiry(text, now).toISOString()).toBe(expected)
  })

  test.each(['', '0d', '90', '90m', '-1d', 'tomorrow', '2026-11-20', '2027-02-30', '2027-13-01', '2027-01-31T09:00'])(
    '%j is refused',
    (text) => {
      expect(() => parseExpiry(text, now)).toThrow('--expires')
    },
  )

  test('is refused at the present moment, and accepted a millisecond later', () => {
    expect(() => parseExpiry('2026-11-20T12:00:00.000Z', now)).toThrow('--expires must be in the future')
    expect(parseExpiry('2026-11-20T12:00:00.001Z', now)).toEqual(new Date(now.getTime() + 1))
  })

  test('may be the last moment of the year 9999, and not later', () => {
    expect(parseExpiry('9999-12-31T23:59:59.999Z', now).toISOString()).toBe('9999-12-31T23:59:59.999Z')
    // The offset moves the moment into the year 10000.
    expect(() => parseExpiry('9999-12-31T23:59:59.999-00:01', now)).toThrow('--expires must be at most')
  })
})

describe('A grace', () => {
  test.each([
    ['0s', 0],
    ['30s', 30_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['99999s', 99_999_000],
  ])('%s is %i milliseconds', (text, expected) => {
    expect(parseGrace(text)).toBe(expected)
  })

  test.each(['', '24', '-1h', '1.5h', '1 h', '100000s', '1y', '2027-01-31'])('%j is refused', (text) => {
    expect(() => parseGrace(text)).toThrow('--grace must be a duration')
  })
})
